#include "explain/findings/demand.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.h"
#include "core/evaluation/evaluation.h"
#include "core/topology/topology_request.h"
#include "explain/findings/unit.h"
#include "explain/findings/verdict_cache.h"

namespace tutti::explain {
namespace {

__extension__ typedef __int128 Wide;  // products of two amounts

constexpr std::int64_t kAmountMax = std::numeric_limits<std::int64_t>::max();

const core::PodShape& shape_of(const core::Cluster& cluster, const MemberClass& members) {
  return cluster.shape(cluster.pod(members.sample).shape);
}

// What the nodes have of one resource.
class Column {
 public:
  Column(const core::Cluster& cluster, core::ResourceId resource, Room room, const OwnRoom& own)
      : cluster_(cluster),
        resource_(resource),
        room_(room),
        own_(own),
        all_(cluster.resources().allocatable(resource)),
        used_(cluster.resources().used(resource)),
        repaired_(room == Room::repaired && core::is_device(cluster.resources().name(resource))) {}

  std::int64_t operator[](std::size_t node) const {
    if (room_ == Room::free) return std::max<std::int64_t>(0, all_[node] - used_[node] + own(node));
    return all_[node] + (repaired_ ? unhealthy_at(cluster_, resource_, node) : 0);
  }

 private:
  std::int64_t own(std::size_t node) const {
    if (own_.empty()) return 0;
    const auto at = own_.find({static_cast<std::uint32_t>(node)});
    std::int64_t kept = 0;
    if (at == own_.end()) return kept;
    for (const core::ShapeId shape : at->second) kept += cluster_.shape(shape).request(resource_);
    return kept;
  }

  const core::Cluster& cluster_;
  core::ResourceId resource_;
  Room room_;
  const OwnRoom& own_;
  std::span<const std::int64_t> all_;
  std::span<const std::int64_t> used_;
  bool repaired_;
};

// How many pods of one shape a node's resources hold.
class Fit {
 public:
  Fit(const core::Cluster& cluster, const core::PodShape& shape, Room room, const OwnRoom& own) {
    for (const auto& request : shape.requests) {
      asked_.push_back({Column(cluster, request.resource, room, own), request.amount});
    }
  }

  std::size_t operator[](std::size_t node) const {
    std::int64_t least = kAmountMax;
    for (const auto& [column, amount] : asked_) {
      const std::int64_t here = column[node];
      if (here < amount) return 0;
      least = std::min(least, here / amount);
    }
    return static_cast<std::size_t>(least);
  }

