#include "core/scheduler/binding_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/binding/intent.h"
#include "core/framework/reason_text.h"
#include "core/framework/transaction.h"
#include "core/scheduler/eviction_mark.h"

namespace tutti::core {
namespace {

// A pod the cluster refuses this often is tried on, but nobody waits for it.
constexpr std::uint32_t kHopelessAfter = 10;

// Whether the time that PreBind may take was up.
bool gave_up(const BindingFailure& failure, Instant now) {
  const Binding& binding = failure.binding;
  return binding.stage == Binding::Stage::pre_bind &&
         std::ranges::any_of(binding.profile->pre_bind, [&](const auto& plugin) {
           return now >= binding.since + plugin->timeout();
         });
}

}  // namespace

void BindingCycle::declare_intent(GroupId leaf, Instant now) {
  if (leaf.valid() && accounts_.has(leaf)) intents_.declare(leaf, now);
}

bool BindingCycle::advance(Instant now) {
  const auto due = binder_.next_wakeup();
  if (!due || *due > now) return false;
  const auto failures = binder_.advance(now);
  // None of them is on its way any more: a gang that is taken back for the sake of one has no other
  // of them to evict.
  for (const auto& failure : failures) {
    const PodId pod = failure.binding.pod;
    accounts_.take_off(state_.group_of(pod), pod);
  }
  for (const auto& failure : failures) failed(failure, now);
  // What was not ready in time for one member is not worth a wait of the others.
  for (const auto& failure : failures) {
    const GroupId leaf = state_.group_of(failure.binding.pod);
    if (leaf.valid() && gave_up(failure, now)) take_back(leaf, failure.why, now);
  }
  group_claims_.release(now);
  return true;
}

void BindingCycle::finished(const PodReference& pod, const Status& outcome, Instant now) {
  const auto id = state_.cluster.pods().find(pod.uid);
  if (!id) return;
  const Binding* binding = binder_.find(*id);
  if (binding == nullptr) return;
  if (outcome.ok() && state_.cluster.nodes().alive(binding->node)) {
    status_.write_scheduled(*id, binding->node, *binding->profile);
  }
  const auto failure = binder_.finished(*id, outcome, completes_a_gang(*id), now);
  if (!outcome.ok()) {
    intents_.repeat(state_.group_of(*id));
    const auto& meta = state_.cluster.pod(*id).object->meta;
    decisions_.add({.at = now,
                    .kind = Decision::Kind::bind_failed,
                    .entity = fmt::format("Pod {}/{}", meta.ns, meta.name),
                    .bindings = {},
                    .message = outcome.error().message,
                    .attempt = 0});
  }
  if (failure) failed(*failure, now);
  group_claims_.release(now);
}

void BindingCycle::assigned(PodId pod, Instant now) {
  failures_.erase(pod);
  const GroupId leaf = state_.group_of(pod);
  if (!leaf.valid()) return;
  const bool leaving = state_.cluster.pod(pod).object->meta.deletion.has_value();
  state_.groups.add_pod(
      leaf, pod, leaving ? GroupTable::Membership::leaving : GroupTable::Membership::assigned);
  for (const GroupId closed : accounts_.close_completed(leaf)) {
    intents_.settle(closed, "Bound", now);
  }
}

void BindingCycle::forget(PodId pod) {
  binder_.forget(pod);
  failures_.erase(pod);
}

void BindingCycle::lose_member(GroupId leaf, PodId pod) {
  if (accounts_.take_off(leaf, pod)) group_claims_.vacate(leaf);
}

bool BindingCycle::completes_a_gang(PodId pod) const {
  const GroupId leaf = state_.group_of(pod);
  return leaf.valid() && accounts_.needs_every_member(leaf);
}

void BindingCycle::failed(const BindingFailure& failure, Instant now) {
  const PodId pod = failure.binding.pod;
  const GroupId leaf = state_.group_of(pod);
  const std::uint32_t failures = ++failures_[pod];
  const Queue::FailedBinding lost{.why = failure.why,
                                  .failures = failures,
                                  .repair = completes_a_gang(pod),
                                  .hopeless = failures > kHopelessAfter};
  release_placement(state_.cluster, *failure.binding.profile, pod);
  status_.write_pod_failure(pod, Code::error, binding_failed_text(failure.why),
                            *failure.binding.profile, now);
  if (leaf.valid()) {
    state_.groups.add_pod(leaf, pod, GroupTable::Membership::pending);
    accounts_.take_off(leaf, pod);
    group_claims_.close_intent_if_empty(leaf, now);
  }
  // The room it held is free again, for whoever waits for room.
  if (!lost.hopeless) {
    state_.cluster.raise_observed_version();
    state_.queue.wake({.kinds = EventKind::pod_removed,
                       .node = failure.binding.node,
                       .pod = state_.cluster.pod(pod).object.get()},
                      now);
  }
  state_.queue.return_pod(pod, leaf, lost, now);
  if (lost.repair && !accounts_.may_repair(leaf)) take_back(leaf, failure.why, now);
  if (leaf.valid()) take_back_if_lost(leaf, now);
}

void BindingCycle::abandon(NodeId node, Instant now) {
  const auto on_node = state_.cluster.pods().on(node);
  for (const PodId pod : std::vector<PodId>(on_node.begin(), on_node.end())) {
    if (!state_.cluster.pod(pod).assumed) continue;
    BindingFailure failure{.binding = {},
                           .why = fmt::format("node {} is gone", state_.cluster.node_name(node))};
    failure.binding.pod = pod;
    failure.binding.node = node;
    failure.binding.profile = state_.profile_for(*state_.cluster.pod(pod).object);
    binder_.forget(pod);
    failed(failure, now);
  }
}

void BindingCycle::take_back(GroupId leaf, const std::string& why, Instant now) {
  const GroupTable& groups = state_.groups;
  if (!groups.alive(leaf)) return;
  const auto root = groups.root_of(leaf);
  if (!root) return;
  if (accounts_.falls_short(leaf)) give_back_leaf(leaf, why, now);
  if (!accounts_.falls_short(*root)) return;
  for (const GroupId other : groups.leaves(*root)) give_back_leaf(other, why, now);
}

void BindingCycle::take_back_if_lost(GroupId leaf, Instant now) {
  if (!state_.groups.alive(leaf) || !accounts_.has(leaf)) return;
  if (accounts_.is_lost(leaf)) take_back(leaf, "too few members are left", now);
}

// Undoes placements that did not reach the cluster, and evicts members that did.
void BindingCycle::give_back_leaf(GroupId leaf, const std::string& why, Instant now) {
  const Group& group = state_.groups[leaf];
  if (!group.seen() || !group.spec().policy.gang) return;
  const std::set<PodId> held = accounts_.take(leaf);
  if (held.empty()) return;
  Decision decision{.at = now,
                    .kind = Decision::Kind::taken_back,
                    .entity = "PodGroup " + group.ns + "/" + group.name,
                    .bindings = {},
                    .message = why,
                    .attempt = 0};
  const std::string message = fmt::format(
      "gang {}/{} could not be completed and gives its nodes back: {}", group.ns, group.name, why);
  for (const PodId pod : held) {
    const PodEntry& entry = state_.cluster.pod(pod);
    const auto& meta = entry.object->meta;
    decision.bindings.emplace_back(meta.ns + "/" + meta.name,
                                   entry.node.valid() ? state_.cluster.node_name(entry.node) : "");
    const Binding* binding = binder_.find(pod);
    if (binding != nullptr && binding->stage != Binding::Stage::in_flight) {
      give_back(pod, *binding->profile, now);
    } else {
      evict_incomplete(pod, leaf, message, now);
    }
  }
  accounts_.end_repairs(leaf);
  decisions_.add(decision);
  state_.queue.group_changed(leaf, GroupNews::other, now);
}

void BindingCycle::give_back(PodId pod, const Profile& profile, Instant now) {
  const GroupId leaf = state_.group_of(pod);
  binder_.forget(pod);
  release_placement(state_.cluster, profile, pod);
  state_.groups.add_pod(leaf, pod, GroupTable::Membership::pending);
  state_.queue.add_pod(pod, leaf, now);
}

void BindingCycle::evict_incomplete(PodId pod, GroupId leaf, const std::string& message,
                                    Instant now) {
  const auto object = state_.cluster.pod(pod).object;
  const auto& meta = object->meta;
  state_.groups.add_pod(leaf, pod, GroupTable::Membership::leaving);
  group_claims_.vacate(leaf);
  port_.record({.about = object,
                .type = "Warning",
                .reason = std::string(kIncompleteReason),
                .action = "Evicting",
                .message = message,
                .scheduler = state_.profile_for(*object)->scheduler_name});
  port_.evict({.ns = meta.ns, .name = meta.name, .uid = meta.uid},
              incomplete_gang_mark(message, now));
}

// Whether the pod's binding waits for what it waited for in vain before, or is held back for the
// sake of a member that does: such a binding has no timer of its own.
bool BindingCycle::in_vain(PodId pod) const {
  using Stage = Binding::Stage;
  const Binding* binding = binder_.find(pod);
  if (binding == nullptr) return false;
  return binding->stage == Stage::pre_bind ? failures_.contains(pod)
                                           : binding->stage == Stage::permit && !binding->timer;
}

bool BindingCycle::all_in_vain() const {
  if (failures_.empty() || binder_.next_wakeup() == Instant::min()) return false;
  for (std::uint32_t i = 0; i < state_.cluster.pods().slots(); ++i) {
    const PodEntry& entry = state_.cluster.pod({i});
    if (entry.object != nullptr && entry.assumed && !in_vain({i})) return false;
  }
  return true;
}

}  // namespace tutti::core
