#include "capacity/evictions.h"

#include <limits>
#include <optional>
#include <set>
#include <unordered_set>

#include "capacity/copy/imagined_gang.h"
#include "capacity/copy/rehearsal.h"
#include "capacity/device_use.h"
#include "core/preemption/preemption.h"
#include "explain/verdict/preemption.h"

namespace tutti::capacity {
namespace {

constexpr std::size_t kRehearsed = 3;
// The highest a user may give; what is above belongs to the system.
constexpr std::int32_t kHighest = 1'000'000'000;

core::GroupId group_of(const ClusterCopy& twin, core::PodId pod) {
  const model::Pod& object = *twin.cluster().pod(pod).object;
  if (object.spec->scheduling_group.empty()) return {};
  return twin.groups()
      .find(object.meta.ns, object.spec->scheduling_group, false)
      .value_or(core::GroupId{});
}

DeviceCounts devices_asked(const core::Cluster& cluster,
                           const std::vector<core::ProposedPod>& places) {
  DeviceCounts counts;
  for (const core::ProposedPod& place : places) {
    for (const auto& [resource, amount] : cluster.shape(cluster.pod(place.pod).shape).requests) {
      const std::string_view name = cluster.resources().name(resource);
      if (counts_devices(name)) counts[std::string(name)] += static_cast<std::size_t>(amount);
    }
  }
  return counts;
}

std::optional<Eviction> rehearse(ClusterCopy& twin, const Waiting& waiting, Instant now) {
  const core::Entity entity = entity_of(twin, waiting, kHighest);
  core::Preemption preemption(twin.cluster(), twin.groups(), twin.evaluations(), kTrialBudget,
                              true);
  preemption.noticed(std::numeric_limits<std::int32_t>::min());
  const std::unordered_set<core::PodId> condemned;
  const std::set<std::string> spared;
  const core::Vacating vacating;
  const core::Preemption::Plan plan = preemption.plan(
      entity, [&] { return tree_of(twin, waiting); },
      {[&](core::PodId pod) { return group_of(twin, pod); }, condemned, spared, vacating, now});
  using Outcome = core::PreemptionReport::Outcome;
  const bool answer =
      plan.report->outcome == Outcome::evicting || plan.report->outcome == Outcome::useless;
  if (!answer) return std::nullopt;
  Eviction made;
  made.name = waiting.name;
  made.pods = plan.places.size();
  made.devices = devices_asked(twin.cluster(), plan.places);
  made.priority = waiting.priority;
  made.verdict = explain::describe(*plan.report);
  if (plan.report->outcome == Outcome::evicting) {
    made.priority_needed = plan.report->harm.priority + 1;
  }
  return made;
}

}  // namespace

std::vector<Eviction> evictions(ClusterCopy& twin, const Queue& queue, Instant now) {
  std::vector<Eviction> made;
  for (const Waiting& waiting : queue.lines) {
    if (made.size() == kRehearsed) break;
    if (!lacks_room(waiting)) continue;
    if (auto eviction = rehearse(twin, waiting, now)) made.push_back(*std::move(eviction));
  }
  return made;
}

}  // namespace tutti::capacity