 private:
  struct Asked {
    Column column;
    std::int64_t amount;
  };
  std::vector<Asked> asked_;
};

// Makes a Fit for every class of the demand.
std::vector<Fit> fits_of(const core::Cluster& cluster, const Demand& demand, Room room) {
  std::vector<Fit> fits;
  for (const auto& members : demand.classes) {
    fits.emplace_back(cluster, shape_of(cluster, members), room, demand.own_room);
  }
  return fits;
}

// Whether fn holds for one of the nodes; the rest is not asked.
template <typename Fn>
bool any_of(const Bitset& nodes, const Fn& fn) {
  for (std::size_t w = 0; w < nodes.words().size(); ++w) {
    for (auto rest = nodes.word(w); rest != 0; rest &= rest - 1) {
      if (fn(w * Bitset::kWordBits + static_cast<std::size_t>(std::countr_zero(rest)))) return true;
    }
  }
  return false;
}
template <typename Fn>
bool any_of(NodeList nodes, const Fn& fn) {
  return std::ranges::any_of(nodes, [&](std::uint32_t node) { return fn(std::size_t{node}); });
}

// Whether others count the same: nobody else may have this demand's own room.
bool shares_stock(const Demand& demand) { return demand.stock && demand.own_room.empty(); }

NodeStock::Holding holding(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                           Room room, core::ResourceId resource) {
  if (shares_stock(demand)) return demand.stock->of(nodes, room, resource);
  NodeStock::Holding counted;
  const Column column(cluster, resource, room, demand.own_room);
  nodes.for_each_set([&](std::size_t node) {
    counted.total = sum(counted.total, column[node]);
    counted.most = std::max(counted.most, column[node]);
  });
  return counted;
}

std::shared_ptr<const FilterSurvey> survey_of(const core::Cluster& cluster,
                                              const core::PodClass& pods,
                                              const core::Profile* profile, VerdictCache* memory) {
  if (profile == nullptr) return std::make_shared<const FilterSurvey>(blank_survey(cluster));
  // Answers about devices stand on more than the journal, and the device plugin remembers them.
  if (memory != nullptr && pods.claims == 0) return memory->survey(*profile, pods);
  return std::make_shared<const FilterSurvey>(survey(cluster, *profile, pods));
}

// Pods with equal keys get equal surveys.
core::EvaluationCache::Key key_of(core::EvaluationCache& keys, const core::Profile* profile,
                                  const core::PodClass& pods) {
  if (profile != nullptr) return keys.key(*profile, pods);
  return {pods.shape, 0, pods.claims, pods.apart};
}

// Where something selects by label, pods of one Job differ by their completion index; those about
// whom all filters say the same are alike nevertheless.
std::vector<MemberClass> classes_of(const core::Cluster& cluster, std::span<const core::PodId> pods,
                                    const core::Profile* profile, VerdictCache* memory) {
  core::EvaluationCache own(cluster);
  core::EvaluationCache& keys = memory == nullptr ? own : memory->keys();
  std::map<core::EvaluationCache::Key, std::size_t> known;
  std::vector<MemberClass> classes;
  for (const core::PodId pod : pods) {
    const core::PodClass like = cluster.class_of(pod);
    const auto [at, fresh] = known.try_emplace(key_of(keys, profile, like), classes.size());
    if (fresh) {
      auto survey = survey_of(cluster, like, profile, memory);
      const auto same = std::ranges::find_if(classes, [&](const MemberClass& members) {
        const core::PodClass other = cluster.class_of(members.sample);
        return other.shape == like.shape && other.claims == like.claims &&
               *members.survey == *survey;
      });
      at->second = static_cast<std::size_t>(same - classes.begin());
      if (same == classes.end()) classes.push_back({pod, 0, std::move(survey)});
    }
    ++classes[at->second].count;
  }
  return classes;
}

// What the cheapest `missing` members ask for.
std::int64_t least_need(const core::Cluster& cluster, const Demand& demand,
                        core::ResourceId resource) {
  std::vector<std::pair<std::int64_t, std::size_t>> asked;
  for (const auto& members : demand.classes) {
    asked.emplace_back(shape_of(cluster, members).request(resource), members.count);
  }
  std::ranges::sort(asked);
  std::int64_t total = 0;
  std::size_t left = demand.missing;
  for (const auto& [amount, count] : asked) {
    for (std::size_t i = 0; i < std::min(left, count); ++i) total = sum(total, amount);
    left -= std::min(left, count);
  }
  return total;
}

std::set<core::ResourceId> resources_of(const core::Cluster& cluster, const Demand& demand) {
  std::set<core::ResourceId> all;
  for (const auto& members : demand.classes) {
    for (const auto& request : shape_of(cluster, members).requests) all.insert(request.resource);
  }
  return all;
}

// How many members the nodes hold if only this resource counted and all asked for the most any
// asks.
std::int64_t slots(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                   core::ResourceId resource, Room room) {
  std::int64_t most = 0;
  for (const auto& members : demand.classes) {
    most = std::max(most, shape_of(cluster, members).request(resource));
  }
  std::int64_t total = 0;
  if (holding(cluster, demand, nodes, room, resource).most < most) return total;
  const Column column(cluster, resource, room, demand.own_room);
  nodes.for_each_set([&](std::size_t node) {
    const std::int64_t here = column[node];
    if (here >= most) total = sum(total, here / most);
  });
  return total;
}

std::size_t minimum_of(const core::Group& group) {
  return static_cast<std::size_t>(std::max(1, group.spec().policy.minimum));
}

bool counts_together(const core::Group& group) {
  return group.composite || (group.seen() && group.spec().policy.gang);
}

// GroupTable::leaves, but safe for groups whose parents form a cycle: no valid tree is deeper.
void collect_leaves(const core::GroupTable& groups, core::GroupId group, int levels,
                    std::vector<core::GroupId>& leaves) {
  if (!groups[group].composite) leaves.push_back(group);
  if (levels <= 1) return;
  for (const core::GroupId child : groups[group].children) {
    collect_leaves(groups, child, levels - 1, leaves);
  }
}

template <typename Count>
std::size_t over_leaves(const core::GroupTable& groups, core::GroupId group, Count count) {
  std::size_t total = 0;
  for (const core::GroupId leaf : leaves_of(groups, group)) total += count(groups[leaf]);
  return total;
}

std::size_t required_below(const core::GroupTable& groups, core::GroupId id, int levels) {
  const core::Group& group = groups[id];
  if (!group.seen() || levels <= 0) return 1;
  if (!group.composite) return minimum_of(group);
  std::vector<std::size_t> children;
  for (const core::GroupId child : group.children) {
    children.push_back(required_below(groups, child, levels - 1));
  }
  std::ranges::sort(children);
  children.resize(std::min(minimum_of(group), children.size()));
  return std::max<std::size_t>(1,
                               std::accumulate(children.begin(), children.end(), std::size_t{0}));
}

std::shared_ptr<NodeStock> stock_of(const core::Cluster& cluster, VerdictCache* memory) {
  return memory != nullptr ? memory->stock() : std::make_shared<NodeStock>(cluster);
}

OwnRoom own_room(const core::Cluster& cluster, std::span<const core::PodId> pods) {
  OwnRoom own;
  if (cluster.held().empty()) return own;
  for (const core::PodId pod : pods) {
    const auto held = cluster.held().find(pod);
    if (held != cluster.held().end()) own[held->second].push_back(cluster.pod(pod).shape);
  }
  return own;
}

// What a member asks of the topology beyond its group's key.
void add_request(const model::Pod& member, Demand& demand) {
  auto request = core::topology_request(member);
  if (!request.ok()) return;
  if (demand.topology_key.empty()) demand.topology_key = std::move(request->required);
  demand.slice_key = std::move(request->slice_key);
  demand.slice_size = request->slice_size;
}

// Whether the leaf, or a group between it and the root, must stay in one domain.
bool keyed_below(const core::GroupTable& groups, core::GroupId leaf, core::GroupId root) {
  for (core::GroupId at = leaf; at.valid() && at != root; at = groups[at].parent) {
    if (groups[at].seen() && !groups[at].spec().topology_key.empty()) return true;
  }
  return false;
}

}  // namespace

std::vector<core::GroupId> leaves_of(const core::GroupTable& groups, core::GroupId group) {
  std::vector<core::GroupId> leaves;
  collect_leaves(groups, group, core::GroupTable::kMaxDepth, leaves);
  return leaves;
}

std::size_t required_pods(const core::GroupTable& groups, core::GroupId group) {
  return required_below(groups, group, core::GroupTable::kMaxDepth);
}

std::vector<core::PodId> pending_pods(const core::GroupTable& groups, core::GroupId group) {
  std::vector<core::PodId> pods;
  for (const core::GroupId leaf : leaves_of(groups, group)) {
    pods.insert(pods.end(), groups[leaf].pending.begin(), groups[leaf].pending.end());
  }
  return pods;
}

std::vector<core::PodId> placed_pods(const core::GroupTable& groups, core::GroupId group) {
  std::vector<core::PodId> pods;
  for (const core::GroupId leaf : leaves_of(groups, group)) {
    pods.insert(pods.end(), groups[leaf].assumed.begin(), groups[leaf].assumed.end());
    pods.insert(pods.end(), groups[leaf].assigned.begin(), groups[leaf].assigned.end());
  }
  return pods;
}

std::size_t scheduled_pods(const core::GroupTable& groups, core::GroupId group) {
  return over_leaves(groups, group, [](const core::Group& leaf) { return leaf.scheduled_count(); });
}

std::size_t all_pods(const core::GroupTable& groups, core::GroupId group) {
  return over_leaves(groups, group, [](const core::Group& leaf) { return leaf.pod_count(); });
}

std::size_t waiting_pods(const Demand& demand) {
  std::size_t waiting = 0;
  for (const auto& members : demand.classes) waiting += members.count;
  return waiting;
}

std::size_t asked_pods(const Demand& demand) {
  return demand.together ? demand.missing : waiting_pods(demand);
}

std::size_t indispensable(const Demand& demand, const MemberClass& members) {
  const std::size_t others = waiting_pods(demand) - members.count;
  return demand.missing > others ? demand.missing - others : 0;
}

Demand part_of(const Demand& demand, const MemberClass& members, std::size_t pods) {
  Demand part = demand;
  part.classes = {members};
  part.classes.front().count = pods;
  part.placed.clear();
  part.running = 0;
  part.required = part.missing = pods;
  part.lone = pods == 1;
  return part;
}

Demand whole(const core::Cluster& cluster, const Demand& demand) {
  Demand all = demand;
  if (demand.placed.empty()) return all;
  all.placed.clear();
  for (const auto& members : demand.placed) {
    const auto same = std::ranges::find_if(all.classes, [&](const MemberClass& known) {
      return cluster.pod(known.sample).shape == cluster.pod(members.sample).shape;
    });
    if (same == all.classes.end()) {
      all.classes.push_back(members);
    } else {
      same->count += members.count;
    }
  }
  // Members beyond the minimum would not be needed on empty nodes.
  all.missing += all.running;
  all.running = 0;
  return all;
}

Demand demand_of_pod(const core::Cluster& cluster, core::PodId pod, const core::Profile* profile,
                     VerdictCache* memory) {
  Demand demand;
  demand.stock = stock_of(cluster, memory);
  demand.classes = classes_of(cluster, {&pod, 1}, profile, memory);
  demand.lone = true;
  demand.own_room = own_room(cluster, {&pod, 1});
  return demand;
}

Demand demand_of_group(const core::Cluster& cluster, const core::GroupTable& groups,
                       core::GroupId unit, const core::Profile* profile, VerdictCache* memory) {
  Demand demand;
  demand.groups = &groups;
  demand.stock = stock_of(cluster, memory);
  const auto pods = pending_pods(groups, unit);
  demand.classes = classes_of(cluster, pods, profile, memory);
  demand.own_room = own_room(cluster, pods);
  const Strength strength = strength_of(groups, unit);
  demand.together = strength.missing > 0 && counts_together(groups[unit]);
  if (demand.together) {
    demand.required = strength.required;
    demand.running = strength.required - strength.missing;
    demand.missing = std::min(strength.missing, std::max<std::size_t>(1, pods.size()));
    demand.placed = classes_of(cluster, placed_pods(groups, unit), nullptr, nullptr);
  } else {
    demand.running = scheduled_pods(groups, unit);
    demand.required = demand.running + pods.size();
  }
  demand.topology_key = topology_key_of(groups, unit);
  demand.keys_below = std::ranges::any_of(
      leaves_of(groups, unit), [&](core::GroupId leaf) { return keyed_below(groups, leaf, unit); });
  if (!groups[unit].composite && !pods.empty()) {
    add_request(*cluster.pod(pods.front()).object, demand);
  }
  return demand;
}

namespace {

// Counts no further than to what waits.
template <typename Nodes>
std::size_t count_fitting(const Fit& fit, const Nodes& nodes, std::size_t most) {
  std::size_t held = 0;
  // Held says the same as the answer, which is true once there is enough.
  (void)any_of(nodes, [&](std::size_t node) {
    held += fit[node];
    return held >= most;
  });
  return std::min(held, most);
}

Bitset open_nodes(const MemberClass& members, const Bitset& nodes) {
  Bitset open = members.survey->accepted_but_for(Blocker::capacity);
  open.and_with(nodes);
  return open;
}

// How many members of any kinds the nodes hold if each asked for the least that any of them asks.
std::size_t held_of_any(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                        Room room) {
  std::map<core::ResourceId, std::pair<std::int64_t, std::size_t>> asked;  // least, by how many
  for (const auto& members : demand.classes) {
    for (const auto& request : shape_of(cluster, members).requests) {
      const auto at = asked.try_emplace(request.resource, request.amount, std::size_t{0}).first;
      at->second.first = std::min(at->second.first, request.amount);
      ++at->second.second;
    }
  }
  std::vector<std::pair<Column, std::int64_t>> least;
  for (const auto& [resource, amount] : asked) {
    if (amount.second < demand.classes.size() || amount.first == 0) continue;
    least.emplace_back(Column(cluster, resource, room, demand.own_room), amount.first);
  }
  const std::size_t most = waiting_pods(demand);
  std::size_t held = least.empty() ? most : 0;
  // Held says the same as the answer, which is true once there is enough.
  (void)any_of(nodes, [&](std::size_t node) {
    std::int64_t here = kAmountMax;
    for (const auto& [column, amount] : least) here = std::min(here, column[node] / amount);
    held += std::min(most, static_cast<std::size_t>(here));
    return held >= most;
  });
  return std::min(held, most);
}

bool short_in_total(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                    Room room) {
  return std::ranges::any_of(balances(cluster, demand, nodes, room),
                             [](const Balance& balance) { return balance.short_in_total(); });
}

}  // namespace

std::size_t members_fitting(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                            Room room) {
  std::size_t total = 0;
  Bitset open(cluster.nodes().slots());
  for (const auto& members : demand.classes) {
    const core::PodShape& shape = shape_of(cluster, members);
    if (demand.classes.size() > 1 && room == Room::free) open.or_with(open_nodes(members, nodes));
    if (room == Room::free && shares_stock(demand)) {
      const auto& here = demand.stock->free_room(open_nodes(members, nodes), shape);
      total += std::min(here.pods, members.count);
    } else {
      total +=
          count_fitting(Fit(cluster, shape, room, demand.own_room),
                        room == Room::free ? open_nodes(members, nodes) : nodes, members.count);
    }
  }
  if (demand.classes.size() < 2) return total;
  return std::min(total, held_of_any(cluster, demand, room == Room::free ? open : nodes, room));
}

std::size_t members_fitting_empty(const core::Cluster& cluster, const Demand& demand,
                                  NodeList nodes) {
  std::size_t total = 0;
  for (const auto& members : demand.classes) {
    const Fit fit(cluster, shape_of(cluster, members), Room::empty, demand.own_room);
    total += count_fitting(fit, nodes, members.count);
  }
  return total;
}

NodeStock::FreeRoom free_room(const core::Cluster& cluster, const Demand& demand) {
  const MemberClass& members = demand.classes.front();
  const core::PodShape& shape = shape_of(cluster, members);
  const Bitset open = members.survey->accepted_but_for(Blocker::capacity);
  if (shares_stock(demand)) return demand.stock->free_room(open, shape);
  NodeStock::FreeRoom room;
  const Fit fit(cluster, shape, Room::free, demand.own_room);
  open.for_each_set([&](std::size_t node) { room.add(fit[node]); });
  return room;
}

bool fits_somewhere(const core::Cluster& cluster, core::PodId pod, const Bitset& nodes, Room room) {
  const OwnRoom nobodys;
  const Fit fit(cluster, cluster.shape(cluster.pod(pod).shape), room, nobodys);
  return any_of(nodes, [&](std::size_t node) { return fit[node] > 0; });
}

bool enough(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes, Room room) {
  return members_fitting(cluster, demand, nodes, room) >= demand.missing &&
         !short_in_total(cluster, demand, nodes, room);
}

namespace {

// What the nodes of one domain seen so far hold.
struct DomainRoom {
  std::vector<std::size_t> members;  // by class
  std::vector<std::int64_t> have;    // by resource
};

}  // namespace

// More nodes never hold less, so the first domain that has enough ends the count.
bool enough_in_a_domain(const core::Cluster& cluster, const Demand& demand, Room room) {
  const auto& column = cluster.group_domains(demand.topology_key);
  const std::vector<Fit> fits = fits_of(cluster, demand, room);
  std::vector<std::pair<Column, std::int64_t>> needs;  // by resource
  for (const core::ResourceId resource : resources_of(cluster, demand)) {
    needs.emplace_back(Column(cluster, resource, room, demand.own_room),
                       least_need(cluster, demand, resource));
  }
  std::vector<DomainRoom> rooms(column.values.size(), {std::vector<std::size_t>(fits.size(), 0),
                                                       std::vector<std::int64_t>(needs.size(), 0)});
  const auto suffices_with = [&](DomainRoom& here, std::size_t node) {
    std::size_t members = 0;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const std::size_t most = demand.classes[i].count;
      here.members[i] = std::min(most, here.members[i] + std::min(most, fits[i][node]));
      members += here.members[i];
    }
    bool suffices = members >= demand.missing;
    for (std::size_t r = 0; r < needs.size(); ++r) {
      here.have[r] = sum(here.have[r], needs[r].first[node]);
      suffices = suffices && here.have[r] >= needs[r].second;
    }
    return suffices;
  };
  return any_of(cluster.nodes().live(), [&](std::size_t node) {
    return std::ranges::any_of(
        column.domains_at({static_cast<std::uint32_t>(node)}),
        [&](std::uint32_t domain) { return suffices_with(rooms[domain], node); });
  });
}

