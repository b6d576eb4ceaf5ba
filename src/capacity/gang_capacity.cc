#include "capacity/gang_capacity.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/evaluation/counting.h"
#include "core/topology/domains.h"

namespace tutti::capacity {
namespace {

LevelCapacity whole_cluster(std::size_t gang, bool exact) {
  LevelCapacity room;
  room.gang = gang;
  room.exact = exact;
  return room;
}

// --- counted -------------------------------------------------------------------------------------

LevelCapacity counted_in(const core::Cluster& cluster, core::ClassCapacity& counted,
                         const std::string& key) {
  LevelCapacity room{.key = key, .domain = {}, .domains = {}};
  const auto sums = counted.by_domain(cluster, key);
  const auto& values = cluster.group_domains(key).values;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] > 0) room.domains.push_back({values[i], sums[i]});
  }
  const auto rank = [](const DomainCapacity& domain) {
    return std::tuple(-static_cast<std::int64_t>(domain.gang), std::string_view(domain.value));
  };
  std::ranges::sort(room.domains, {}, rank);
  if (room.domains.size() > kDomainsShown) room.domains.resize(kDomainsShown);
  if (!room.domains.empty()) {
    room.gang = room.domains.front().gang;
    room.domain = room.domains.front().value;
  }
  return room;
}

// --- tried ---------------------------------------------------------------------------------------

// Domains of one level in which gangs are tried.
constexpr std::size_t kDomainsTried = 64;

struct LargestGang {
  std::size_t gang = 0;
  bool exact = true;
};

// No gang on these nodes can be larger.
std::size_t bound_on(ClusterCopy& twin, const ImaginedGang& troupe, const Bitset* within) {
  const core::PodShape& shape = troupe.pod_shape();
  const core::Evaluation& evaluation = twin.evaluations().get(troupe.profile(), troupe.pod_class());
  const bool opens = core::may_open_later(shape) || !troupe.profile().counts_resources;
  if (opens) return core::room_for(twin.cluster(), shape, twin.cluster().nodes().live(), within);
  return core::room_for(twin.cluster(), shape, evaluation.feasible(), within, &evaluation);
}

// The largest gang on these nodes that is larger than `beat`, if there is one. A gang of a size
// that fits contains smaller ones that do.
LargestGang largest_tried(ImaginedGang& troupe, const Bitset* within,
                          devices::ConfinementId confinement, std::size_t bound, std::size_t beat) {
  std::size_t fails = std::min(bound, kTriedMost) + 1;  // the smallest size known not to fit
  LargestGang found{beat, bound <= kTriedMost};
  const auto attempt = [&](std::size_t size) {
    const ImaginedGang::Trial trial = troupe.try_gang(size, within, confinement);
    if (trial.placed) {
      found.gang = std::max(found.gang, size);
    } else {
      // What fitted one after another is a gang of its own.
      found.gang = std::max(found.gang, std::min(trial.fitted, size - 1));
      fails = size;
      found.exact = trial.proven;
    }
  };
  // Without anything to beat, all that could fit is the likeliest answer.
  if (beat == 0 && fails > 1) attempt(fails - 1);
  for (std::size_t step = 1; found.gang + 1 < fails; step *= 2) {
    attempt(std::min(found.gang + step, fails - 1));
  }
  return found;
}

LevelCapacity tried_in(ClusterCopy& twin, ImaginedGang& troupe, const std::string& key) {
  const core::Cluster& cluster = twin.cluster();
  const auto domains = core::domains_within(cluster, key, cluster.nodes().live());
  std::vector<std::pair<std::size_t, std::size_t>> order;  // bound, index
  for (std::size_t i = 0; i < domains.size(); ++i) {
    order.emplace_back(bound_on(twin, troupe, &domains[i].nodes), i);
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const auto& each) { return each.first; });
  LevelCapacity room{.key = key, .domain = {}, .domains = {}};
  std::size_t tried = 0;
  for (const auto& [bound, i] : order) {
    if (std::min(bound, kTriedMost) <= room.gang) break;
    if (++tried > kDomainsTried) {
      room.exact = false;
      break;
    }
    const LargestGang found =
        largest_tried(troupe, &domains[i].nodes, domains[i].confinement, bound, room.gang);
    room.exact = room.exact && found.exact;
    if (found.gang == room.gang) continue;
    room.gang = found.gang;
    room.domain = domains[i].value;
  }
  return room;
}

}  // namespace

std::vector<LevelCapacity> room_by_level(ClusterCopy& twin, ImaginedGang& troupe,
                                         std::span<const Level> levels) {
  std::vector<LevelCapacity> rooms;
  const bool counts = troupe.counts();
  for (const Level& level : levels) {
    if (!counts) {
      if (!level.key.empty()) {
        rooms.push_back(tried_in(twin, troupe, level.key));
        continue;
      }
      const LargestGang all =
          largest_tried(troupe, nullptr, {}, bound_on(twin, troupe, nullptr), 0);
      rooms.push_back(whole_cluster(all.gang, all.exact));
      continue;
    }
    core::ClassCapacity& counted = twin.evaluations().room(troupe.profile(), troupe.pod_class());
    rooms.push_back(level.key.empty() ? whole_cluster(counted.total(), true)
                                      : counted_in(twin.cluster(), counted, level.key));
  }
  return rooms;
}

std::size_t pooled_room(const core::Cluster& cluster, const core::PodShape& shape,
                        const Refusals& refusals) {
  const Bitset nodes = refusals.accepted_but_for(core::Concern::resources);
  std::int64_t pods = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : shape.requests) {
    const auto all = cluster.resources().allocatable(resource);
    const auto used = cluster.resources().used(resource);
    std::int64_t free = 0;
    nodes.for_each_set(
        [&](std::size_t node) { free += std::max<std::int64_t>(0, all[node] - used[node]); });
    pods = std::min(pods, free / amount);
  }
  return static_cast<std::size_t>(pods);
}

}  // namespace tutti::capacity
