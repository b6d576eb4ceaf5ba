#include "capacity/idle_reason.h"

#include <algorithm>

#include "base/check.h"
#include "core/evaluation/counting.h"

namespace tutti::capacity {
namespace {

bool is_ready(const model::Node& node) {
  const model::Condition* ready = model::find(node.conditions, "Ready");
  const bool said_so = ready == nullptr || ready->status == "True";
  return said_so && std::ranges::none_of(node.taints, [](const model::Taint& taint) {
           return taint.key == "node.kubernetes.io/not-ready" ||
                  taint.key == "node.kubernetes.io/unreachable";
         });
}

// How far a shape is from using the node: the smaller, the more it is worth to speak of.
int distance(IdleReason reason) {
  switch (reason) {
    case IdleReason::node_cordoned:
    case IdleReason::node_tainted:
      return 1;
    case IdleReason::excluded:
      return 2;
    default:
      return 0;
  }
}

}  // namespace

std::int64_t IdleReasons::taken_by(const Candidate& candidate, std::size_t node) const {
  if (candidate.refusals.any(node)) return 0;
  // Pods that care about each other may exclude each other: one is certain.
  const std::size_t pods = candidate.counts ? core::room_on(cluster_, candidate.shape, node) : 1;
  return static_cast<std::int64_t>(pods) * candidate.shape.request(resource_);
}

std::int64_t IdleReasons::usable(std::size_t node, std::int64_t idle) const {
  std::int64_t most = 0;
  for (const Candidate* candidate : asking_) most = std::max(most, taken_by(*candidate, node));
  return std::min(most, idle);
}

bool IdleReasons::accepts(std::size_t node) const {
  return std::ranges::any_of(
      asking_, [&](const Candidate* candidate) { return !candidate->refusals.any(node); });
}

IdleReason IdleReasons::reason(std::size_t node, std::int64_t usable) const {
  TUTTI_CHECK(!asking_.empty());
  if (usable == 0 && !is_ready(cluster_.node({static_cast<std::uint32_t>(node)}))) {
    return IdleReason::node_not_ready;
  }
  std::optional<IdleReason> nearest;
  for (const Candidate* candidate : asking_) {
    if (usable > 0 && taken_by(*candidate, node) != usable) continue;
    const IdleReason found = obstacle(*candidate, node);
    if (!nearest || distance(found) < distance(*nearest)) nearest = found;
  }
  return nearest.value_or(IdleReason::too_few_left);
}

IdleReason IdleReasons::obstacle(const Candidate& candidate, std::size_t node) const {
  const Refusals& refusals = candidate.refusals;
  if (refusals.about(core::Concern::unschedulable, node)) return IdleReason::node_cordoned;
  if (refusals.about(core::Concern::taints, node)) return IdleReason::node_tainted;
  if (!refusals.any(node) || refusals.only_about(core::Concern::resources, node)) {
    return shortage(candidate, node);
  }
  if (refusals.only_about(core::Concern::devices, node)) {
    return candidate.drivers.size() > 1 ? IdleReason::claims_unserved : IdleReason::too_few_left;
  }
  return IdleReason::excluded;
}

IdleReason IdleReasons::shortage(const Candidate& candidate, std::size_t node) const {
  const auto& requests = candidate.shape.requests;
  std::vector<std::size_t> lacks(requests.size(), 0);
  core::count_what_runs_out(cluster_, candidate.shape, node, lacks);
  const auto is_short_of = [&](core::ResourceId resource) {
    for (std::size_t r = 0; r < lacks.size(); ++r) {
      if (requests[r].resource == resource) return lacks[r] > 0;
    }
    return false;
  };
  if (std::ranges::all_of(lacks, [](std::size_t lack) { return lack == 0; }) ||
      (resource_.valid() && is_short_of(resource_))) {
    return IdleReason::too_few_left;
  }
  if (is_short_of(core::kCpu)) return IdleReason::no_cpu;
  if (is_short_of(core::kMemory)) return IdleReason::no_memory;
  if (is_short_of(core::kPods)) return IdleReason::no_pod_slots;
  return IdleReason::no_other_resource;
}

}  // namespace tutti::capacity
