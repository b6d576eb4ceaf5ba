#include "core/placement/tightness.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
namespace tutti::core {

std::vector<NodeId> Tightness::order(const Bitset& nodes) {
  std::vector<NodeId> ordered;
  if (!std::exchange(asked_before_, true)) {
    for (const auto& each : ranked(nodes)) ordered.push_back(std::get<NodeId>(each));
    return ordered;
  }
  if (ranked_.empty()) {
    ranked_ = ranked(among_ != nullptr ? *among_ : cluster_.nodes().live());
    slack_of_.resize(cluster_.nodes().slots());
    for (const auto& [slack, name, node] : ranked_) slack_of_[node.index] = slack;
  }
  for (const auto& [slack, name, node] : ranked_) {
    if (nodes.test(node.index)) ordered.push_back(node);
  }
  return ordered;
}

std::vector<Tightness::Rank> Tightness::ranked(const Bitset& nodes) const {
  std::vector<Rank> made;
  nodes.for_each_set(
      [&](std::size_t node) { made.push_back(rank({static_cast<std::uint32_t>(node)})); });
  std::ranges::sort(made);
  return made;
}

void Tightness::moved(NodeId node) {
  if (ranked_.empty() || (among_ != nullptr && !among_->test(node.index))) return;
  const Rank now = rank(node);
  Rank before = now;
  std::get<0>(before) = std::exchange(slack_of_[node.index], std::get<0>(now));
  const auto from = std::ranges::lower_bound(ranked_, before);
  TUTTI_CHECK(from != ranked_.end() && *from == before, "a node is ranked by what it was");
  const auto to = std::ranges::lower_bound(ranked_, now);
  if (from < to) {
    std::rotate(from, from + 1, to);
    *(to - 1) = now;
  } else {
    std::rotate(to, from, from + 1);
    *to = now;
  }
}

// What the node would have left of the resource it is shortest of, in thousandths.
Tightness::Rank Tightness::rank(NodeId node) const {
  std::int64_t tightest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : shape_.requests) {
    const std::int64_t free = cluster_.resources().allocatable(resource)[node.index] -
                              cluster_.resources().used(resource)[node.index];
    tightest = std::min(tightest, (free - amount) / std::max<std::int64_t>(amount / 1000, 1));
  }
  return {tightest, cluster_.nodes().name_ranks()[node.index], node};
}

}  // namespace tutti::core
