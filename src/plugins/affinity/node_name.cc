#include "plugins/affinity/node_name.h"

#include <vector>

namespace tutti::plugins {
namespace {

class NameFilter final : public core::FilterEvaluator {
 public:
  // An invalid id: no such node.
  explicit NameFilter(core::NodeId named) : named_(named) {}

  void filter(Bitset& nodes) const override {
    const bool keeps = named_.valid() && nodes.test(named_.index);
    nodes.clear();
    if (keeps) nodes.set(named_.index);
  }
  bool accepts(core::NodeId node) const override { return node == named_; }
  std::vector<core::PluginStatus> explain(core::NodeId) const override {
    return {{core::Code::unresolvable, NodeName::kName,
             "node(s) didn't match the requested node name"}};
  }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }

 private:
  core::NodeId named_;
};

}  // namespace

bool NodeName::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                              const core::ClusterEvent& event) const {
  return !event.node.valid() || (cluster.nodes().live().test(event.node.index) &&
                                 cluster.node_name(event.node) == rejected.node_name);
}

core::Prepared<core::FilterEvaluator> NodeName::prepare_filter(const core::Cluster& cluster,
                                                               const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const std::string& name = pods.sample->node_name;
  if (name.empty()) return Prepared::skip();
  return Prepared::ready(
      std::make_unique<NameFilter>(cluster.nodes().find(name).value_or(core::NodeId{})));
}

}  // namespace tutti::plugins
