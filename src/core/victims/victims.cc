#include "core/victims/victims.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/check.h"
#include "core/victims/eviction_history.h"
#include "core/victims/victim_cost.h"
#include "expr/label_selector.h"
#include "model/apps.h"

namespace tutti::core {
namespace {

// A pod that should be gone for longer than this is stuck: nobody waits for it.
constexpr Millis kOverdue = std::chrono::seconds(30);

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();

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
      : query_(query),
        cluster_(query.cluster),
        groups_(query.groups),
        ties_(
            query.groups,
            [this](PodId pod) { return cluster_.pod(pod).node.valid() && !is_leaving(pod); },
            !query.preemptor_root.valid()),
        budgets_(cluster_, table_) {}

  VictimTable run() {
    table_.vacating = &query_.vacating;
    for (const NodeId node : nodes_by_name(cluster_)) {
      for (const PodId pod : query_.memory.in_order(cluster_, node)) {
        look_at(pod);
      }
    }
    if (!table_.bonds.empty()) tie_up();
    return std::move(table_);
  }

 private:
  // How a pod falls, and what it is worth.
  struct Standing {
    GroupId unit;  // invalid: by itself
    GroupId leaf;
    std::int32_t priority = 0;
    std::span<const GangTies::Link> links = {};
  };

  using Facts = VictimCache::Facts;
  const Facts& facts(PodId pod) const { return query_.memory.facts(cluster_, pod); }

  // Whether the pod matters less than the preemptor.
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
    if (query_.off_limits && query_.off_limits(pod)) return;
    const Facts known = facts(pod);  // others of its group are asked for theirs
    if (is_leaving(pod, known)) return table_.leaving.push_back(pod);
    Standing standing = standing_of(pod, known);
    if (query_.leaves_for_anyone && query_.leaves_for_anyone(pod)) standing.priority = kLowest;
    if (!matters_less(standing, pod)) return;
    if (is_simple(pod, known)) return add_simple(pod, known, standing.priority);
    if (!standing.unit.valid() || known.terminating) return consider(standing, {&pod, 1});
    if (const bool fresh = seen_.emplace(standing.unit).second; !fresh) return;
    consider(standing, scheduled_under(standing.unit));
  }

