#include "core/scheduler/what_if.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "core/framework/transaction.h"
#include "core/preemption/eviction_search.h"

namespace tutti::core {
namespace {

using PodPtr = std::shared_ptr<const model::Pod>;

// Only as many members of a single gang as it still needs.
Subtree least_of(const GroupTable& groups, Subtree tree) {
  if (!tree.group.valid() || groups[tree.group].composite) return tree;
  const Group& group = groups[tree.group];
  const auto minimum = static_cast<std::size_t>(std::max(group.spec().policy.minimum, 1));
  const std::size_t running = group.scheduled_count();
  const std::size_t missing = minimum > running ? minimum - running : 1;
  if (group.spec().policy.gang && tree.members.size() > missing) {
    tree.members.resize(missing);
    tree.facts.reset();
  }
  return tree;
}

}  // namespace

WhatIf::WhatIf(SchedulerState& state, Cycle& cycle, Eviction& eviction, Instant now)
    : state_(state),
      cycle_(cycle),
      eviction_(eviction),
      cluster_(state.cluster),
      groups_(state.groups),
      now_(now),
      observed_version_(state.cluster.versions().observed),
      group_absence_(cluster_, groups_) {}

WhatIf::~WhatIf() {
  roll_back(0);
  state_.queue.tried_against(observed_version_, cluster_.versions().observed);
}

void WhatIf::roll_back(Checkpoint to) {
  while (undo_.size() > to) {
    undo_.back()();
    undo_.pop_back();
  }
}

void WhatIf::set_pod(PodPtr pod) {
  if (const auto known = cluster_.pods().find(pod->meta.uid)) {
    undo_.push_back(
        [this, id = *known, before = cluster_.pod(*known).object] { replace_pod(id, before); });
    return replace_pod(*known, std::move(pod));
  }
  const PodId id = cluster_.set_pod(pod);
  state_.join_group(id, *pod, GroupTable::Membership::pending);
  undo_.push_back([this, id] {
    if (const GroupId group = state_.group_of(id); group.valid()) {
      state_.leaf_of.erase(id);
      groups_.remove_pod(group, id);
    }
    cluster_.remove_pod(id);
  });
}

void WhatIf::replace_pod(PodId id, PodPtr pod) {
  groups_.touch(state_.group_of(id));
  if (cluster_.pod(id).node.valid()) {
    cluster_.refresh_pod(id, std::move(pod));
  } else {
    cluster_.set_pod(std::move(pod));
  }
}

void WhatIf::set_group(const model::ObjectPtr& group) {
  const auto set = [this](const model::ObjectPtr& object) {
    if (object->kind == model::Kind::composite_pod_group) {
      return groups_.set(std::static_pointer_cast<const model::CompositePodGroup>(object));
    }
    return groups_.set(std::static_pointer_cast<const model::PodGroup>(object));
  };
  const bool composite = group->kind == model::Kind::composite_pod_group;
  const auto known = groups_.find(group->meta.ns, group->meta.name, composite);
  if (known && groups_[*known].seen()) {
    model::ObjectPtr before = groups_[*known].pod_group;
    if (composite) before = groups_[*known].composite_group;
    undo_.push_back([set, before] { set(before); });
    set(group);
    return;
  }
  const GroupId id = set(group);
  undo_.push_back([this, id] { groups_.remove_object(id); });
}

void WhatIf::set_node(std::shared_ptr<const model::Node> node) {
  const auto known = cluster_.nodes().find(node->meta.name);
  TUTTI_CHECK(known.has_value(), "nodes change in a rehearsal, they do not come");
  auto before = std::make_shared<const model::Node>(cluster_.node(*known));
  undo_.push_back([this, before = std::move(before)] { cluster_.set_node(before); });
  cluster_.set_node(std::move(node));
}

void WhatIf::set_object(const model::ObjectPtr& object) {
  const model::ObjectKey key = model::key_of(*object);
  const auto& known = cluster_.objects(object->kind);
  const auto at = known.find(key);
  if (at == known.end()) {
    undo_.push_back([this, key] { cluster_.remove_object(key); });
  } else {
    undo_.push_back([this, before = at->second] { cluster_.set_object(before); });
  }
  cluster_.set_object(object);
}

void WhatIf::remove_object(const model::ObjectPtr& object) {
  undo_.push_back([this, object] { cluster_.set_object(object); });
  cluster_.remove_object(model::key_of(*object));
}

void WhatIf::end_pods(std::span<const PodId> pods) { remove_pods(pods, Leaving::by_itself); }

void WhatIf::remove_pods(std::span<const PodId> pods, Leaving leaving) {
  const bool evicted = leaving == Leaving::evicted;
  for (const PodId pod : pods) {
    if (!ended_.insert(pod).second) continue;
    const NodeId node = cluster_.pod(pod).node;
    if (node.valid()) {
      group_absence_.lift(pod, evicted);
      cluster_.lift(pod);
    }
    undo_.push_back([this, pod, node, evicted] {
      ended_.erase(pod);
      if (!node.valid()) return;
      group_absence_.put_back(pod, evicted);
      cluster_.put_back(pod, node);
    });
  }
}

std::optional<Entity> WhatIf::entity_of(PodId pod) const {
  const model::Pod& object = *cluster_.pod(pod).object;
  Entity entity;
  entity.profile = state_.profile_for(object);
  const GroupId leaf = state_.group_of(pod);
  if (leaf.valid()) {
    const auto root = groups_.root_of(leaf);
    if (!root) return std::nullopt;
    entity.root = *root;
    entity.name = groups_[*root].ns + "/" + groups_[*root].name;
    entity.priority = groups_[*root].priority();
  } else {
    entity.pod = pod;
    entity.name = object.meta.ns + "/" + object.meta.name;
    entity.priority = object.priority.value_or(0);
  }
  const Entity* queued = state_.queue.entity_of(pod);
  entity.queued_at = queued != nullptr ? queued->queued_at : now_;
  entity.repairing = queued != nullptr && queued->repairing;
  add_members(entity);
  return entity;
}

void WhatIf::add_members(Entity& entity) const {
  const Entity* queued = entity.lone() ? nullptr : state_.queue.entity_of_root(entity.root);
  const std::uint64_t attempts = queued != nullptr ? queued->attempts : 0;
  const auto add = [&](PodId pod) {
    const Member* known = state_.queue.member(pod);
    entity.members.emplace(pod,
                           known ? *known : Member{.pod = pod, .joined = attempts, .added = now_});
  };
  if (entity.lone()) return add(entity.pod);
  for (const GroupId leaf : groups_.leaves(entity.root)) {
    for (const PodId pod : groups_[leaf].pending) {
      if (state_.profile_for(*cluster_.pod(pod).object) != nullptr) add(pod);
    }
  }
}

bool WhatIf::passes(const Entity& entity) const {
  return std::ranges::all_of(entity.members, [&](const auto& member) {
    const Profile* profile = state_.profile_for(*cluster_.pod(member.first).object);
    return std::ranges::all_of(profile->pre_enqueue, [&](const auto& plugin) {
      const PluginStatus verdict = plugin->pre_enqueue(cluster_, groups_, member.first);
      return verdict.success() || verdict.code == Code::skip;
    });
  });
}

WhatIf::Outcome WhatIf::attempt(const Question& question) {
  Outcome outcome;
  const auto entity = entity_of(question.pod);
  if (!entity || entity->profile == nullptr) return outcome;
  // Enough of it may run already.
  if (outcome.runs = would_run(question, {}); outcome.runs || !passes(*entity)) return outcome;
  Transaction transaction(cluster_);
  if (question.others_first && !place_others(transaction, *entity, question.also)) return outcome;
  if (!question.also.empty()) {
    outcome.runs = place_together(transaction, question, outcome);
    return outcome;
  }
  const Transaction::Checkpoint own = transaction.checkpoint();
  const Solution solution = solve(transaction, *entity);
  if (solution.success()) {
    const auto placed = transaction.placed(own);
    outcome.placed.assign(placed.begin(), placed.end());
    outcome.placement = solution.placement;
    outcome.runs = would_run(question, outcome.placed);
  } else if (solution.code == Code::unschedulable && !entity->repairing) {
    evict_for(*entity, outcome);
    outcome.runs = !outcome.placed.empty() && would_run(question, outcome.placed);
  }
  return outcome;
}

Solution WhatIf::solve(Transaction& transaction, const Entity& entity) {
  Reservations::Blind blind(eviction_.reservations(), key_of(entity), entity.priority);
  const Subtree tree = cycle_.tree_of(entity, state_.leaf_of);
  Solution solution = cycle_.solve(transaction, entity, tree);
  if (solution.code == Code::unschedulable && blind.past_lower()) {
    solution = cycle_.solve(transaction, entity, tree);
  }
  return solution;
}

bool WhatIf::place_together(Transaction& transaction, const Question& question, Outcome& outcome) {
  const auto runs = [&](PodId pod) {
    const auto entity = entity_of(pod);
    if (!entity || entity->profile == nullptr || !passes(*entity)) return false;
    const Solution solution = solve(transaction, *entity);
    if (solution.success()) return true;
    return solution.code == Code::unschedulable && make_room(transaction, *entity, outcome);
  };
  return runs(question.pod) && std::ranges::all_of(question.also, runs);
}

// Whoever gives way is gone for the rest of the rehearsal.
bool WhatIf::make_room(Transaction& transaction, const Entity& entity, Outcome& outcome) {
  Preemption::Plan made = victims_for(entity);
  const auto placed = transaction.placed();
  const bool clear = std::ranges::none_of(made.victims, [&](PodId victim) {
    return std::ranges::count(placed, victim, &ProposedPod::pod) > 0;
  });
  if (made.places.empty() || !clear) return false;
  remove_pods(made.victims, Leaving::evicted);
  outcome.preemptions.push_back(std::move(made.report));
  return std::ranges::all_of(made.places, [&](const ProposedPod& member) {
    return transaction.place(member.pod, member.node, *entity.profile).success();
  });
}

bool WhatIf::place_others(Transaction& transaction, const Entity& asker,
                          std::span<const PodId> also) {
  const std::unordered_set<PodId> own(also.begin(), also.end());
  const Entity* queued = state_.queue.entity_of(asker.members.begin()->first);
  std::optional<PodClass> refused;  // of a lone pod, since when nobody was placed
  for (const Entity* other : state_.queue.in_order()) {
    if (other == queued || has_ended(*other)) continue;
    if (other->lone() && own.contains(other->pod)) continue;
    if (!Queue::goes_before(*other, asker)) break;
    if (other->lone() && refused) {
      const PodClass same = cluster_.class_of(other->pod);
      if (same.shape == refused->shape && same.labels == refused->labels &&
          same.claims == refused->claims && same.apart == refused->apart) {
        continue;
      }
    }
    const auto before = transaction.checkpoint();
    if (!try_other(transaction, asker, *other)) return false;
    const bool placed = transaction.checkpoint() > before;
    if (placed) refused.reset();
    if (!placed && other->lone()) refused = cluster_.class_of(other->pod);
  }
  return true;
}

// Whoever gives way for it is gone for the rest of the rehearsal.
bool WhatIf::try_other(Transaction& transaction, const Entity& asker, const Entity& other) {
  const Solution solution = solve(transaction, other);
  if (solution.code != Code::unschedulable || undo_.empty()) return true;
  const Preemption::Plan made = victims_for(other);
  if (made.victims.empty()) return true;
  const auto placed = transaction.placed();
  const bool clear = std::ranges::none_of(made.victims, [&](PodId victim) {
    const GroupId leaf = state_.group_of(victim);
    return std::ranges::count(placed, victim, &ProposedPod::pod) > 0 ||
           (leaf.valid() && !asker.lone() && groups_.root_of(leaf) == asker.root);
  });
  if (!clear) return false;
  remove_pods(made.victims, Leaving::evicted);
  return std::ranges::all_of(made.places, [&](const ProposedPod& member) {
    return transaction.place(member.pod, member.node, *other.profile).success();
  });
}

bool WhatIf::has_ended(const Entity& entity) const {
  return std::ranges::any_of(entity.members,
                             [&](const auto& member) { return ended_.contains(member.first); });
}

std::shared_ptr<const PreemptionReport> WhatIf::account(const Question& question) {
  const auto entity = entity_of(question.pod);
  if (!entity || entity->profile == nullptr || !passes(*entity)) return nullptr;
  const Reservation* hold = eviction_.reservations().find(key_of(*entity));
  const PreemptionReport* under_way = hold != nullptr ? hold->report.get() : nullptr;
  return eviction_.rehearse(*entity, Eviction::Account::everyone, under_way, now_).report;
}

void WhatIf::evict_for(const Entity& entity, Outcome& outcome) {
  Preemption::Plan made = victims_for(entity);
  if (made.report != nullptr) outcome.preemptions.push_back(std::move(made.report));
  outcome.placed = std::move(made.places);
}

// Counts the placed members as theirs while it looks.
bool WhatIf::would_run(const Question& question, std::span<const ProposedPod> placed) {
  if (!question.group.valid()) {
    return std::ranges::any_of(
        placed, [&](const ProposedPod& member) { return member.pod == question.pod; });
  }
  const auto count_as = [&](GroupTable::Membership membership) {
    for (const ProposedPod& member : placed) {
      const GroupId leaf = state_.group_of(member.pod);
      if (leaf.valid()) groups_.add_pod(leaf, member.pod, membership);
    }
  };
  count_as(GroupTable::Membership::assumed);
  const bool gang = groups_[question.group].spec().policy.gang;
  const bool runs = gang ? groups_.satisfied(question.group)
                         : std::ranges::all_of(groups_.leaves(question.group), [&](GroupId leaf) {
                             return groups_[leaf].pending.empty();
                           });
  count_as(GroupTable::Membership::pending);
  return runs;
}

std::optional<std::vector<std::uint32_t>> WhatIf::fewest_to_end(const Question& question,
                                                                std::span<const PodSet> sets) {
  if (!question.also.empty()) return fewest_for_all(question, sets);
  const auto entity = entity_of(question.pod);
  if (!entity || entity->profile == nullptr || !passes(*entity)) return std::nullopt;
  return fewest_for(*entity, sets);
}

// Chooses the sets that the first pod needs, then those that the next needs beside them, and so on.
std::optional<std::vector<std::uint32_t>> WhatIf::fewest_for_all(const Question& question,
                                                                 std::span<const PodSet> sets) {
  const Checkpoint before = checkpoint();
  Transaction transaction(cluster_);
  std::vector<std::uint32_t> left(sets.size());
  std::iota(left.begin(), left.end(), 0U);
  std::vector<std::uint32_t> chosen;
  const auto makes_room = [&](PodId pod) {
    const auto entity = entity_of(pod);
    if (!entity || entity->profile == nullptr || !passes(*entity)) return false;
    if (solve(transaction, *entity).success()) return true;
    std::vector<PodSet> rest;
    for (const std::uint32_t set : left) rest.push_back(sets[set]);
    const auto found = fewest_for(*entity, rest);
    if (!found) return false;
    for (const std::uint32_t index : *found) {
      end_pods(rest[index]);
      chosen.push_back(left[index]);
    }
    std::erase_if(left, [&](std::uint32_t set) { return std::ranges::count(chosen, set) > 0; });
    return solve(transaction, *entity).success();
  };
  const bool all = makes_room(question.pod) && std::ranges::all_of(question.also, makes_room);
  transaction.roll_back(0);
  roll_back(before);
  return all ? std::optional(std::move(chosen)) : std::nullopt;
}

std::optional<std::vector<std::uint32_t>> WhatIf::fewest_for(const Entity& entity,
                                                             std::span<const PodSet> sets) {
  VictimTable table;
  for (const PodSet pods : sets) {
    VictimUnit unit;
    unit.cost = 1;
    unit.first_pod = static_cast<std::uint32_t>(table.pods.size());
    unit.pod_count = static_cast<std::uint32_t>(pods.size());
    table.pods.insert(table.pods.end(), pods.begin(), pods.end());
    table.units.push_back(unit);
  }
  const Reservations::Blind blind(eviction_.reservations(), key_of(entity), entity.priority,
                                  Reservations::Blind::Past::lower);
  const Subtree tree = least_of(groups_, cycle_.tree_of(entity, state_.leaf_of));
  const auto found = EvictionSearch(cluster_, groups_, cycle_.evaluations(), *entity.profile, tree,
                                    table, cycle_.search_budget())
                         .run();
  if (!found) return std::nullopt;
  return found->units;
}

std::vector<std::int32_t> WhatIf::priorities_with_room_kept() const {
  std::vector<std::int32_t> priorities;
  if (eviction_.reservations().empty()) return priorities;
  for (const Entity* entity : state_.queue.in_order()) {
    const Reservation* hold = eviction_.reservations().find(key_of(*entity));
    if (hold != nullptr) priorities.push_back(hold->priority);
  }
  return priorities;
}

void WhatIf::for_each_running(const std::function<void(const Running&)>& look) {
  VictimCache& memory = eviction_.victim_cache();
  for (const NodeId node : nodes_by_name(cluster_)) {
    for (const PodId pod : memory.in_order(cluster_, node)) {
      const VictimCache::Facts& facts = memory.facts(cluster_, pod);
      const bool leaving = facts.terminating || eviction_.reservations().condemned().contains(pod);
      look({pod, node, facts.in_group ? state_.group_of(pod) : GroupId{}, leaving, facts});
    }
  }
}

}  // namespace tutti::core
