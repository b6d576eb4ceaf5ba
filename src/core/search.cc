#include "core/search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

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
                     const Bitset* within, const Evaluation* counting) {
  std::size_t room = 0;
  nodes.for_each_set([&](std::size_t i) {
    if (within != nullptr && !within->test(i)) return;
    std::int64_t fits = std::numeric_limits<std::int64_t>::max();
    if (counting != nullptr) fits = counting->room({static_cast<std::uint32_t>(i)});
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
  std::map<EvaluationCache::Key, std::size_t> index;
  std::set<ResourceId> resources;
  // A member that selects pods tells members of different labels apart.
  const bool selective = std::ranges::any_of(members, [&](PodId pod) {
    const PodShape& shape = cluster_.shape(cluster_.pod(pod).shape);
    return shape.has_pod_affinity || !shape.spec->spread.empty();
  });
  for (const PodId pod : members) {
    const PodClass pods = cluster_.class_of(pod);
    const auto key = selective ? EvaluationCache::Key(pods.shape, pods.labels, pods.claims)
                               : evaluations_.key(profile_, pods);
    const auto [at, fresh] = index.try_emplace(key, classes_.size());
    if (fresh) {
      const PodShape& shape = cluster_.shape(pods.shape);
      classes_.push_back({.pods = {}, .shape = &shape, .opens_later = may_open_later(shape)});
      independent_ = independent_ && !classes_.back().opens_later;
      alike_allowed_ = alike_allowed_ && !shape.special() && shape.spec->spread.empty() &&
                       shape.spec->resource_claims.empty();
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
    const Evaluation& known = evaluation(each);
    reachable += std::min(each.pods.size(),
                          room_for(cluster_, *each.shape, known.feasible(), within_, &known));
  }
  return reachable < need;
}

Search ExactSearch::run(Transaction& transaction, std::span<const PodId> members,
                        std::size_t need) {
  sort_into_classes(members);
  if (out_of_reach(need)) return Search::impossible;
  if (members.size() > kMembersMax || classes_.size() > kClassesMax) return Search::exhausted;
  if (descend(transaction, need, 0)) return Search::found;
  return looks_ > budget_ ? Search::exhausted : Search::impossible;
}

bool ExactSearch::descend(Transaction& transaction, std::size_t missing, std::uint64_t state) {
  if (missing == 0) return true;
  if (looks_ > budget_ || !failed_.insert(state).second) return false;

  std::size_t reachable = 0;
  std::vector<Choice> open = choices();
  for (const auto& each : classes_) reachable += each.opens_later ? each.left() : 0;
  for (const auto& choice : open) {
    if (!classes_[choice.which].opens_later) reachable += classes_[choice.which].left();
  }
  if (reachable < missing) return false;
  std::ranges::stable_sort(open, {}, [](const Choice& choice) { return choice.nodes.size(); });

  if (!independent_) {
    return std::ranges::any_of(
        open, [&](const Choice& choice) { return place_one(transaction, choice, missing, state); });
  }
  // With independent classes some order places the hardest class first, or leaves one of it out.
  open.resize(1);
  return place_one(transaction, open.front(), missing, state) ||
         give_up_one(transaction, open.front().which, missing, state);
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
    if (looks_ > budget_) return false;
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

Evaluation& ExactSearch::evaluation(const Class& of) {
  const PodId next = of.pods[std::min(of.used, of.pods.size() - 1)];
  return evaluations_.get(profile_, cluster_.class_of(next));
}

// The classes that have somewhere to go, with their nodes in the order to be tried.
std::vector<ExactSearch::Choice> ExactSearch::choices() {
  std::vector<Choice> open;
  std::vector<Bitset> accepted;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].left() == 0) continue;
    const Bitset& nodes = evaluation(classes_[i]).feasible();
    if (alike_allowed_) accepted.push_back(nodes);
    open.push_back({i, tightest_first(classes_[i], nodes)});
    looks_ += 1 + open.back().nodes.size();
  }
  if (alike_allowed_) {
    for (auto& choice : open) drop_alike(choice.nodes, accepted);
  }
  std::erase_if(open, [](const Choice& choice) { return choice.nodes.empty(); });
  return open;
}

std::vector<NodeId> ExactSearch::tightest_first(const Class& of, const Bitset& nodes) const {
  const auto ranks = cluster_.name_ranks();
  std::vector<std::tuple<std::int64_t, std::uint32_t, NodeId>> ranked;
  nodes.for_each_set([&](std::size_t i) {
    if (within_ != nullptr && !within_->test(i)) return;
    const NodeId node{static_cast<std::uint32_t>(i)};
    ranked.emplace_back(slack(node, *of.shape), ranks[i], node);
  });
  std::ranges::sort(ranked);
  std::vector<NodeId> ordered;
  ordered.reserve(ranked.size());
  for (const auto& entry : ranked) ordered.push_back(std::get<NodeId>(entry));
  return ordered;
}

// Keeps the first of nodes between which no class left can tell a difference, now or later: equal
// in what is free and in whom they accept.
void ExactSearch::drop_alike(std::vector<NodeId>& nodes, std::span<const Bitset> accepted) const {
  std::unordered_set<std::uint64_t> seen;
  std::erase_if(nodes, [&](NodeId node) {
    Digest digest;
    for (const ResourceId resource : resources_) {
      digest.add(static_cast<std::uint64_t>(cluster_.allocatable(resource)[node.index] -
                                            cluster_.used(resource)[node.index]));
    }
    for (const auto& mask : accepted) digest.add(std::uint64_t{mask.test(node.index)});
    return !seen.insert(digest.value()).second;
  });
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
