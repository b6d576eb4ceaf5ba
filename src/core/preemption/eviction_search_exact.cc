// The last step of EvictionSearch: every choice of units that could do less harm than the one found
// is looked at, or ruled out by harm or by not making enough room.
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "core/preemption/eviction_search.h"

namespace tutti::core {
namespace {

// Beyond this many units that might take part, nothing is tried.
constexpr std::size_t kUnitsMax = 40;
// Members placed, over all trials of one search.
constexpr std::size_t kProofLooksMax = 60'000;

}  // namespace

void EvictionSearch::improve(std::optional<Found>& best) {
  auto worth = worth_a_look(best);
  if (!worth) return;
  order_ = *std::move(worth);
  best_ = &best;
  looks_ = 0;
  kept_.assign(order_.size(), false);
  alike_.assign(order_.size(), false);
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const VictimUnit& one = victims_.units[order_[i - 1]];
    const VictimUnit& other = victims_.units[order_[i]];
    const auto entry = [&](const VictimUnit& unit) -> const PodEntry& {
      return cluster_.pod(victims_.pods[unit.first_pod]);
    };
    alike_[i] = one.pod_count == 1 && other.pod_count == 1 && one.cost == other.cost &&
                one.priority == other.priority && one.budget_count + other.budget_count == 0 &&
                one.bond == other.bond && one.counts == other.counts &&
                entry(one).shape == entry(other).shape &&
                !cluster_.wants_devices(cluster_.shape(entry(one).shape)) &&
                entry(one).labels == entry(other).labels &&
                absence_.homes()[one.first_pod] == absence_.homes()[other.first_pod];
  }
  absence_.only(order_);
  if (!monotone_) {
    descend(0, {});
  } else if (const auto places = trial(nullptr)) {
    descend(0, *places);
  }
  if (best && looks_ <= kProofLooksMax) best->least = !victims_.curtailed;
}

// Units that alone do less harm than the best choice so far, most harmful first. Empty: too many.
std::optional<std::vector<std::uint32_t>> EvictionSearch::worth_a_look(
    const std::optional<Found>& best) const {
  HarmTally tally(victims_);
  std::vector<std::pair<Harm, std::uint32_t>> worth;
  for (std::uint32_t unit = 0; unit < victims_.units.size(); ++unit) {
    const Harm alone = tally.with({&unit, 1});
    if (best && alone >= best->harm) continue;
    if (worth.size() == kUnitsMax) return std::nullopt;
    worth.emplace_back(alone, unit);
  }
  std::ranges::sort(worth, std::ranges::greater{});
  std::vector<std::uint32_t> units;
  for (const auto& [harm, unit] : worth) units.push_back(unit);
  return units;
}

// Decides about the unit at `depth` of the order: those before are decided, those after are away.
// `places` is where members go as things stand.
void EvictionSearch::descend(std::size_t depth, const Places& places) {
  if (looks_ > kProofLooksMax) return;
  if (*best_ && tally_.harm() >= (*best_)->harm) return;
  if (depth == order_.size()) return look_at_leaf(places);
  const std::uint32_t unit = order_[depth];

  if (!tally_.falls(unit)) {
    absence_.put_back(unit);
    kept_[depth] = true;
    if (!monotone_) {
      descend(depth + 1, {});
    } else if (const auto without = trial(nullptr)) {
      descend(depth + 1, *without);
    }
    kept_[depth] = false;
    absence_.lift(unit);
  }

  // Among units that are alike, those last in the order stay.
  if (alike_[depth] && kept_[depth - 1]) return;
  tally_.add(unit);
  evicted_.push_back(unit);
  if (!takes_a_kept_one(depth)) descend(depth + 1, places);
  TUTTI_CHECK(evicted_.back() == unit, "units come back in the reverse order of their going");
  evicted_.pop_back();
  tally_.remove(unit);
}

// Whether someone falls with those evicted who was to stay. Another branch has the two together.
bool EvictionSearch::takes_a_kept_one(std::size_t depth) const {
  for (std::size_t i = 0; i < depth; ++i) {
    if (kept_[i] && tally_.falls(order_[i])) return true;
  }
  return false;
}

void EvictionSearch::look_at_leaf(const Places& places) {
  if (monotone_) {
    *best_ = Found{evicted_, places, tally_.harm(), false};
    return;
  }
  if (auto found = trial(nullptr))
    *best_ = Found{evicted_, *std::move(found), tally_.harm(), false};
}

}  // namespace tutti::core
