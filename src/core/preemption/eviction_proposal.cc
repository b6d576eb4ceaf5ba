#include "core/preemption/eviction_proposal.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/evaluation/counting.h"

namespace tutti::core {
namespace {

// Bounds of looking for a better choice of units on one node.
constexpr std::size_t kRefinedUnits = 12;
constexpr int kRefinedSteps = 300;

bool covered(const std::vector<std::int64_t>& missing) {
  return std::ranges::all_of(missing, [](std::int64_t amount) { return amount <= 0; });
}

}  // namespace

EvictionProposal::EvictionProposal(Cluster& cluster, EvaluationCache& evaluations,
                                   const Profile& profile, const VictimTable& victims,
                                   const LiftedVictims& absence, std::span<const PodId> members)
    : cluster_(cluster),
      evaluations_(evaluations),
      profile_(profile),
      victims_(victims),
      absence_(absence),
      evicted_(victims.units.size(), false),
      tally_(victims),
      gain_of_(victims.units.size(), kNoIndex) {
  sort_members(members);
  lifted_ = !victims.units.empty() && absence.away(0);
  if (!lifted_) {
    for (const auto& pods : classes_) open_.push_back(open_nodes(cluster.class_of(pods.front())));
  }
  list_locals();
  version_.assign(cluster_.nodes().slots(), 0);
  offered_.assign(cluster_.nodes().slots(), 0);
}

bool EvictionProposal::only_counts(const Cluster& cluster, const Profile& profile,
                                   const VictimTable& victims, std::span<const PodId> members) {
  const auto shape_of = [&](PodId pod) -> const PodShape& {
    return cluster.shape(cluster.pod(pod).shape);
  };
  const auto counts = [&](PodId pod) { return core::only_counts(cluster, profile, shape_of(pod)); };
  if (profile.has_user_filters || !std::ranges::all_of(members, counts)) return false;
  return cluster.populations().special().empty() ||
         std::ranges::none_of(victims.pods, [&](PodId pod) { return shape_of(pod).special(); });
}

Bitset EvictionProposal::open_nodes(const PodClass& pods) const {
  Bitset open = cluster_.nodes().live();
  for (const auto& filter : profile_.filters) {
    if (filter->only_resources()) continue;  // counted here, with the victims gone
    const auto prepared = filter->prepare_filter(cluster_, pods);
    if (prepared.verdict.code == Code::skip) continue;
    if (!prepared.verdict.success()) return Bitset(open.size());
    prepared.evaluator->filter(open);
  }
  return open;
}

Bitset EvictionProposal::usable(std::size_t class_index, const Bitset* within) {
  const PodId sample = classes_[class_index].front();
  Bitset nodes = lifted_ ? evaluations_.get(profile_, cluster_.class_of(sample)).feasible()
                         : open_[class_index];
  if (within != nullptr) nodes.and_with(*within);
  return nodes;
}

void EvictionProposal::sort_members(std::span<const PodId> members) {
  std::map<EvaluationCache::Key, std::size_t> index;
  std::set<ResourceId> resources;
  for (const PodId pod : members) {
    const auto key = evaluations_.key(profile_, cluster_.class_of(pod));
    const auto [at, fresh] = index.try_emplace(key, classes_.size());
    classes_.resize(index.size());
    classes_[at->second].push_back(pod);
    if (!fresh) continue;
    const PodShape& shape = cluster_.shape(cluster_.pod(pod).shape);
    for (const auto& request : shape.requests) resources.insert(request.resource);
    counting_ = counting_ && core::only_counts(cluster_, profile_, shape);
  }
  resources_.assign(resources.begin(), resources.end());
  // Scarce resources have later ids than cpu and memory: whoever asks for more of them goes first.
  std::ranges::stable_sort(classes_, [&](const auto& a, const auto& b) {
    const PodShape& left = cluster_.shape(cluster_.pod(a.front()).shape);
    const PodShape& right = cluster_.shape(cluster_.pod(b.front()).shape);
    for (std::size_t r = resources_.size(); r-- > 0;) {
      const auto x = left.request(resources_[r]);
      const auto y = right.request(resources_[r]);
      if (x != y) return x > y;
    }
    return false;
  });
}

// Who is where, in what order they would go, and what is left of every node.
void EvictionProposal::list_locals() {
  const std::size_t nodes = cluster_.nodes().slots();
  const std::size_t width = resources_.size();
  left_at_start_.assign(nodes * width, 0);
  cluster_.nodes().live().for_each_set([&](std::size_t n) {
    for (std::size_t r = 0; r < width; ++r) {
      left_at_start_[n * width + r] = cluster_.resources().allocatable(resources_[r])[n] -
                                      cluster_.resources().used(resources_[r])[n];
    }
  });
  left_when_empty_ = left_at_start_;
  // Each node's begin where as many would end as pods are there; units have several on few nodes.
  first_local_.assign(nodes + 1, 0);
  for (const NodeId home : absence_.homes()) ++first_local_[home.index + 1];
  std::partial_sum(first_local_.begin(), first_local_.end(), first_local_.begin());
  locals_.resize(absence_.homes().size());
  std::vector<std::uint32_t> end(first_local_.begin(), first_local_.end() - 1);
  freed_.reserve(locals_.size() * width);
  ShapeId known;  // most pods ask for what the one before asked for
  std::vector<std::int64_t> asked(width, 0);
  for (std::uint32_t u = 0; u < victims_.units.size(); ++u) {
    const VictimUnit& unit = victims_.units[u];
    for (std::uint32_t p = unit.first_pod; p < unit.first_pod + unit.pod_count; ++p) {
      const std::size_t home = absence_.homes()[p].index;
      if (end[home] == first_local_[home] || locals_[end[home] - 1].unit != u) {
        locals_[end[home]++] = {u, static_cast<std::uint32_t>(freed_.size())};
        freed_.resize(freed_.size() + width, 0);
      }
      const std::uint32_t amounts = locals_[end[home] - 1].amounts;
      if (const ShapeId shape = cluster_.pod(victims_.pods[p]).shape; shape != known) {
        known = shape;
        for (std::size_t r = 0; r < width; ++r) {
          asked[r] = cluster_.shape(shape).request(resources_[r]);
        }
      }
      for (std::size_t r = 0; r < width; ++r) {
        const std::int64_t amount = asked[r];
        freed_[amounts + r] += amount;
        if (lifted_) {
          left_at_start_[home * width + r] -= amount;
        } else {
          left_when_empty_[home * width + r] += amount;
        }
      }
    }
  }
  sort_locals(end);
  left_ = left_at_start_;
}

// Sorts the units of each node, and closes up behind nodes that have fewer than was made room for.
void EvictionProposal::sort_locals(std::span<const std::uint32_t> end) {
  const auto order = [&](const Local& local) {
    const VictimUnit& unit = victims_.units[local.unit];
    return std::tuple(unit.budget_count > 0, unit.priority, unit.cost, unit.pod_count);
  };
  std::uint32_t filled = 0;
  for (std::size_t n = 0; n < end.size(); ++n) {
    const auto here = std::span(locals_).subspan(first_local_[n], end[n] - first_local_[n]);
    if (!std::ranges::is_sorted(here, {}, order)) std::ranges::stable_sort(here, {}, order);
    if (first_local_[n] != filled) std::ranges::copy(here, locals_.begin() + filled);
    first_local_[n] = filled;
    filled += static_cast<std::uint32_t>(here.size());
  }
  first_local_.back() = filled;
  locals_.resize(filled);
}

void EvictionProposal::start_over() {
  const std::size_t width = resources_.size();
  for (const NodeId node : touched_) {
    std::copy_n(row(left_at_start_, node), width, row(left_, node));
  }
  touched_.clear();
  for (const std::uint32_t unit : chosen_) {
    evicted_[unit] = false;
    tally_.remove(unit);
  }
  chosen_.clear();
}

std::optional<EvictionProposal::Room> EvictionProposal::make(const Bitset* within,
                                                             const Room* best) {
  if (auto foreseen = foresee(within, best); foreseen.certain) return std::move(foreseen.room);
  start_over();
  Transaction transaction(cluster_);
  Room room;
  const Harm* most = best != nullptr ? &best->harm : nullptr;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    room.members += place_class(transaction, i, within, most);
    if (best != nullptr && tally_.harm() >= best->harm) return std::nullopt;
  }
  if (room.members == 0) return std::nullopt;
  room.units = chosen_;
  std::ranges::sort(room.units);
  room.harm = tally_.harm();
  return room;
}

