#include "explain/findings/blocker.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace tutti::explain {
namespace {

auto rank(const Rejection& rejection) {
  const bool curable = rejection.code == core::Code::unschedulable;
  return std::tuple(!curable, -static_cast<std::ptrdiff_t>(rejection.nodes),
                    blocker_of(rejection.concern), std::string_view(rejection.plugin));
}

}  // namespace

Blocker blocker_of(core::Concern concern) {
  using core::Concern;
  switch (concern) {
    case Concern::resources:
      return Blocker::capacity;
    case Concern::unschedulable:
    case Concern::taints:
      return Blocker::taints;
    case Concern::topology_spread:
    case Concern::placement:
      return Blocker::topology;
    case Concern::ports:
      return Blocker::ports;
    case Concern::volumes:
      return Blocker::volumes;
    case Concern::devices:
      return Blocker::devices;
    case Concern::gates:
      return Blocker::gated;
    case Concern::gang:
      return Blocker::incomplete;
    case Concern::preemption:
      return Blocker::priority;
    case Concern::nodes:
    case Concern::node_name:
    case Concern::node_affinity:
    case Concern::pod_affinity:
      return Blocker::affinity;
  }
  return Blocker::affinity;
}

std::vector<Rejection> rejections(const core::Diagnosis& diagnosis) {
  std::vector<Rejection> merged;
  for (const auto& reason : diagnosis.reasons) {
    const std::size_t nodes = reason.nodes == 0 ? diagnosis.nodes : reason.nodes;
    const auto same = std::ranges::find_if(merged, [&](const Rejection& known) {
      return known.plugin == reason.plugin && known.code == reason.code;
    });
    if (same == merged.end()) {
      merged.push_back({reason.plugin, reason.code, nodes, reason.concern});
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
