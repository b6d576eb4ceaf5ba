#include "explain/demand.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "core/topology_request.h"
#include "explain/memory.h"

namespace tutti::explain {
namespace {

__extension__ typedef __int128 Wide;  // products of two amounts

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t sum(std::int64_t a, std::int64_t b) { return a > kMost - b ? kMost : a + b; }

const core::PodShape& shape_of(const core::Cluster& cluster, const MemberClass& members) {
  return cluster.shape(cluster.pod(members.sample).shape);
}

// What the nodes have of one resource.
class Column {
 public:
  Column(const core::Cluster& cluster, core::ResourceId resource, Room room)
      : all_(cluster.allocatable(resource)) {
    if (room == Room::free) used_ = cluster.used(resource);
  }
  std::int64_t operator[](std::size_t node) const {
    return used_.empty() ? all_[node] : std::max<std::int64_t>(0, all_[node] - used_[node]);
  }

 private:
  std::span<const std::int64_t> all_;
  std::span<const std::int64_t> used_;  // empty: nothing counts
};

template <typename Fn>
void for_each(const Bitset& nodes, Fn fn) {
  nodes.for_each_set(fn);
}
template <typename Fn>
void for_each(NodeList nodes, Fn fn) {
  for (const std::uint32_t node : nodes) fn(std::size_t{node});
}

std::shared_ptr<const Survey> survey_of(const core::Cluster& cluster, core::PodId pod,
                                        const core::Profile* profile, Memory* memory) {
  if (profile == nullptr) return std::make_shared<const Survey>(blank_survey(cluster));
  const core::PodClass pods = cluster.class_of(pod);
  // Answers about devices stand on more than the journal, and the device plugin remembers them.
  if (memory != nullptr && pods.claims == 0) return memory->survey(*profile, pods);
  return std::make_shared<const Survey>(survey(cluster, *profile, pods));
}

std::vector<MemberClass> classes_of(const core::Cluster& cluster, std::span<const core::PodId> pods,
                                    const core::Profile* profile, Memory* memory) {
  std::vector<MemberClass> classes;
  for (const core::PodId pod : pods) {
    const auto& entry = cluster.pod(pod);
    const auto same = std::ranges::find_if(classes, [&](const MemberClass& known) {
      const auto& sample = cluster.pod(known.sample);
      return sample.shape == entry.shape && sample.labels == entry.labels;
    });
    if (same != classes.end()) {
      ++same->count;
    } else {
      classes.push_back({pod, 1, survey_of(cluster, pod, profile, memory)});
    }
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
  const Column column(cluster, resource, room);
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

std::size_t asked_pods(const Demand& demand) {
  if (demand.together) return demand.missing;
  std::size_t waiting = 0;
  for (const auto& members : demand.classes) waiting += members.count;
  return waiting;
}

Demand whole(const core::Cluster& cluster, const Demand& demand) {
  Demand all = demand;
  all.placed.clear();
  std::size_t pods = 0;
  for (const auto& members : demand.placed) {
    const auto same = std::ranges::find_if(all.classes, [&](const MemberClass& known) {
      return cluster.pod(known.sample).shape == cluster.pod(members.sample).shape;
    });
    if (same == all.classes.end()) {
      all.classes.push_back(members);
    } else {
      same->count += members.count;
    }
    pods += members.count;
  }
  all.missing += pods;
  all.running -= std::min(all.running, pods);
  return all;
}

Demand demand_of_pod(const core::Cluster& cluster, core::PodId pod, const core::Profile* profile,
                     Memory* memory) {
  Demand demand;
  demand.classes = classes_of(cluster, {&pod, 1}, profile, memory);
  demand.lone = true;
  return demand;
}

Demand demand_of_group(const core::Cluster& cluster, const core::GroupTable& groups,
                       core::GroupId root, const core::Profile* profile, Memory* memory) {
  Demand demand;
  const auto pods = pending_pods(groups, root);
  demand.classes = classes_of(cluster, pods, profile, memory);
  demand.running = scheduled_pods(groups, root);
  const std::size_t minimum = required_pods(groups, root);
  demand.together = minimum > demand.running && counts_together(groups[root]);
  demand.required = demand.together ? minimum : demand.running + pods.size();
  if (demand.together) {
    demand.missing = std::min(minimum - demand.running, std::max<std::size_t>(1, pods.size()));
    demand.placed = classes_of(cluster, placed_pods(groups, root), nullptr, nullptr);
  }
  if (groups[root].seen()) demand.topology_key = groups[root].spec().topology_key;
  demand.keys_below = std::ranges::any_of(
      leaves_of(groups, root), [&](core::GroupId leaf) { return keyed_below(groups, leaf, root); });
  if (demand.topology_key.empty() && !groups[root].composite && !pods.empty()) {
    const auto request = core::topology_request(*cluster.pod(pods.front()).object);
    if (request.ok()) demand.topology_key = request->required;
  }
  return demand;
}

std::size_t fitting(const core::Cluster& cluster, const core::PodShape& shape, core::NodeId node,
                    Room room) {
  std::int64_t least = kMost;
  for (const auto& request : shape.requests) {
    const std::int64_t here = Column(cluster, request.resource, room)[node.index];
    if (here < request.amount) return 0;
    least = std::min(least, here / request.amount);
  }
  return static_cast<std::size_t>(least);
}

namespace {

template <typename Nodes>
std::size_t count_fitting(const core::Cluster& cluster, const Demand& demand, const Nodes& nodes,
                          Room room) {
  std::size_t total = 0;
  for (const auto& members : demand.classes) {
    const core::PodShape& shape = shape_of(cluster, members);
    Bitset open;
    if (room == Room::free) open = members.survey->accepted_but_for(Blocker::capacity);
    std::size_t held = 0;
    for_each(nodes, [&](std::size_t node) {
      if (held >= members.count || (room == Room::free && !open.test(node))) return;
      held += fitting(cluster, shape, {static_cast<std::uint32_t>(node)}, room);
    });
    total += std::min(held, members.count);
  }
  return total;
}

template <typename Nodes>
std::vector<Balance> count_balances(const core::Cluster& cluster, const Demand& demand,
                                    const Nodes& nodes, Room room) {
  std::vector<Balance> all;
  for (const core::ResourceId resource : resources_of(cluster, demand)) {
    Balance balance{resource, least_need(cluster, demand, resource), 0};
    const Column column(cluster, resource, room);
    for_each(nodes, [&](std::size_t node) { balance.have = sum(balance.have, column[node]); });
    all.push_back(balance);
  }
  return all;
}

}  // namespace

std::size_t members_fitting(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                            Room room) {
  return count_fitting(cluster, demand, nodes, room);
}

std::size_t members_fitting(const core::Cluster& cluster, const Demand& demand, NodeList nodes,
                            Room room) {
  return count_fitting(cluster, demand, nodes, room);
}

Bitset usable_nodes(const core::Cluster& cluster, const Demand& demand) {
  Bitset usable(cluster.live_nodes().size());
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
  return count_balances(cluster, demand, nodes, room);
}

std::vector<Balance> balances(const core::Cluster& cluster, const Demand& demand, NodeList nodes,
                              Room room) {
  return count_balances(cluster, demand, nodes, room);
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
  return *std::ranges::min_element(all, {}, [&](const Balance& balance) {
    return slots(cluster, demand, nodes, balance.resource, room);
  });
}

}  // namespace tutti::explain
