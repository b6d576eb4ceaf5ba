#include "explain/findings/blocker.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tutti::explain {
namespace {

constexpr std::pair<std::string_view, Blocker> kBlockerOfPlugin[] = {
    {"NodeResourcesFit", Blocker::capacity},
    {"NodeUnschedulable", Blocker::taints},
    {"TaintToleration", Blocker::taints},
    {"NodeName", Blocker::affinity},
    {"NodeAffinity", Blocker::affinity},
    {"InterPodAffinity", Blocker::affinity},
    {"NodeDeclaredFeatures", Blocker::affinity},
    {"PodTopologySpread", Blocker::topology},
    {"TopologyPlacementGenerator", Blocker::topology},
    {"NodePorts", Blocker::ports},
    {"VolumeBinding", Blocker::volumes},
    {"VolumeRestrictions", Blocker::volumes},
    {"VolumeZone", Blocker::volumes},
    {"NodeVolumeLimits", Blocker::volumes},
    {"DynamicResources", Blocker::devices},
    {"SchedulingGates", Blocker::gated},
    {"GangScheduling", Blocker::incomplete},
    {"DefaultPreemption", Blocker::priority},
};

auto rank(const Rejection& rejection) {
  const bool curable = rejection.code == core::Code::unschedulable;
  return std::tuple(!curable, -static_cast<std::ptrdiff_t>(rejection.nodes),
                    blocker_of(rejection.plugin), std::string_view(rejection.plugin));
}

}  // namespace

Blocker blocker_of(std::string_view plugin) {
  const auto* known =
      std::ranges::find(kBlockerOfPlugin, plugin, [](const auto& e) { return e.first; });
  return known == std::end(kBlockerOfPlugin) ? Blocker::affinity : known->second;
}

std::vector<Rejection> rejections(const core::Diagnosis& diagnosis) {
  std::vector<Rejection> merged;
  for (const auto& reason : diagnosis.reasons) {
    const std::size_t nodes = reason.nodes == 0 ? diagnosis.nodes : reason.nodes;
    const auto same = std::ranges::find_if(merged, [&](const Rejection& known) {
      return known.plugin == reason.plugin && known.code == reason.code;
    });
    if (same == merged.end()) {
      merged.push_back({reason.plugin, reason.code, nodes});
    } else {
      same->nodes = std::max(same->nodes, nodes);
    }
  }
  return merged;
}

const Rejection* dominant(const std::vector<Rejection>& rejections) {
  const auto first = std::ranges::min_element(
      rejections, [](const Rejection& a, const Rejection& b) { return rank(a) < rank(b); });
  return first == rejections.end() ? nullptr : &*first;
}

}  // namespace tutti::explain
