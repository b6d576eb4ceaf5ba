#include "core/victims.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/grudges.h"
#include "core/victim_cost.h"
#include "expr/label_selector.h"
#include "model/apps.h"

namespace tutti::core {
namespace {

// A pod that should be gone for longer than this is stuck: nobody waits for it.
constexpr Millis kOverdue = std::chrono::seconds(30);

// Disruption budgets by namespace, with their place in VictimTable::allowances.
class Budgets {
 public:
  Budgets(const Cluster& cluster, VictimTable& table) : table_(table) {
    for (const auto& [key, object] : cluster.objects(model::Kind::pod_disruption_budget)) {
      const auto& budget = model::as<model::PodDisruptionBudget>(*object);
      if (!budget.selector || *budget.selector == model::LabelSelector{}) continue;
      by_ns_[key.ns].push_back({&budget, static_cast<std::uint32_t>(table.allowances.size())});
      table.allowances.push_back(budget.disruptions_allowed);
    }
  }
  bool none() const { return by_ns_.empty(); }
  void count(const model::Pod& pod) {
    if (pod.meta.labels.empty()) return;
    const auto here = by_ns_.find(pod.meta.ns);
    if (here == by_ns_.end()) return;
    const auto find = [&](std::string_view key) -> std::optional<std::string_view> {
      const std::string* value = model::find(pod.meta.labels, key);
      return value != nullptr ? std::optional<std::string_view>(*value) : std::nullopt;
    };
    for (const auto& [budget, index] : here->second) {
      if (std::ranges::count(budget->disrupted_pods, pod.meta.name) > 0) continue;
      if (expr::matches(*budget->selector, find)) table_.budget_uses.push_back(index);
    }
  }

 private:
  struct Entry {
    const model::PodDisruptionBudget* budget;
    std::uint32_t index;
  };
  VictimTable& table_;
  std::map<std::string, std::vector<Entry>, std::less<>> by_ns_;
};

class Collector {
 public:
  explicit Collector(const VictimQuery& query)
      : query_(query), cluster_(query.cluster), groups_(query.groups), budgets_(cluster_, table_) {}

  VictimTable run() {
    table_.vacating = &query_.vacating;
    for (const NodeId node : nodes_by_name(cluster_)) {
      for (const PodId pod : query_.memory.in_order(cluster_, node)) {
        look_at(pod);
      }
    }
    return std::move(table_);
  }

 private:
  // How a pod falls, and what it is worth.
  struct Standing {
    GroupId unit;  // invalid: by itself
    GroupId leaf;
    std::int32_t priority = 0;
  };

  using Facts = VictimMemory::Facts;
  const Facts& facts(PodId pod) const { return query_.memory.facts(cluster_, pod); }

  // Than the preemptor.
  bool matters_less(const Standing& standing, PodId pod) {
    if (standing.leaf.valid() && query_.preemptor_root.valid() &&
        groups_.root_of(standing.leaf) == query_.preemptor_root) {
      return false;
    }
    table_.lowest = std::min(table_.lowest, standing.priority);
    if (standing.priority < query_.priority) return true;
    ++table_.not_lower;
    if (query_.thorough) pass_over(standing, pod);
    return false;
  }

  void pass_over(const Standing& standing, PodId pod) {
    if (standing.unit.valid() && !seen_.emplace(standing.unit).second) return;
    const bool same = standing.priority == query_.priority;
    table_.refusals.push_back(
        {pod, standing.unit, same ? Refusal::equal_priority : Refusal::higher_priority,
         fmt::format("has {} priority, {}", same ? "the same" : "a higher", standing.priority)});
  }

  void look_at(PodId pod) {
    const Facts& known = facts(pod);
    if (is_leaving(pod, known)) return table_.leaving.push_back(pod);
    const Standing standing = standing_of(pod, known);
    if (!matters_less(standing, pod)) return;
    if (is_simple(pod, known)) return add_simple(pod, known);
    if (!standing.unit.valid()) return consider(standing, {&pod, 1});
    if (const bool fresh = seen_.emplace(standing.unit).second; !fresh) return;
    consider(standing, scheduled_under(standing.unit));
  }

