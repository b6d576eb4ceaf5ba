#include "core/preemption/lifted_victims.h"

#include "base/check.h"

namespace tutti::core {

LiftedVictims::LiftedVictims(Cluster& cluster, const GroupTable& groups, const VictimTable& victims)
    : cluster_(cluster),
      groups_(groups),
      victims_(victims),
      group_absence_(cluster, groups),
      away_(victims.units.size(), false) {
  homes_.reserve(victims.pods.size());
  for (const PodId pod : victims.pods) homes_.push_back(cluster.pod(pod).node);
  for (const PodId pod : victims.leaving) {
    leaving_homes_.push_back(cluster.pod(pod).node);
    lift_pod(pod, was_evicted(pod));
  }
}

LiftedVictims::~LiftedVictims() {
  only({});
  for (std::size_t i = 0; i < leaving_homes_.size(); ++i) {
    const PodId pod = victims_.leaving[i];
    put_back_pod(pod, leaving_homes_[i], was_evicted(pod));
  }
}

void LiftedVictims::lift_pod(PodId pod, bool evicted) {
  group_absence_.lift(pod, evicted);
  cluster_.lift(pod);
}

void LiftedVictims::put_back_pod(PodId pod, NodeId node, bool evicted) {
  group_absence_.put_back(pod, evicted);
  cluster_.put_back(pod, node);
}

bool LiftedVictims::was_evicted(PodId leaving) const {
  if (victims_.vacating == nullptr || victims_.vacating->empty()) return false;
  const model::Pod& pod = *cluster_.pod(leaving).object;
  const auto leaf = groups_.find(pod.meta.ns, pod.spec->scheduling_group, false);
  return leaf && victims_.vacating->contains(*leaf);
}

void LiftedVictims::lift(std::uint32_t unit) {
  TUTTI_CHECK(!away_[unit]);
  for (const PodId pod : victims_.pods_of(victims_.units[unit])) {
    lift_pod(pod, victims_.vacating != nullptr);
  }
  away_[unit] = true;
}

void LiftedVictims::put_back(std::uint32_t index) {
  TUTTI_CHECK(away_[index]);
  const VictimUnit& unit = victims_.units[index];
  for (std::uint32_t i = 0; i < unit.pod_count; ++i) {
    const std::uint32_t at = unit.first_pod + i;
    put_back_pod(victims_.pods[at], homes_[at], victims_.vacating != nullptr);
  }
  away_[index] = false;
}

void LiftedVictims::only(std::span<const std::uint32_t> units) {
  std::vector<bool> wanted(away_.size(), false);
  for (const std::uint32_t unit : units) {
    TUTTI_CHECK(unit < wanted.size(), "a unit of another table");
    wanted[unit] = true;
  }
  for (std::uint32_t unit = 0; unit < away_.size(); ++unit) {
    if (away_[unit] && !wanted[unit]) put_back(unit);
    if (!away_[unit] && wanted[unit]) lift(unit);
  }
}

void LiftedVictims::everyone() {
  for (std::uint32_t unit = 0; unit < away_.size(); ++unit) {
    if (!away_[unit]) lift(unit);
  }
}

}  // namespace tutti::core