std::int64_t unhealthy_of(const core::Cluster& cluster, core::ResourceId resource) {
  if (!core::is_device(cluster.resources().name(resource))) return 0;
  std::int64_t total = 0;
  cluster.nodes().live().for_each_set(
      [&](std::size_t node) { total = sum(total, unhealthy_at(cluster, resource, node)); });
  return total;
}

Bitset usable_nodes(const core::Cluster& cluster, const Demand& demand) {
  Bitset usable(cluster.nodes().live().size());
  for (const auto& members : demand.classes) {
    usable.or_with(members.survey->accepted_but_for(Blocker::capacity));
  }
  return usable;
}

bool shorter(const Balance& a, const Balance& b) {
  return Wide{a.need} * b.have > Wide{b.need} * a.have;
}

std::vector<Balance> balances(const core::Cluster& cluster, const Demand& demand,
                              const Bitset& nodes, Room room) {
  std::vector<Balance> all;
  for (const core::ResourceId resource : resources_of(cluster, demand)) {
    all.push_back({resource, least_need(cluster, demand, resource),
                   holding(cluster, demand, nodes, room, resource).total});
  }
  return all;
}

std::int64_t most_on_one_node(const core::Cluster& cluster, const Demand& demand,
                              const Bitset& nodes, core::ResourceId resource) {
  return holding(cluster, demand, nodes, Room::free, resource).most;
}

Balance dominating(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                   Room room) {
  const auto all = balances(cluster, demand, nodes, room);
  TUTTI_CHECK(!all.empty(), "every pod asks for a pod slot");
  const Balance* chosen = nullptr;
  for (const auto& balance : all) {
    if (!balance.short_in_total()) continue;
    if (chosen == nullptr || shorter(balance, *chosen)) chosen = &balance;
  }
  if (chosen != nullptr) return *chosen;
  std::int64_t fewest = 0;
  for (const auto& balance : all) {
    const std::int64_t here = slots(cluster, demand, nodes, balance.resource, room);
    if (chosen == nullptr || here < fewest) chosen = &balance;
    fewest = chosen == &balance ? here : fewest;
    if (fewest == 0) break;
  }
  return *chosen;
}

}  // namespace tutti::explain
