#include "plugins/placement/pods_count.h"

#include <algorithm>

namespace tutti::plugins {

std::int64_t PodGroupPodsCount::score(const core::Cluster&, const core::GroupTable& groups,
                                      core::GroupId group, const core::Placement&,
                                      std::span<const core::ProposedPod> proposed) const {
  const auto leaves = groups.leaves(group);
  std::size_t running = 0;
  for (const core::GroupId leaf : leaves) running += groups[leaf].scheduled_count();
  // A proposal may already be entered as an assumption of its group.
  const auto fresh = std::ranges::count_if(proposed, [&](const core::ProposedPod& member) {
    return std::ranges::none_of(leaves, [&](core::GroupId leaf) {
      return groups[leaf].assumed.contains(member.pod) ||
             groups[leaf].assigned.contains(member.pod);
    });
  });
  return static_cast<std::int64_t>(running) + fresh;
}

std::optional<std::int64_t> PodGroupPodsCount::foresee(const core::Cluster&,
                                                       const core::GroupTable& groups,
                                                       core::GroupId group, const core::Placement&,
                                                       core::PodId, std::size_t count) const {
  std::size_t running = 0;
  for (const core::GroupId leaf : groups.leaves(group)) running += groups[leaf].scheduled_count();
  return static_cast<std::int64_t>(running + count);
}

}  // namespace tutti::plugins