std::vector<std::int64_t> EvictionProposal::request_of(PodId pod) const {
  const PodShape& shape = cluster_.shape(cluster_.pod(pod).shape);
  std::vector<std::int64_t> request;
  for (const ResourceId resource : resources_) request.push_back(shape.request(resource));
  return request;
}

std::size_t EvictionProposal::place_class(Transaction& transaction, std::size_t class_index,
                                          const Bitset* within, const Harm* most) {
  const std::vector<PodId>& pods = classes_[class_index];
  const std::vector<std::int64_t> request = request_of(pods.front());
  const Bitset nodes = usable(class_index, within);
  std::vector<Offer> first;
  nodes.for_each_set([&](std::size_t i) {
    if (const auto made = offer(NodeId{static_cast<std::uint32_t>(i)}, request)) {
      first.push_back(*made);
    }
  });
  Offers offers(std::greater<>{}, std::move(first));

  std::size_t placed = 0;
  while (placed < pods.size() && !offers.empty()) {
    const Offer top = offers.top();
    offers.pop();
    if (top.version != version_[top.node.index]) continue;
    const auto now = offer(top.node, request);
    if (!now) continue;
    if (now->harm != top.harm) {
      offers.push(*now);
      continue;
    }
    // Where only resources matter, a node that cover() found enough of them on takes the member.
    if (!counting_) {
      Evaluation& evaluation = evaluations_.get(profile_, cluster_.class_of(pods[placed]));
      if (!evaluation.accepts(top.node) ||
          !transaction.place(pods[placed], top.node, profile_).success()) {
        continue;
      }
    }
    const std::size_t before = touched_.size();
    const std::vector<std::uint32_t> going = choice_;
    for (const std::uint32_t unit : going) evict(unit);
    std::int64_t* left = row(left_, top.node);
    for (std::size_t r = 0; r < request.size(); ++r) left[r] -= request[r];
    touch(top.node);
    ++placed;
    if (most != nullptr && tally_.harm() >= *most) return placed;
    for (std::size_t t = before; t < touched_.size(); ++t) {
      const std::size_t node = touched_[t].index;
      // Each of several evictions touches the node, and so does the member.
      if (!nodes.test(node) || offered_[node] == version_[node]) continue;
      offered_[node] = version_[node];
      if (const auto next = offer(touched_[t], request)) offers.push(*next);
    }
  }
  return placed;
}