  // Most pods are: nobody spares them, and nothing but their facts says what their eviction does.
  bool is_simple(PodId pod, const Facts& known) const {
    return known.plain && !known.terminating && budgets_.none() && query_.spared.empty() &&
           !cluster_.pod(pod).assumed;
  }
  void add_simple(PodId pod, const Facts& known) {
    VictimUnit unit;
    unit.priority = known.priority;
    unit.first_pod = static_cast<std::uint32_t>(table_.pods.size());
    unit.pod_count = 1;
    unit.first_budget = static_cast<std::uint32_t>(table_.budget_uses.size());
    if (query_.cost_aware) unit.cost = known.cost.at(query_.now);
    table_.pods.push_back(pod);
    table_.units.push_back(unit);
  }

  bool is_leaving(PodId pod) const { return is_leaving(pod, facts(pod)); }
  bool is_leaving(PodId pod, const Facts& known) const {
    if (!known.terminating) {
      return !query_.condemned.empty() && query_.condemned.contains(pod);
    }
    return !is_stuck(*cluster_.pod(pod).object, query_.now);
  }

  // Most pods have none, and say so themselves.
  GroupId leaf_of(PodId pod, const Facts& known) const {
    return known.in_group ? query_.group_of(pod) : GroupId{};
  }
  GroupId leaf_of(PodId pod) const { return leaf_of(pod, facts(pod)); }

  Standing standing_of(PodId pod, const Facts& known) const {
    const std::int32_t own = known.priority;
    const GroupId leaf = leaf_of(pod, known);
    if (!leaf.valid() || !groups_[leaf].seen()) return {{}, leaf, own};
    const Group& group = groups_[leaf];
    if (group.pod_group && model::members_may_differ_in_priority(*group.pod_group)) {
      const bool together =
          group.spec().disruption == model::DisruptionMode::all && query_.preemptor_root.valid();
      return together ? Standing{leaf, leaf, group.priority()} : Standing{{}, leaf, own};
    }
    Standing standing{{}, leaf, group.priority()};
    GroupId at = leaf;
    for (int level = 0; level < GroupTable::kMaxDepth && groups_[at].seen(); ++level) {
      if (groups_[at].spec().disruption == model::DisruptionMode::all) standing.unit = at;
      standing.priority = groups_[at].priority();
      if (!groups_[at].parent.valid()) break;
      at = groups_[at].parent;
    }
    return standing;
  }

  std::vector<PodId> scheduled_under(GroupId unit) const {
    std::vector<PodId> pods;
    for (const GroupId leaf : groups_.leaves(unit)) {
      for (const auto* members : {&groups_[leaf].assigned, &groups_[leaf].assumed}) {
        std::ranges::copy_if(*members, std::back_inserter(pods), [&](PodId pod) {
          return cluster_.pod(pod).node.valid() && !is_leaving(pod);
        });
      }
    }
    std::ranges::sort(pods, {}, [&](PodId pod) -> const std::string& {
      return cluster_.pod(pod).object->meta.name;
    });
    return pods;
  }

  void consider(const Standing& standing, std::span<const PodId> pods) {
    if (auto objected = objection(pods)) {
      table_.refusals.push_back(
          {pods.front(), standing.unit, objected->reason, std::move(objected->why)});
      return;
    }
    VictimUnit unit;
    unit.group = standing.unit;
    unit.priority = standing.priority;
    unit.first_pod = static_cast<std::uint32_t>(table_.pods.size());
    unit.pod_count = static_cast<std::uint32_t>(pods.size());
    unit.first_budget = static_cast<std::uint32_t>(table_.budget_uses.size());
    for (const PodId pod : pods) {
      table_.pods.push_back(pod);
      if (!budgets_.none()) budgets_.count(*cluster_.pod(pod).object);
      if (query_.cost_aware) unit.cost += cost_of(pod);
    }
    unit.budget_count = static_cast<std::uint32_t>(table_.budget_uses.size()) - unit.first_budget;
    if (query_.cost_aware && !standing.unit.valid() && standing.leaf.valid()) {
      join_gang(unit, standing.leaf, pods.front());
    }
    table_.units.push_back(unit);
  }

