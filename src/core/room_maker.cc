#include "core/room_maker.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/search.h"

namespace tutti::core {
namespace {

// Bounds of looking for a better choice of units on one node.
constexpr std::size_t kRefinedUnits = 12;
constexpr int kRefinedSteps = 300;

bool covered(const std::vector<std::int64_t>& missing) {
  return std::ranges::all_of(missing, [](std::int64_t amount) { return amount <= 0; });
}

}  // namespace

RoomMaker::RoomMaker(Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
                     const VictimTable& victims, const Absence& absence,
                     std::span<const PodId> members)
    : cluster_(cluster),
      evaluations_(evaluations),
      profile_(profile),
      victims_(victims),
      absence_(absence),
      evicted_(victims.units.size(), false),
      tally_(victims) {
  sort_members(members);
  list_locals();
  version_.assign(cluster_.node_slots(), 0);
  offered_.assign(cluster_.node_slots(), 0);
}

void RoomMaker::sort_members(std::span<const PodId> members) {
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
    counting_ = counting_ && only_counts(cluster_, profile_, shape);
  }
  resources_.assign(resources.begin(), resources.end());
  // Scarce resources have later ids than cpu and memory: whoever asks for more of them goes first.
  std::ranges::stable_sort(classes_, [&](const auto& a, const auto& b) {
    const PodShape& left = cluster_.shape(cluster_.pod(a.front()).shape);
    const PodShape& right = cluster_.shape(cluster_.pod(b.front()).shape);
    for (auto resource = resources_.rbegin(); resource != resources_.rend(); ++resource) {
      const auto x = left.request(*resource);
      const auto y = right.request(*resource);
      if (x != y) return x > y;
    }
    return false;
  });
}

// Who is where, in what order they would go, and what is left of every node.
void RoomMaker::list_locals() {
  const std::size_t nodes = cluster_.node_slots();
  const std::size_t width = resources_.size();
  left_at_start_.assign(nodes * width, 0);
  cluster_.live_nodes().for_each_set([&](std::size_t n) {
    for (std::size_t r = 0; r < width; ++r) {
      left_at_start_[n * width + r] =
          cluster_.allocatable(resources_[r])[n] - cluster_.used(resources_[r])[n];
    }
  });
  std::vector<std::vector<Local>> by_node(nodes);
  for (std::uint32_t u = 0; u < victims_.units.size(); ++u) {
    const VictimUnit& unit = victims_.units[u];
    for (std::uint32_t p = unit.first_pod; p < unit.first_pod + unit.pod_count; ++p) {
      const NodeId home = absence_.homes()[p];
      auto& here = by_node[home.index];
      if (here.empty() || here.back().unit != u) {
        here.push_back({u, static_cast<std::uint32_t>(freed_.size())});
        freed_.resize(freed_.size() + width, 0);
      }
      const PodShape& shape = cluster_.shape(cluster_.pod(victims_.pods[p]).shape);
      for (std::size_t r = 0; r < width; ++r) {
        const std::int64_t amount = shape.request(resources_[r]);
        freed_[here.back().amounts + r] += amount;
        left_at_start_[home.index * width + r] -= amount;
      }
    }
  }
  first_local_.assign(nodes + 1, 0);
  for (std::size_t n = 0; n < nodes; ++n) {
    std::ranges::stable_sort(by_node[n], {}, [&](const Local& local) {
      const VictimUnit& unit = victims_.units[local.unit];
      return std::tuple(unit.budget_count > 0, unit.priority, unit.cost, unit.pod_count);
    });
    locals_.insert(locals_.end(), by_node[n].begin(), by_node[n].end());
    first_local_[n + 1] = static_cast<std::uint32_t>(locals_.size());
  }
  left_ = left_at_start_;
}

