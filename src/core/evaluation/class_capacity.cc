#include "core/evaluation/class_capacity.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "core/evaluation/counting.h"

namespace tutti::core {
namespace {

// Different levels and slices that are kept counted; others than these are rare.
constexpr std::size_t kLevelsKept = 4;

std::uint32_t room_of(const Cluster& cluster, const PodShape& shape, std::size_t node) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(room_on(cluster, shape, node), kMost));
}

}  // namespace

void ClassCapacity::refresh(const Cluster& cluster, const PodShape& shape, const Bitset& accepted,
                            std::uint64_t epoch) {
  const auto changes = cluster.journal().since(seen_journal_);
  const bool known = changes && epoch == epoch_ &&
                     seen_structure_ == cluster.versions().structure &&
                     room_.size() == cluster.nodes().slots();
  if (known) {
    for (const Change& change : *changes) {
      const std::size_t node = change.node.index;
      update(cluster, node, accepted.test(node) ? room_of(cluster, shape, node) : 0);
    }
  } else {
    count_all(cluster, shape, accepted);
  }
  epoch_ = epoch;
  seen_structure_ = cluster.versions().structure;
  seen_journal_ = cluster.journal().end();
}

void ClassCapacity::count_all(const Cluster& cluster, const PodShape& shape,
                              const Bitset& accepted) {
  room_.assign(cluster.nodes().slots(), 0);
  sums_.clear();
  levels_.clear();
  total_ = 0;
  accepted.for_each_set([&](std::size_t node) {
    room_[node] = room_of(cluster, shape, node);
    total_ += room_[node];
  });
}

void ClassCapacity::update(const Cluster& cluster, std::size_t node, std::uint32_t room) {
  const std::uint32_t before = room_[node];
  if (before == room) return;
  room_[node] = room;
  TUTTI_CHECK(total_ >= before, "a node loses room that was never counted");
  total_ += room;
  total_ -= before;
  for (auto& [key, sums] : sums_) {
    const NodeId id{static_cast<std::uint32_t>(node)};
    for (const std::uint32_t domain : cluster.group_domains(key).domains_at(id)) {
      TUTTI_CHECK(sums[domain] >= before, "a domain loses room that was never counted");
      sums[domain] += room;
      sums[domain] -= before;
    }
  }
  for (const auto& levels : levels_) levels->change(static_cast<std::uint32_t>(node), before, room);
}

std::span<const std::size_t> ClassCapacity::by_domain(const Cluster& cluster,
                                                      const std::string& key) {
  const auto [at, fresh] = sums_.try_emplace(key);
  if (fresh) {
    const DomainColumn& domains = cluster.group_domains(key);
    at->second.assign(domains.values.size(), 0);
    for (std::size_t node = 0; node < room_.size(); ++node) {
      const NodeId id{static_cast<std::uint32_t>(node)};
      for (const std::uint32_t domain : domains.domains_at(id)) at->second[domain] += room_[node];
    }
  }
  return at->second;
}

std::shared_ptr<const LevelCapacity> ClassCapacity::by_level(
    const Cluster& cluster, const std::shared_ptr<const LevelTree>& tree, Slicing slicing) {
  const auto known = std::ranges::find_if(levels_, [&](const auto& levels) {
    return &levels->tree() == tree.get() && levels->slicing() == slicing;
  });
  if (known != levels_.end()) {
    std::rotate(known, known + 1, levels_.end());
    return levels_.back();
  }
  if (levels_.size() == kLevelsKept) levels_.erase(levels_.begin());
  levels_.push_back(std::make_shared<LevelCapacity>(tree, slicing, cluster.nodes().live(), room_));
  return levels_.back();
}

}  // namespace tutti::core
