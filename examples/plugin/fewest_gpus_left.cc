// FewestGpusLeft: keeps pods off nodes under maintenance, and prefers the node that the pod leaves
// with the fewest free GPUs, so that large free nodes stay whole for large jobs.
#include <algorithm>

#include "core/framework/per_node_plugin.h"

namespace {

using tutti::core::Code;
using tutti::core::Concern;
using tutti::core::NodeView;
using tutti::core::PluginStatus;
using tutti::core::PodAspects;
using tutti::core::PodView;

constexpr std::string_view kGpu = "nvidia.com/gpu";

class FewestGpusLeft final : public tutti::core::PerNodePlugin {
 public:
  bool filters() const override { return true; }
  bool scores() const override { return true; }
  // Requests are the same for all pods that share an answer; it looks at nothing else of the pod.
  PodAspects looks_at() const override { return PodAspects::none; }
  // A node under maintenance is closed, as one is that somebody cordoned.
  Concern concern() const override { return Concern::unschedulable; }

  PluginStatus filter(const PodView&, const NodeView& node) const override {
    if (node.label("maintenance") == nullptr) return {};
    return {Code::unresolvable, {}, "node(s) were under maintenance"};
  }

  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    const std::int64_t all = node.allocatable(kGpu);
    if (all == 0) return 0;
    const std::int64_t left = all - node.used(kGpu) - pod.request(kGpu);
    return 100 - 100 * std::max<std::int64_t>(left, 0) / all;
  }
};

std::unique_ptr<tutti::core::PerNodePlugin> make(std::string_view args, std::string& error) {
  if (!args.empty() && args != "{}") {
    error = "FewestGpusLeft takes no arguments";
    return nullptr;
  }
  return std::make_unique<FewestGpusLeft>();
}

}  // namespace

TUTTI_EXPORT_PLUGIN(make)