// What it takes to make room for one more such pod on the node.
std::optional<EvictionProposal::Offer> EvictionProposal::offer(
    NodeId node, std::span<const std::int64_t> request) {
  if (!cover(node, request)) return std::nullopt;
  const Harm now = tally_.harm();
  Harm then = choice_.empty() ? now : tally_.with(choice_);
  then.violations -= now.violations;
  then.cost -= now.cost;
  then.units -= now.units;
  then.pods -= now.pods;
  return Offer{then, cluster_.nodes().name_ranks()[node.index], node, version_[node.index]};
}

// Chooses the units of the node that must go for the request to fit; false when all do not suffice.
bool EvictionProposal::cover(NodeId node, std::span<const std::int64_t> request) {
  choice_.clear();
  const std::int64_t* left = row(left_, node);
  missing_.resize(request.size());
  for (std::size_t r = 0; r < request.size(); ++r) missing_[r] = request[r] - left[r];
  if (covered(missing_)) return true;
  missing_at_first_ = missing_;
  going_.clear();
  if (!victims_.bonds.empty()) take_locals(node, true);
  if (!covered(missing_)) take_locals(node, false);
  if (!covered(missing_)) return false;
  for (std::size_t last = going_.size(); last-- > 0;) {
    const Local& local = *going_[last];
    const std::int64_t* freed = &freed_[local.amounts];
    bool needed = false;
    for (std::size_t r = 0; r < missing_.size(); ++r) needed |= missing_[r] + freed[r] > 0;
    if (needed) {
      choice_.push_back(local.unit);
    } else {
      for (std::size_t r = 0; r < missing_.size(); ++r) missing_[r] += freed[r];
    }
  }
  refine(node);
  return true;
}