void RoomMaker::start_over() {
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

std::optional<RoomMaker::Room> RoomMaker::make(const Bitset* within, const Room* best) {
  start_over();
  Transaction transaction(cluster_);
  Room room;
  for (const auto& pods : classes_) {
    room.members += place_class(transaction, pods, within);
    if (best != nullptr && tally_.harm() >= best->harm) return std::nullopt;
  }
  if (room.members == 0) return std::nullopt;
  room.units = chosen_;
  std::ranges::sort(room.units);
  room.harm = tally_.harm();
  return room;
}

std::size_t RoomMaker::place_class(Transaction& transaction, std::span<const PodId> pods,
                                   const Bitset* within) {
  const PodShape& shape = cluster_.shape(cluster_.pod(pods.front()).shape);
  std::vector<std::int64_t> request;
  for (const ResourceId resource : resources_) request.push_back(shape.request(resource));

  Bitset usable = evaluations_.get(profile_, cluster_.class_of(pods.front())).feasible();
  if (within != nullptr) usable.and_with(*within);
  std::vector<Offer> first;
  usable.for_each_set([&](std::size_t i) {
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
    for (std::size_t t = before; t < touched_.size(); ++t) {
      const std::size_t node = touched_[t].index;
      // Each of several evictions touches the node, and so does the member.
      if (!usable.test(node) || offered_[node] == version_[node]) continue;
      offered_[node] = version_[node];
      if (const auto next = offer(touched_[t], request)) offers.push(*next);
    }
  }
  return placed;
}

// What it takes to make room for one more such pod on the node.
std::optional<RoomMaker::Offer> RoomMaker::offer(NodeId node,
                                                 std::span<const std::int64_t> request) {
  if (!cover(node, request)) return std::nullopt;
  const Harm now = tally_.harm();
  Harm then = choice_.empty() ? now : tally_.with(choice_);
  then.violations -= now.violations;
  then.cost -= now.cost;
  then.units -= now.units;
  then.pods -= now.pods;
  return Offer{then, cluster_.name_ranks()[node.index], node, version_[node.index]};
}

// Chooses the units of the node that must go for the request to fit; false when all do not suffice.
bool RoomMaker::cover(NodeId node, std::span<const std::int64_t> request) {
  choice_.clear();
  const std::int64_t* left = row(left_, node);
  missing_.resize(request.size());
  for (std::size_t r = 0; r < request.size(); ++r) missing_[r] = request[r] - left[r];
  if (covered(missing_)) return true;
  missing_at_first_ = missing_;
  going_.clear();
  for (const Local& local : locals(node)) {
    if (evicted_[local.unit]) continue;
    if (!helps(local, missing_)) continue;
    const std::int64_t* freed = &freed_[local.amounts];
    for (std::size_t r = 0; r < missing_.size(); ++r) missing_[r] -= freed[r];
    going_.push_back(&local);
    if (covered(missing_)) break;
  }
  if (!covered(missing_)) return false;
  for (auto at = going_.rbegin(); at != going_.rend(); ++at) {
    const std::int64_t* freed = &freed_[(*at)->amounts];
    bool needed = false;
    for (std::size_t r = 0; r < missing_.size(); ++r) needed |= missing_[r] + freed[r] > 0;
    if (needed) {
      choice_.push_back((*at)->unit);
    } else {
      for (std::size_t r = 0; r < missing_.size(); ++r) missing_[r] += freed[r];
    }
  }
  refine(node);
  return true;
}

bool RoomMaker::helps(const Local& local, const std::vector<std::int64_t>& missing) const {
  const std::int64_t* freed = &freed_[local.amounts];
  for (std::size_t r = 0; r < missing.size(); ++r) {
    if (missing[r] > 0 && freed[r] > 0) return true;
  }
  return false;
}

struct RoomMaker::Refinement {
  std::vector<std::int64_t> missing;
  std::vector<std::uint32_t> going;
  Harm best;
  int steps = kRefinedSteps;
};

void RoomMaker::refine(NodeId node) {
  const auto& missing = missing_at_first_;
  bool alike = true;  // then the cheapest are the best
  useful_.clear();
  for (const Local& local : locals(node)) {
    if (evicted_[local.unit] || !helps(local, missing)) continue;
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

void RoomMaker::refine_from(Refinement& state, std::size_t at) {
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

void RoomMaker::evict(std::uint32_t index) {
  evicted_[index] = true;
  chosen_.push_back(index);
  tally_.add(index);
  const VictimUnit& unit = victims_.units[index];
  for (std::uint32_t p = unit.first_pod; p < unit.first_pod + unit.pod_count; ++p) {
    const NodeId home = absence_.homes()[p];
    const PodShape& shape = cluster_.shape(cluster_.pod(victims_.pods[p]).shape);
    std::int64_t* left = row(left_, home);
    for (std::size_t r = 0; r < resources_.size(); ++r) left[r] += shape.request(resources_[r]);
    touch(home);
  }
}

}  // namespace tutti::core
