// What becomes of decisions on their way to the cluster. A gang that was never complete must not
// keep nodes below its minimum because a binding failed: the lost member is placed anew before
// anything else is tried, and if that fails the members already bound are taken back.
#include <fmt/format.h>

#include <algorithm>

#include "core/binding/intent.h"
#include "core/framework/transaction.h"
#include "core/scheduler/scheduler.h"

namespace tutti::core {
namespace {

// Binder tries the same node several times; a gang moves its lost member this often before giving
// up.
constexpr int kRepairsPerGang = 2;

// A pod the cluster refuses this often is tried on, but nobody waits for it.
constexpr std::uint32_t kHopelessAfter = 10;

}  // namespace

bool Scheduler::completes_a_gang(PodId pod) const {
  const GroupId leaf = group_of(pod);
  if (!leaf.valid()) return false;
  const auto root = groups_.root_of(leaf);
  if (!root) return false;
  const auto breaks = [&](GroupId group) {
    return !completed_.contains(group) && groups_[group].spec().policy.gang &&
           !groups_.satisfied(group, leaf);
  };
  return breaks(leaf) || breaks(*root);
}

// Whoever is placed while the gang is below its minimum answers for it until it is complete, be it
// for the first time or again after losing members.
void Scheduler::open_account(GroupId leaf, PodId pod) {
  const auto root = groups_.root_of(leaf);
  if (!root || groups_.complete(*root)) return;
  completed_.erase(*root);
  if (!groups_.complete(leaf)) completed_.erase(leaf);
  bound_by_us_[leaf].insert(pod);
}

void Scheduler::bind_finished(const PodReference& pod, const Status& outcome, Instant now) {
  const auto id = cluster_.find_pod(pod.uid);
  if (!id) return;
  const Binding* binding = binder_.find(*id);
  if (binding == nullptr) return;
  if (outcome.ok() && cluster_.node_alive(binding->node)) {
    write_scheduled(*id, binding->node, *binding->profile);
  }
  const auto failure = binder_.finished(*id, outcome, completes_a_gang(*id), now);
  if (!outcome.ok()) {
    repeat_intent(group_of(*id));
    const auto& meta = cluster_.pod(*id).object->meta;
    log({now,
         Decision::Kind::bind_failed,
         fmt::format("Pod {}/{}", meta.ns, meta.name),
         {},
         outcome.error().message,
         0});
  }
  if (failure) binding_failed(*failure, now);
  release_claims(now);
}

void Scheduler::binding_failed(const BindingFailure& failure, Instant now) {
  const PodId pod = failure.binding.pod;
  const GroupId leaf = group_of(pod);
  const Queue::FailedBinding failed{.why = failure.why,
                                    .failures = ++bind_failures_[pod],
                                    .repair = completes_a_gang(pod),
                                    .hopeless = bind_failures_[pod] > kHopelessAfter};
  release_placement(cluster_, *failure.binding.profile, pod);
  write_pod_failure(pod, Code::error, "binding failed: " + failure.why, *failure.binding.profile,
                    now);
  if (leaf.valid()) {
    groups_.add_pod(leaf, pod, GroupTable::Membership::pending);
    if (const auto held = bound_by_us_.find(leaf); held != bound_by_us_.end()) {
      held->second.erase(pod);
    }
    settle_intent_if_empty(leaf, now);
  }
  // The room it held is free again, for whoever waits for room.
  if (!failed.hopeless) {
    cluster_.raise_observed_version();
    wake({.kinds = EventKind::pod_removed,
          .node = failure.binding.node,
          .pod = cluster_.pod(pod).object.get()},
         false, now);
  }
  queue_.return_pod(pod, leaf, failed, now);
  if (failed.repair && ++repairs_[leaf] > kRepairsPerGang) take_back(leaf, failure.why, now);
  if (leaf.valid()) take_back_if_lost(leaf, now);
}

void Scheduler::abandon_bindings(NodeId node, Instant now) {
  const auto on_node = cluster_.pods_on(node);
  for (const PodId pod : std::vector<PodId>(on_node.begin(), on_node.end())) {
    if (!cluster_.pod(pod).assumed) continue;
    BindingFailure failure{{}, fmt::format("node {} is gone", cluster_.node_name(node))};
    failure.binding.pod = pod;
    failure.binding.node = node;
    failure.binding.profile = profile_for(*cluster_.pod(pod).object);
    binder_.forget(pod);
    binding_failed(failure, now);
  }
}

// Gives back what an incomplete gang holds by our decision, and with it the whole tree if that no
// longer stands without it.
void Scheduler::take_back(GroupId leaf, const std::string& why, Instant now) {
  if (!groups_.alive(leaf)) return;
  const auto root = groups_.root_of(leaf);
  if (!root) return;
  if (!completed_.contains(leaf) && !groups_.satisfied(leaf)) give_back_leaf(leaf, why, now);
  if (completed_.contains(*root) || groups_.satisfied(*root)) return;
  for (const GroupId other : groups_.leaves(*root)) give_back_leaf(other, why, now);
}

// A gang that can no longer reach its minimum with the members that exist has nothing to wait for.
void Scheduler::take_back_if_lost(GroupId leaf, Instant now) {
  if (!groups_.alive(leaf) || !bound_by_us_.contains(leaf)) return;
  const auto root = groups_.root_of(leaf);
  if (!root) return;
  const auto lost = [&](GroupId group) {
    return !completed_.contains(group) && !groups_.has_quorum(group);
  };
  if (lost(leaf) || lost(*root)) take_back(leaf, "too few members are left", now);
}

// Placements that did not reach the cluster are undone, members that did are evicted.
void Scheduler::give_back_leaf(GroupId leaf, const std::string& why, Instant now) {
  const Group& group = groups_[leaf];
  if (!group.seen() || !group.spec().policy.gang) return;
  auto held = bound_by_us_.extract(leaf);
  if (held.empty() || held.mapped().empty()) return;
  Decision decision{
      now, Decision::Kind::taken_back, "PodGroup " + group.ns + "/" + group.name, {}, why, 0};
  const std::string message = fmt::format(
      "gang {}/{} could not be completed and gives its nodes back: {}", group.ns, group.name, why);
  for (const PodId pod : held.mapped()) {
    const PodEntry& entry = cluster_.pod(pod);
    const auto& meta = entry.object->meta;
    decision.bindings.emplace_back(meta.ns + "/" + meta.name,
                                   entry.node.valid() ? cluster_.node_name(entry.node) : "");
    const Binding* binding = binder_.find(pod);
    if (binding != nullptr && binding->stage != Binding::Stage::in_flight) {
      give_back(pod, *binding->profile, now);
    } else {
      evict_incomplete(pod, leaf, message, now);
    }
  }
  repairs_.erase(leaf);
  log(std::move(decision));
  queue_.group_changed(leaf, false, now);
}

void Scheduler::give_back(PodId pod, const Profile& profile, Instant now) {
  const GroupId leaf = group_of(pod);
  binder_.forget(pod);
  release_placement(cluster_, profile, pod);
  groups_.add_pod(leaf, pod, GroupTable::Membership::pending);
  queue_.add_pod(pod, leaf, now);
}

void Scheduler::evict_incomplete(PodId pod, GroupId leaf, const std::string& message, Instant now) {
  const auto object = cluster_.pod(pod).object;
  groups_.add_pod(leaf, pod, GroupTable::Membership::leaving);
  vacate(leaf);
  port_.record({object, "Warning", std::string(kIncompleteReason), "Evicting", message,
                profile_for(*object)->scheduler_name});
  port_.evict({object->meta.ns, object->meta.name, object->meta.uid},
              {.type = "DisruptionTarget",
               .status = "True",
               .reason = std::string(kIncompleteReason),
               .message = message,
               .last_transition = now,
               .observed_generation = 0});
}

}  // namespace tutti::core
