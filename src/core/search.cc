#include "core/search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/digest.h"

namespace tutti::core {
namespace {

// Independent of order: states reached by the same placements in another order are equal.
std::uint64_t placement_digest(std::size_t which, NodeId node) {
  Digest digest;
  digest.add(std::uint64_t{which});
  digest.add(std::uint64_t{node.index});
  return digest.value();
}

}  // namespace

std::size_t room_for(const Cluster& cluster, const PodShape& shape, const Bitset& nodes,
                     const Bitset* within) {
  std::size_t room = 0;
  nodes.for_each_set([&](std::size_t i) {
    if (within != nullptr && !within->test(i)) return;
    std::int64_t fits = std::numeric_limits<std::int64_t>::max();
    for (const auto& [resource, amount] : shape.requests) {
      const std::int64_t free = cluster.allocatable(resource)[i] - cluster.used(resource)[i];
      fits = std::min(fits, free / amount);
    }
    room += static_cast<std::size_t>(std::max<std::int64_t>(fits, 0));
  });
  return room;
}

bool may_open_later(const PodShape& shape) {
  const bool hard_spread = std::ranges::any_of(
      shape.spec->spread, [](const auto& constraint) { return constraint.hard; });
  return hard_spread || !shape.spec->affinity.required.empty();
}

void ExactSearch::sort_into_classes(std::span<const PodId> members) {
  std::map<std::pair<ShapeId, LabelClassId>, std::size_t> index;
  std::set<ResourceId> resources;
  independent_ = true;
  for (const PodId pod : members) {
    const PodClass pods = cluster_.class_of(pod);
    const auto [at, fresh] = index.try_emplace(evaluations_.key(profile_, pods), classes_.size());
    if (fresh) {
      const PodShape& shape = cluster_.shape(pods.shape);
      classes_.push_back({.pods = {}, .opens_later = may_open_later(shape)});
      independent_ = independent_ && !classes_.back().opens_later;
      for (const auto& request : shape.requests) resources.insert(request.resource);
    }
    classes_[at->second].pods.push_back(pod);
  }
  resources_.assign(resources.begin(), resources.end());
}

// Counting each class alone already leaves too few.
bool ExactSearch::out_of_reach(std::size_t need) {
  std::size_t reachable = 0;
  for (const auto& each : classes_) {
    if (each.opens_later) return false;
    const PodClass pods = cluster_.class_of(each.pods.front());
    const Evaluation& evaluation = evaluations_.get(profile_, pods);
    reachable += std::min(each.pods.size(), room_for(cluster_, cluster_.shape(pods.shape),
                                                     evaluation.feasible(), within_));
  }
  return reachable < need;
}

Search ExactSearch::run(Transaction& transaction, std::span<const PodId> members,
                        std::size_t need) {
  sort_into_classes(members);
  if (out_of_reach(need)) return Search::impossible;
  if (descend(transaction, need, 0)) return Search::found;
  return states_ > budget_ ? Search::exhausted : Search::impossible;
}

bool ExactSearch::descend(Transaction& transaction, std::size_t missing, std::uint64_t state) {
  if (missing == 0) return true;
  if (++states_ > budget_ || !failed_.insert(state).second) return false;

  std::size_t reachable = 0;
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].left() == 0) continue;
    Choice choice{i, candidates(classes_[i])};
    if (!choice.nodes.empty() || classes_[i].opens_later) reachable += classes_[i].left();
    if (!choice.nodes.empty()) choices.push_back(std::move(choice));
  }
  if (reachable < missing) return false;
  std::ranges::stable_sort(choices, {}, [](const Choice& choice) { return choice.nodes.size(); });

  if (!independent_) {
    return std::ranges::any_of(choices, [&](const Choice& choice) {
      return place_one(transaction, choice, missing, state);
    });
  }
  // With independent classes some order places the hardest class first, or leaves one of it out.
  return place_one(transaction, choices.front(), missing, state) ||
         give_up_one(transaction, choices.front().which, missing, state);
}

bool ExactSearch::place_one(Transaction& transaction, const Choice& choice, std::size_t missing,
                            std::uint64_t state) {
  Class& chosen = classes_[choice.which];
  for (const NodeId node : choice.nodes) {
    const auto before = transaction.checkpoint();
    if (!transaction.place(chosen.pods[chosen.used], node, profile_).success()) continue;
    ++chosen.used;
    if (descend(transaction, missing - 1, state + placement_digest(choice.which, node)))
      return true;
    --chosen.used;
    transaction.roll_back(before);
    if (states_ > budget_) return false;
  }
  return false;
}

bool ExactSearch::give_up_one(Transaction& transaction, std::size_t which, std::size_t missing,
                              std::uint64_t state) {
  std::size_t left = 0;
  for (const auto& each : classes_) left += each.left();
  if (left <= missing) return false;
  ++classes_[which].used;
  const bool found = descend(transaction, missing, state + placement_digest(which, NodeId{}));
  if (!found) --classes_[which].used;
  return found;
}

std::vector<NodeId> ExactSearch::candidates(const Class& of) {
  const PodClass pods = cluster_.class_of(of.pods[of.used]);
  const Evaluation& evaluation = evaluations_.get(profile_, pods);
  const PodShape& shape = cluster_.shape(pods.shape);
  std::vector<NodeId> nodes;
  evaluation.feasible().for_each_set([&](std::size_t i) {
    if (within_ == nullptr || within_->test(i)) nodes.push_back({static_cast<std::uint32_t>(i)});
  });
  const auto ranks = cluster_.name_ranks();
  std::ranges::sort(nodes, {},
                    [&](NodeId node) { return std::pair(slack(node, shape), ranks[node.index]); });
  if (!independent_) return nodes;
  std::unordered_set<std::uint64_t> seen;
  std::erase_if(nodes, [&](NodeId node) { return !seen.insert(likeness(node, of)).second; });
  return nodes;
}

// Equal for nodes between which no class left can tell a difference, now or later.
std::uint64_t ExactSearch::likeness(NodeId node, const Class& of) const {
  const auto unique = [&] {
    const PodShape& shape = cluster_.shape(cluster_.class_of(of.pods.front()).shape);
    return shape.special() || !cluster_.special_shapes(node).empty();
  };
  Digest digest;
  if (unique()) digest.add(std::uint64_t{node.index} + 1);
  for (const ResourceId resource : resources_) {
    digest.add(static_cast<std::uint64_t>(cluster_.allocatable(resource)[node.index] -
                                          cluster_.used(resource)[node.index]));
  }
  for (const auto& each : classes_) {
    if (each.left() == 0) continue;
    digest.add(std::uint64_t{
        evaluations_.get(profile_, cluster_.class_of(each.pods[each.used])).accepts(node)});
  }
  return digest.value();
}

// What the node would have left of the resource it is shortest of, in thousandths: tight nodes
// first.
std::int64_t ExactSearch::slack(NodeId node, const PodShape& shape) const {
  std::int64_t tightest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : shape.requests) {
    const std::int64_t free =
        cluster_.allocatable(resource)[node.index] - cluster_.used(resource)[node.index];
    tightest = std::min(tightest, (free - amount) / std::max<std::int64_t>(amount / 1000, 1));
  }
  return tightest;
}

}  // namespace tutti::core