// The first that help until nothing is missing; only those without whom all gangs stand, if
// `sparing`.
void EvictionProposal::take_locals(NodeId node, bool sparing) {
  for (const Local& local : locals(node)) {
    if (evicted_[local.unit] || !helps(local, missing_)) continue;
    if (sparing && tally_.tips(local.unit, going_of(victims_.units[local.unit].bond))) continue;
    if (std::ranges::count(going_, &local) > 0) continue;
    const std::int64_t* freed = &freed_[local.amounts];
    for (std::size_t r = 0; r < missing_.size(); ++r) missing_[r] -= freed[r];
    going_.push_back(&local);
    if (covered(missing_)) return;
  }
}

std::int64_t EvictionProposal::going_of(std::uint32_t bond) const {
  if (bond == kNoIndex) return 0;
  return std::ranges::count_if(going_, [&](const Local* local) {
    const VictimUnit& unit = victims_.units[local->unit];
    return unit.bond == bond && unit.counts;
  });
}

bool EvictionProposal::helps(const Local& local, const std::vector<std::int64_t>& missing) const {
  const std::int64_t* freed = &freed_[local.amounts];
  for (std::size_t r = 0; r < missing.size(); ++r) {
    if (missing[r] > 0 && freed[r] > 0) return true;
  }
  return false;
}

struct EvictionProposal::Refinement {
  std::vector<std::int64_t> missing;
  std::vector<std::uint32_t> going;
  Harm best;
  int steps = kRefinedSteps;
};

void EvictionProposal::refine(NodeId node) {
  const auto& missing = missing_at_first_;
  bool alike = true;  // then the cheapest are the best
  useful_.clear();
  for (const Local& local : locals(node)) {
    if (evicted_[local.unit] || !helps(local, missing)) continue;
    alike = alike && victims_.units[local.unit].bond == kNoIndex;
    if (!useful_.empty()) {
      const Local& first = *useful_.front();
      alike = alike && victims_.units[local.unit].priority == victims_.units[first.unit].priority &&
              std::equal(&freed_[local.amounts], &freed_[local.amounts] + missing.size(),
                         &freed_[first.amounts]);
    }
    useful_.push_back(&local);
  }
  if (alike || useful_.size() > kRefinedUnits) return;
  Refinement state{missing, {}, tally_.with(choice_)};
  refine_from(state, 0);
}

void EvictionProposal::refine_from(Refinement& state, std::size_t at) {
  if (--state.steps < 0) return;
  const Harm harm = tally_.with(state.going);
  if (!state.going.empty() && harm >= state.best) return;
  if (covered(state.missing)) {
    state.best = harm;
    choice_ = state.going;
    return;
  }
  if (at == useful_.size()) return;
  const Local& local = *useful_[at];
  const std::int64_t* freed = &freed_[local.amounts];
  for (std::size_t r = 0; r < state.missing.size(); ++r) state.missing[r] -= freed[r];
  state.going.push_back(local.unit);
  refine_from(state, at + 1);
  state.going.pop_back();
  for (std::size_t r = 0; r < state.missing.size(); ++r) state.missing[r] += freed[r];
  refine_from(state, at + 1);
}

void EvictionProposal::evict(std::uint32_t unit) {
  if (evicted_[unit]) return;  // it fell with another one
  take_away(unit);
  for (std::uint32_t bond = victims_.units[unit].bond; bond != kNoIndex;
       bond = victims_.bonds[bond].parent) {
    for (const std::uint32_t other : victims_.bonds[bond].units) {
      if (!evicted_[other] && tally_.falls(other)) take_away(other);
    }
  }
}

void EvictionProposal::take_away(std::uint32_t unit) {
  TUTTI_CHECK(!evicted_[unit], "a unit goes once");
  evicted_[unit] = true;
  chosen_.push_back(unit);
  tally_.add(unit);
  const VictimUnit& going = victims_.units[unit];
  for (std::uint32_t p = going.first_pod; p < going.first_pod + going.pod_count; ++p) {
    const NodeId home = absence_.homes()[p];
    const PodShape& shape = cluster_.shape(cluster_.pod(victims_.pods[p]).shape);
    std::int64_t* left = row(left_, home);
    for (std::size_t r = 0; r < resources_.size(); ++r) left[r] += shape.request(resources_[r]);
    touch(home);
  }
}

}  // namespace tutti::core