  // Most pods are: nobody spares them, and nothing but their facts says what their eviction does.
  bool is_simple(PodId pod, const Facts& known) const {
    return known.plain && !known.terminating && budgets_.none() && query_.spared.empty() &&
           !cluster_.pod(pod).assumed;
  }
  void add_simple(PodId pod, const Facts& known, std::int32_t priority) {
    VictimUnit unit;
    unit.priority = priority;
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

  Standing standing_of(PodId pod, const Facts& known) {
    const std::int32_t own = known.priority;
    const GroupId leaf = leaf_of(pod, known);
    if (!leaf.valid() || !groups_[leaf].seen()) return {{}, leaf, own};
    const GangTies::Tie& tie = ties_.tie_of(leaf);
    const Group& group = groups_[leaf];
    Standing standing{tie.unit, leaf, group.priority(), tie.links};
    if (group.pod_group && model::members_may_differ_in_priority(*group.pod_group)) {
      if (ties_.mode(leaf) == model::DisruptionMode::all) return standing;
      standing.priority = tie.unit.valid() ? highest_of(leaf) : own;
      return standing;
    }
    GroupId at = leaf;
    for (int level = 0; level < GroupTable::kMaxDepth && groups_[at].seen(); ++level) {
      standing.priority = groups_[at].priority();
      if (!groups_[at].parent.valid()) break;
      at = groups_[at].parent;
    }
    return standing;
  }

  // The highest priority of the members, each its own.
  std::int32_t highest_of(GroupId leaf) {
    const auto [known, fresh] =
        highest_.try_emplace(leaf, std::numeric_limits<std::int32_t>::min());
    if (fresh) {
      for (const PodId pod : scheduled_under(leaf)) {
        known->second = std::max(known->second, facts(pod).priority);
      }
    }
    return known->second;
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
      const std::int64_t rank = deletion_cost(*cluster_.pod(pods.front()).object);
      unit.cost += (rank - cheapest_of(standing.leaf)) * kDeviceSecond;
    }
    unit.bond = bond_of(standing.links);
    unit.counts = unit.bond != kNoIndex && standing.links.front().counts;
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

  // The lowest pod-deletion-cost of those who fall one by one: who of them goes first.
  std::int64_t cheapest_of(GroupId leaf) {
    const auto [known, fresh] =
        cheapest_.try_emplace(leaf, std::numeric_limits<std::int32_t>::max());
    if (fresh) {
      for (const PodId pod : scheduled_under(leaf)) {
        known->second =
            std::min<std::int64_t>(known->second, deletion_cost(*cluster_.pod(pod).object));
      }
    }
    return known->second;
  }

  // The number of the nearest one; kNoIndex: there is none.
  std::uint32_t bond_of(std::span<const GangTies::Link> links) {
    if (links.empty()) return kNoIndex;
    const GroupId group = links.front().group;
    const auto known = bond_of_.find(group);
    if (known != bond_of_.end()) return known->second;
    const model::GroupSpec& spec = groups_[group].spec();
    Bond bond;
    bond.group = group;
    bond.parent = bond_of(links.subspan(1));
    bond.counts = bond.parent != kNoIndex && links[1].counts;
    bond.spare = ties_.spare(bond.group);
    const bool single = ties_.mode(bond.group) == model::DisruptionMode::single;
    bond.whole = spec.policy.gang && !single;
    bond.stalls = spec.policy.gang && single;
    const auto index = static_cast<std::uint32_t>(table_.bonds.size());
    table_.bonds.push_back(std::move(bond));
    bond_of_.emplace(group, index);
    return index;
  }

  void list_units() {
    for (Bond& bond : table_.bonds) bond.units.clear();
    for (std::uint32_t unit = 0; unit < table_.units.size(); ++unit) {
      for (std::uint32_t bond = table_.units[unit].bond; bond != kNoIndex;
           bond = table_.bonds[bond].parent) {
        table_.bonds[bond].units.push_back(unit);
      }
    }
  }

  // What is left to do about bonds when all units are known.
  void tie_up() {
    list_units();
    std::vector<bool> out(table_.units.size(), false);
    for (std::uint32_t index = 0; index < table_.bonds.size(); ++index) {
      if (table_.bonds[index].whole && !may_fall(table_.bonds[index])) keep_up(index, out);
    }
    if (std::ranges::count(out, true) > 0) leave_out(out);
    for (Bond& bond : table_.bonds) {
      if (bond.stalls && !groups_[bond.group].composite) bond.rest_cost = rest_cost(bond);
    }
  }

  // Whether everyone under it could go.
  bool may_fall(const Bond& bond) const {
    std::size_t pods = 0;
    for (const std::uint32_t unit : bond.units) pods += table_.units[unit].pod_count;
    return pods == scheduled_under(bond.group).size();
  }

  // Leaves so few that nothing can take the bond down: of those whose loss counts the cheapest.
  void keep_up(std::uint32_t index, std::vector<bool>& out) {
    struct Member {
      std::int64_t cost = 0;
      std::uint32_t number = 0;
      bool bond = false;
    };
    std::vector<Member> members;
    for (std::uint32_t at = 0; at < table_.bonds.size(); ++at) {
      if (table_.bonds[at].parent != index || !table_.bonds[at].counts) continue;
      Member member{0, at, true};
      for (const std::uint32_t unit : table_.bonds[at].units)
        member.cost += table_.units[unit].cost;
      members.push_back(member);
    }
    for (const std::uint32_t unit : table_.bonds[index].units) {
      if (table_.units[unit].bond == index && table_.units[unit].counts && !out[unit]) {
        members.push_back({table_.units[unit].cost, unit, false});
      }
    }
    TUTTI_CHECK(table_.bonds[index].spare >= 0, "what does not stand cannot be kept up");
    std::ranges::stable_sort(members, {}, &Member::cost);
    for (auto at = static_cast<std::size_t>(table_.bonds[index].spare); at < members.size(); ++at) {
      if (members[at].bond) {
        keep_up(members[at].number, out);
      } else {
        out[members[at].number] = true;
      }
    }
  }

  void leave_out(const std::vector<bool>& out) {
    TUTTI_CHECK(out.size() == table_.units.size());
    table_.curtailed = true;
    std::vector<VictimUnit> kept;
    for (std::uint32_t index = 0; index < table_.units.size(); ++index) {
      const VictimUnit& unit = table_.units[index];
      if (!out[index]) {
        kept.push_back(unit);
        continue;
      }
      table_.refusals.push_back({table_.pods[unit.first_pod], unit.group, Refusal::gang,
                                 "its gang would fall below its minimum, and cannot go whole now"});
    }
    table_.units = std::move(kept);
    list_units();
  }

  std::int64_t rest_cost(const Bond& bond) const {
    if (!query_.cost_aware) return 0;
    std::unordered_set<PodId> units;
    for (const std::uint32_t unit : bond.units) {
      for (const PodId pod : table_.pods_of(table_.units[unit])) units.insert(pod);
    }
    std::int64_t cost = 0;
    for (const PodId pod : scheduled_under(bond.group)) {
      if (!units.contains(pod)) cost += cost_of(pod);
    }
    return cost;
  }

  const VictimQuery& query_;
  const Cluster& cluster_;
  const GroupTable& groups_;
  GangTies ties_;
  VictimTable table_;
  Budgets budgets_;
  std::unordered_set<GroupId> seen_;
  std::unordered_map<GroupId, std::int32_t> highest_;
  std::unordered_map<GroupId, std::int64_t> cheapest_;
  std::unordered_map<GroupId, std::uint32_t> bond_of_;
};

}  // namespace

bool is_stuck(const model::Pod& pod, Instant now) {
  return pod.meta.deletion && now > *pod.meta.deletion + kOverdue;
}

VictimTable find_victims(const VictimQuery& query) {
  TUTTI_CHECK(query.group_of != nullptr);
  return Collector(query).run();
}

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
