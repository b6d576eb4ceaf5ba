#include "core/absence.h"

#include "base/check.h"

namespace tutti::core {

Absence::Absence(Cluster& cluster, const VictimTable& victims)
    : cluster_(cluster), victims_(victims), away_(victims.units.size(), false) {
  homes_.reserve(victims.pods.size());
  for (const PodId pod : victims.pods) homes_.push_back(cluster.pod(pod).node);
  for (const PodId pod : victims.leaving) {
    leaving_homes_.push_back(cluster.pod(pod).node);
    cluster.lift(pod);
  }
}

Absence::~Absence() {
  only({});
  for (std::size_t i = 0; i < leaving_homes_.size(); ++i) {
    cluster_.put_back(victims_.leaving[i], leaving_homes_[i]);
  }
}

void Absence::lift(std::uint32_t unit) {
  TUTTI_CHECK(!away_[unit]);
  for (const PodId pod : victims_.pods_of(victims_.units[unit])) cluster_.lift(pod);
  away_[unit] = true;
}

void Absence::put_back(std::uint32_t index) {
  TUTTI_CHECK(away_[index]);
  const VictimUnit& unit = victims_.units[index];
  for (std::uint32_t i = 0; i < unit.pod_count; ++i) {
    const std::uint32_t at = unit.first_pod + i;
    cluster_.put_back(victims_.pods[at], homes_[at]);
  }
  away_[index] = false;
}

void Absence::only(std::span<const std::uint32_t> units) {
  std::vector<bool> wanted(away_.size(), false);
  for (const std::uint32_t unit : units) wanted[unit] = true;
  for (std::uint32_t unit = 0; unit < away_.size(); ++unit) {
    if (away_[unit] && !wanted[unit]) put_back(unit);
    if (!away_[unit] && wanted[unit]) lift(unit);
  }
}

void Absence::everyone() {
  for (std::uint32_t unit = 0; unit < away_.size(); ++unit) {
    if (!away_[unit]) lift(unit);
  }
}

}  // namespace tutti::core
