#include "core/evaluation/counting.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"
#include "core/evaluation/evaluation.h"

namespace tutti::core {

std::int64_t free_of(const Cluster& cluster, ResourceId resource, std::size_t node) {
  return cluster.resources().allocatable(resource)[node] - cluster.resources().used(resource)[node];
}

bool has_hard_spread(const PodShape& shape) {
  return std::ranges::any_of(shape.spec->spread,
                             [](const auto& constraint) { return constraint.hard; });
}

std::size_t room_on(const Cluster& cluster, const PodShape& shape, std::size_t node) {
  std::int64_t fits = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : shape.requests) {
    fits = std::min(fits, free_of(cluster, resource, node) / amount);
  }
  return static_cast<std::size_t>(std::max<std::int64_t>(fits, 0));
}

std::size_t room_for(const Cluster& cluster, const PodShape& shape, const Bitset& nodes,
                     const Bitset* within, const Evaluation* counting) {
  std::size_t room = 0;
  const auto count = [&](std::size_t node) {
    std::size_t fits = room_on(cluster, shape, node);
    if (counting == nullptr) return fits;
    const std::int64_t counted = counting->room({static_cast<std::uint32_t>(node)});
    return std::min(fits, static_cast<std::size_t>(std::max<std::int64_t>(counted, 0)));
  };
  for (std::size_t w = 0; w < nodes.words().size(); ++w) {
    auto rest = nodes.word(w);
    if (within != nullptr) rest &= within->word(w);
    for (; rest != 0; rest &= rest - 1) {
      room += count(w * Bitset::kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
  return room;
}

void count_what_runs_out(const Cluster& cluster, const PodShape& shape, std::size_t node,
                         std::span<std::size_t> counts) {
  TUTTI_CHECK(counts.size() == shape.requests.size(), "one figure for each request");
  const auto held = static_cast<std::int64_t>(room_on(cluster, shape, node));
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const auto& [resource, amount] = shape.requests[r];
    counts[r] += free_of(cluster, resource, node) / amount <= held ? 1 : 0;
  }
}

bool may_open_later(const PodShape& shape) {
  return has_hard_spread(shape) || !shape.spec->affinity.required.empty();
}

bool only_counts(const Cluster& cluster, const Profile& profile, const PodShape& shape) {
  return profile.counts_resources && !shape.special() && !has_hard_spread(shape) &&
         !shape.shares_devices && !cluster.wants_devices(shape);
}

}  // namespace tutti::core