  // Why the unit cannot be evicted now; empty: it can.
  struct Objection {
    Refusal reason;
    std::string why;
  };
  std::optional<Objection> objection(std::span<const PodId> pods) {
    for (const PodId pod : pods) {
      const PodEntry& entry = cluster_.pod(pod);
      if (!query_.spared.empty() &&
          query_.spared.contains(workload_of(cluster_, groups_, leaf_of(pod), pod))) {
        return Objection{Refusal::displaced,
                         "took this one's room before: the two would displace each other for ever"};
      }
      const Facts& known = facts(pod);
      if (known.terminating) {
        return Objection{Refusal::terminating, "is terminating and does not go"};
      }
      if (entry.assumed) {
        table_.binding = true;
        return Objection{Refusal::binding, "is just being bound"};
      }
      if (known.plain) continue;
      const auto until = protected_until(*entry.object, group_object(pod), query_.now);
      if (!until) continue;
      table_.reprieve_ends = std::min(table_.reprieve_ends.value_or(*until), *until);
      return Objection{
          Refusal::min_runtime,
          fmt::format("is protected by tutti.dev/min-runtime until {}", format_rfc3339(*until))};
    }
    return std::nullopt;
  }

  const model::Object* group_object(PodId pod) const {
    const GroupId leaf = leaf_of(pod);
    return leaf.valid() ? groups_[leaf].pod_group.get() : nullptr;
  }

  std::int64_t cost_of(PodId pod) const {
    const auto& known = facts(pod);
    if (known.plain) return known.cost.at(query_.now);
    return eviction_cost(cluster_, cluster_.pod(pod), group_object(pod), query_.now);
  }

  // A single member of a gang: what its loss means to the others, and which of them goes first.
  void join_gang(VictimUnit& unit, GroupId leaf, PodId pod) {
    const auto [known, fresh] = gangs_.try_emplace(leaf);
    if (fresh) known->second = measure(leaf);
    unit.gang = known->second.index;
    const std::int64_t rank = deletion_cost(*cluster_.pod(pod).object);
    unit.cost += (rank - known->second.cheapest) * kDeviceSecond;
  }

  struct GangFacts {
    std::uint32_t index = kNoIndex;  // kNoIndex: losing members is nothing to the rest
    std::int64_t cheapest = 0;       // the lowest pod-deletion-cost
  };
  GangFacts measure(GroupId leaf) {
    const Group& group = groups_[leaf];
    GangFacts facts;
    facts.cheapest = std::numeric_limits<std::int32_t>::max();
    std::int64_t whole = 0;
    std::int64_t running = 0;
    for (const auto* members : {&group.assigned, &group.assumed}) {
      for (const PodId pod : *members) {
        if (is_leaving(pod)) continue;
        ++running;
        whole += cost_of(pod);
        facts.cheapest =
            std::min<std::int64_t>(facts.cheapest, deletion_cost(*cluster_.pod(pod).object));
      }
    }
    if (!group.seen() || !group.spec().policy.gang) return facts;
    const std::int64_t surplus = running - group.spec().policy.minimum;
    if (surplus < 0) return facts;
    facts.index = static_cast<std::uint32_t>(table_.gangs.size());
    table_.gangs.push_back({surplus, whole});
    return facts;
  }

  const VictimQuery& query_;
  const Cluster& cluster_;
  const GroupTable& groups_;
  VictimTable table_;
  Budgets budgets_;
  std::unordered_set<GroupId> seen_;
  std::unordered_map<GroupId, GangFacts> gangs_;
};

}  // namespace

bool is_stuck(const model::Pod& pod, Instant now) {
  return pod.meta.deletion && now > *pod.meta.deletion + kOverdue;
}

VictimTable find_victims(const VictimQuery& query) { return Collector(query).run(); }

std::string unit_name(const Cluster& cluster, const GroupTable& groups, GroupId group, PodId pod) {
  if (!group.valid()) {
    const auto& meta = cluster.pod(pod).object->meta;
    return fmt::format("Pod {}/{}", meta.ns, meta.name);
  }
  const Group& entry = groups[group];
  // A Job by its own name: nobody knows the one that was made up for its group.
  if (entry.pod_group != nullptr) {
    for (const auto& owner : entry.pod_group->meta.owners) {
      if (!owner.controller || owner.kind != "Job") continue;
      return fmt::format("Job {}/{}", entry.ns, owner.name);
    }
  }
  return fmt::format("{} {}/{}", entry.composite ? "CompositePodGroup" : "PodGroup", entry.ns,
                     entry.name);
}

}  // namespace tutti::core
