#include "whatif/headroom.h"

#include <algorithm>
#include <limits>

#include "whatif/largest_that_works.h"

namespace tutti::whatif {
namespace {

constexpr std::int64_t kPlenty = std::numeric_limits<std::int32_t>::max();

std::int64_t best_of(const std::vector<std::int64_t>& sums) {
  return sums.empty() ? 0 : std::ranges::max(sums);
}

}  // namespace

Headroom::Headroom(Rehearsal& rehearsal, std::int32_t evicting_below)
    : cluster_(rehearsal.cluster()) {
  count_needed(rehearsal);
  find_requests(rehearsal);
  find_free(rehearsal, evicting_below);
  rooms_.assign(cluster_.nodes().slots(), 0);
  bottlenecks_.assign(cluster_.nodes().slots(), 0);
  cluster_.nodes().live().for_each_set([&](std::size_t node) {
    std::int64_t least = kPlenty;
    for (std::size_t r = 0; r < requests_.size(); ++r) {
      const std::int64_t here = std::max<std::int64_t>(free_[r][node], 0) / requests_[r].amount;
      // Resources that few nodes have come last, and are worth the more to know about.
      if (here > least) continue;
      least = here;
      bottlenecks_[node] = static_cast<std::uint32_t>(r);
    }
    rooms_[node] = least;
  });
}

void Headroom::count_needed(const Rehearsal& rehearsal) {
  if (!rehearsal.root().valid()) {
    needed_ = static_cast<std::int64_t>(rehearsal.together());
    return;
  }
  const core::Group& group = rehearsal.groups()[rehearsal.root()];
  if (!group.seen() || group.composite) return;
  key_ = group.spec().topology_key;
  const auto count = [](std::size_t members) { return static_cast<std::int64_t>(members); };
  if (group.spec().policy.gang) {
    needed_ =
        std::max<std::int64_t>(group.spec().policy.minimum - count(group.scheduled_count()), 1);
  } else if (rehearsal.asker().group.valid()) {
    needed_ = std::max<std::int64_t>(count(group.pending.size()), 1);
  }
}

void Headroom::find_requests(const Rehearsal& rehearsal) {
  core::ShapeId known;
  for (const core::PodId pod : rehearsal.waiting()) {
    const core::ShapeId id = cluster_.pod(pod).shape;
    if (id == known) continue;
    const core::PodShape& shape = cluster_.shape(id);
    if (!known.valid()) requests_ = shape.requests;
    known = id;
    for (core::ResourceAmount& request : requests_) {
      request.amount = std::min(request.amount, shape.request(request.resource));
    }
  }
  std::erase_if(requests_, [](const core::ResourceAmount& request) { return request.amount <= 0; });
}

void Headroom::find_free(Rehearsal& rehearsal, std::int32_t evicting_below) {
  for (const core::ResourceAmount& request : requests_) {
    const auto allocatable = cluster_.resources().allocatable(request.resource);
    const auto used = cluster_.resources().used(request.resource);
    auto& free = free_.emplace_back(allocatable.begin(), allocatable.end());
    for (std::size_t node = 0; node < free.size(); ++node) free[node] -= used[node];
  }
  // Room that is held for others may be the asker's all the same.
  for (const auto& [pod, node] : cluster_.held()) add_back(pod, node);
  if (!rehearsal.someone_is_below(evicting_below)) return;
  for (const Rehearsal::Occupant& occupant : rehearsal.occupants()) {
    if (occupant.leaving || rehearsal.least_priority(occupant) < evicting_below) {
      add_back(occupant.pod, occupant.node);
    }
  }
}

void Headroom::add_back(core::PodId pod, core::NodeId node) {
  const core::ShapeId id = cluster_.pod(pod).shape;
  if (id != back_) {
    back_ = id;
    back_amounts_.clear();
    for (const core::ResourceAmount& request : requests_) {
      back_amounts_.push_back(cluster_.shape(id).request(request.resource));
    }
  }
  for (std::size_t r = 0; r < requests_.size(); ++r) free_[r][node.index] += back_amounts_[r];
}

std::int64_t Headroom::room_but_for(std::size_t node, std::size_t spared) const {
  std::int64_t least = kPlenty;
  for (std::size_t r = 0; r < requests_.size(); ++r) {
    if (r == spared) continue;
    least = std::min(least, std::max<std::int64_t>(free_[r][node], 0) / requests_[r].amount);
  }
  return least;
}

std::vector<std::uint32_t> Headroom::domains(const std::string& key) const {
  if (!key.empty()) return cluster_.group_domains(key).domain_of;
  return std::vector<std::uint32_t>(cluster_.nodes().slots(), 0);
}

std::vector<std::int64_t> Headroom::by_domain(const std::string& key,
                                              std::span<const std::int64_t> figures) const {
  if (key.empty()) {
    std::int64_t sum = 0;
    cluster_.nodes().live().for_each_set([&](std::size_t node) { sum += figures[node]; });
    return {sum};
  }
  const core::DomainColumn& column = cluster_.group_domains(key);
  std::vector<std::int64_t> sums(column.values.size(), 0);
  cluster_.nodes().live().for_each_set([&](std::size_t node) {
    for (const auto domain : column.domains_at({static_cast<std::uint32_t>(node)})) {
      sums[domain] += figures[node];
    }
  });
  return sums;
}

std::int64_t Headroom::members_within(const std::string& key) const {
  return best_of(by_domain(key, rooms_));
}

std::int64_t Headroom::largest_request(core::ResourceId resource, std::int64_t most) const {
  const auto at = std::ranges::find(requests_, resource, &core::ResourceAmount::resource);
  if (at == requests_.end()) return most;
  const auto spared = static_cast<std::size_t>(at - requests_.begin());
  std::vector<std::int64_t> others(rooms_.size(), 0);
  cluster_.nodes().live().for_each_set(
      [&](std::size_t node) { others[node] = room_but_for(node, spared); });
  std::vector<std::int64_t> rooms(rooms_.size(), 0);
  return largest_that_works(std::int64_t{1}, most, [&](std::int64_t amount) {
    for (std::size_t node = 0; node < rooms.size(); ++node) {
      const std::int64_t free = std::max<std::int64_t>(free_[spared][node], 0);
      rooms[node] = free < amount ? 0 : std::min(others[node], free / amount);
    }
    return best_of(by_domain(key_, rooms)) >= needed_;
  });
}

}  // namespace tutti::whatif
