// What EvictionProposal knows about a domain before it places anyone there: whether anyone must go
// at all,
// and the least harm, by counting.
//
// Of what a node has too little of, its members together ask for no more than is left and what the
// units free that go. So each unit gains room for so many members at most, and the gains of those
// that go must add up to the members that find no room now. Any such set has at least
//
//   the priority  up to which units must be taken for their gains to suffice
//   the cost, units and pods  of the fraction of units with the least of it for their gain
//
// which bounds every figure of the harm from below, and with them the harm.
#include <algorithm>
#include <limits>

#include "core/preemption/eviction_proposal.h"

namespace tutti::core {
namespace {

__extension__ using Wide = __int128;  // a cost times a gain

constexpr std::int64_t kRoomMax = std::numeric_limits<std::int32_t>::max();

}  // namespace

EvictionProposal::Foreseen EvictionProposal::foresee(const Bitset* within, const Room* best) {
  // Members of several classes, or that mind each other, may be placed in fewer numbers than
  // counting says, with less harm.
  if (!counting_ || classes_.size() != 1) return {};
  const std::vector<PodId>& pods = classes_.front();
  const Count count = find_gains(usable(0, within), request_of(pods.front()));
  const std::int64_t placed = std::min(static_cast<std::int64_t>(pods.size()), count.when_empty);
  if (placed > count.now) {
    return {best != nullptr && gains_do_at_least(best->harm, placed - count.now)};
  }
  if (!count.exact) return {};
  if (placed <= 0 || (best != nullptr && Harm{} >= best->harm)) return {true};
  return {true, Room{{}, Harm{}, static_cast<std::size_t>(placed)}};
}

EvictionProposal::Count EvictionProposal::find_gains(const Bitset& nodes,
                                                     std::span<const std::int64_t> request) {
  for (const Gain& gain : gains_) gain_of_[gain.unit] = kNoIndex;
  gains_.clear();
  Count count;
  nodes.for_each_set([&](std::size_t n) {
    const NodeId node{static_cast<std::uint32_t>(n)};
    std::size_t scarce = 0;
    count.now += room_now(node, request, scarce);
    count.when_empty += room_when_empty(node, request);
    // Others may have taken more than there is of something that members ask for nothing of.
    const std::int64_t* left = row(left_at_start_, node);
    for (std::size_t r = 0; r < request.size(); ++r) {
      count.exact = count.exact && (left[r] >= 0 || request[r] > 0);
    }
    for (const Local& local : locals(node)) {
      const std::int64_t freed = freed_[local.amounts + scarce];
      if (freed <= 0) continue;
      std::uint32_t& at = gain_of_[local.unit];
      if (at == kNoIndex) {
        at = static_cast<std::uint32_t>(gains_.size());
        gains_.push_back({local.unit, 0});
      }
      gains_[at].members += (freed + request[scarce] - 1) / request[scarce];
    }
  });
  return count;
}

// Members that fit while everyone stays, and the resource that runs out first.
std::int64_t EvictionProposal::room_now(NodeId node, std::span<const std::int64_t> request,
                                        std::size_t& scarce) {
  std::int64_t least = kRoomMax;
  const std::int64_t* left = row(left_at_start_, node);
  for (std::size_t r = 0; r < request.size(); ++r) {
    if (request[r] <= 0) continue;
    const std::int64_t here = std::max<std::int64_t>(left[r], 0) / request[r];
    if (here >= least) continue;
    least = here;
    scarce = r;
  }
  return least;
}

std::int64_t EvictionProposal::room_when_empty(NodeId node, std::span<const std::int64_t> request) {
  std::int64_t least = kRoomMax;
  const std::int64_t* left = row(left_when_empty_, node);
  for (std::size_t r = 0; r < request.size(); ++r) {
    if (left[r] < 0) return 0;
    if (request[r] > 0) least = std::min(least, left[r] / request[r]);
  }
  return least;
}

// Figure by figure, as harms are compared; budgets that are not violated bound nothing.
bool EvictionProposal::gains_do_at_least(const Harm& harm, std::int64_t missing) {
  if (harm.violations != 0) return false;
  if (const auto least = least_priority(missing); least != harm.priority) {
    return least > harm.priority;
  }
  const auto unit_of = [&](const Gain& gain) -> const VictimUnit& {
    return victims_.units[gain.unit];
  };
  const std::int64_t cost =
      least_sum(missing, [&](const Gain& gain) { return unit_of(gain).cost; });
  if (cost != harm.cost) return cost > harm.cost;
  const std::int64_t units = least_sum(missing, [](const Gain&) { return std::int64_t{1}; });
  if (units != harm.units) return units > harm.units;
  return least_sum(missing, [&](const Gain& gain) -> std::int64_t {
           return unit_of(gain).pod_count;
         }) >= harm.pods;
}

std::int32_t EvictionProposal::least_priority(std::int64_t missing) {
  const auto priority = [&](const Gain& gain) { return victims_.units[gain.unit].priority; };
  if (!std::ranges::is_sorted(gains_, {}, priority)) std::ranges::sort(gains_, {}, priority);
  std::int32_t reached = Harm::kNobody;
  for (const Gain& gain : gains_) {
    if (missing <= 0) break;
    reached = priority(gain);
    missing -= gain.members;
  }
  return reached;
}

// At least so much weighs whatever gains what is missing: the lightest for their gain go first, of
// the last one as much as it takes.
template <typename Weight>
std::int64_t EvictionProposal::least_sum(std::int64_t missing, const Weight& weight_of) {
  const auto lighter = [&](const Gain& a, const Gain& b) {
    return Wide{weight_of(a)} * b.members < Wide{weight_of(b)} * a.members;
  };
  if (!std::ranges::is_sorted(gains_, lighter)) std::ranges::sort(gains_, lighter);
  std::int64_t sum = 0;
  for (const Gain& gain : gains_) {
    if (missing <= 0) break;
    const std::int64_t weight = weight_of(gain);
    const bool part = gain.members > missing;
    sum +=
        part ? static_cast<std::int64_t>((Wide{weight} * missing + gain.members - 1) / gain.members)
             : weight;
    missing -= gain.members;
  }
  return sum;
}

}  // namespace tutti::core
