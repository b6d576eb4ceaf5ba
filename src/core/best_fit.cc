#include "core/best_fit.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace tutti::core {

BestFit::BestFit(const Cluster& cluster, const std::vector<std::string>& keys, const Bitset& within,
                 std::span<const std::uint32_t> room, BestFitOptions options)
    : cluster_(cluster), options_(std::move(options)), nodes_level_(keys.size()) {
  for (const std::string& key : keys) columns_.push_back(&cluster.domains(key));
  slice_level_ = options_.slice_level == Levels::kNone ? nodes_level_ : options_.slice_level;
  count(within, room);
}

std::uint32_t BestFit::domain_of(std::size_t level, std::uint32_t node) const {
  return level == nodes_level_ ? node : columns_[level]->domain_of[node];
}

void BestFit::count(const Bitset& within, std::span<const std::uint32_t> room) {
  for (std::size_t level = 0; level <= nodes_level_; ++level) {
    const std::size_t domains =
        level == nodes_level_ ? cluster_.node_slots() : columns_[level]->values.size();
    pods_.emplace_back(domains, 0);
    units_.emplace_back(domains, 0);
    parent_.emplace_back(domains, DomainColumn::kNone);
  }
  within.for_each_set([&](std::size_t i) {
    const auto node = static_cast<std::uint32_t>(i);
    if (room[i] == 0) return;
    for (const DomainColumn* column : columns_) {
      if (column->domain_of[i] == DomainColumn::kNone) return;
    }
    for (std::size_t level = 0; level <= nodes_level_; ++level) {
      const std::uint32_t domain = domain_of(level, node);
      pods_[level][domain] += room[i];
      if (level > 0) parent_[level][domain] = domain_of(level - 1, node);
    }
  });
  for (std::size_t level = nodes_level_ + 1; level-- > 0;) {
    for (std::size_t d = 0; d < pods_[level].size(); ++d) {
      if (level >= slice_level_) units_[level][d] = pods_[level][d] / options_.slice_size;
      if (level == 0 || level > slice_level_ || units_[level][d] == 0) continue;
      units_[level - 1][parent_[level][d]] += units_[level][d];
    }
  }
}

std::size_t BestFit::capacity() const {
  const std::size_t level = options_.required == Levels::kNone ? 0 : options_.required;
  std::size_t most = 0;
  std::size_t all = 0;
  const std::uint32_t only =
      options_.required == Levels::kNone ? DomainColumn::kNone : anchor(options_.required);
  for (std::size_t d = 0; d < units_[level].size(); ++d) {
    if (only != DomainColumn::kNone && d != only) continue;
    most = std::max(most, units_[level][d]);
    all += units_[level][d];
  }
  return (options_.required == Levels::kNone ? all : most) * options_.slice_size;
}

// By name along the whole path, so that the order of domains never depends on their numbers.
bool BestFit::comes_before(std::size_t level, std::uint32_t a, std::uint32_t b) const {
  if (a == b) return false;
  if (level > 0 && parent_[level][a] != parent_[level][b]) {
    return comes_before(level - 1, parent_[level][a], parent_[level][b]);
  }
  if (level == nodes_level_) return cluster_.name_ranks()[a] < cluster_.name_ranks()[b];
  return columns_[level]->values[a] < columns_[level]->values[b];
}

// The domain of the level that all anchors are in, if they are in one.
std::uint32_t BestFit::anchor(std::size_t level) const {
  std::uint32_t common = DomainColumn::kNone;
  for (const NodeId node : options_.anchors) {
    const std::uint32_t domain = domain_of(level, node.index);
    if (common == DomainColumn::kNone) common = domain;
    if (common != domain) return DomainColumn::kNone;
  }
  return common;
}

// The domain with the least (of a spread: the most) to spare among those that hold everything.
std::vector<BestFit::Part> BestFit::single_domain(std::size_t level, std::size_t units) const {
  const std::uint32_t only = anchor(level);
  std::uint32_t best = DomainColumn::kNone;
  const auto rank = [&](std::uint32_t d) { return std::pair(units_[level][d], pods_[level][d]); };
  for (std::uint32_t d = 0; d < units_[level].size(); ++d) {
    if (units_[level][d] < units || (only != DomainColumn::kNone && d != only)) continue;
    if (best != DomainColumn::kNone) {
      const bool better = options_.spread ? rank(d) > rank(best) : rank(d) < rank(best);
      const bool equal = rank(d) == rank(best);
      if (!better && !(equal && comes_before(level, d, best))) continue;
    }
    best = d;
  }
  if (best == DomainColumn::kNone) return {};
  return {{best, units_[level][best], pods_[level][best], units}};
}

// From the preferred level outwards.
std::vector<BestFit::Part> BestFit::choose_start(std::size_t units, std::size_t& level) const {
  const bool bounded = options_.required != Levels::kNone;
  const std::size_t widest = bounded ? options_.required : 0;
  level = options_.preferred != Levels::kNone ? options_.preferred
          : bounded                           ? options_.required
                                              : nodes_level_;
  level = std::min(level, slice_level_);
  for (;; --level) {
    if (auto found = single_domain(level, units); !found.empty()) return found;
    if (level == widest) break;
  }
  if (bounded) return {};
  std::vector<Part> all = parts(0, 0, {});
  distribute(0, all, units);
  return all;
}

std::vector<NodeId> BestFit::place(std::size_t count) const {
  const std::size_t units = count / options_.slice_size;
  std::size_t level = 0;
  if (capacity() < count) return {};
  std::vector<Part> chosen = choose_start(units, level);
  if (chosen.empty()) return {};
  chosen = descend(level, std::move(chosen));
  std::ranges::sort(
      chosen, [&](const Part& a, const Part& b) { return comes_before(nodes_level_, a.id, b.id); });
  std::vector<NodeId> nodes;
  for (const Part& part : chosen) nodes.insert(nodes.end(), part.given, NodeId{part.id});
  return nodes;
}

// Down to the nodes: above the slice level the children of all chosen domains together, below it
// each domain for itself.
std::vector<BestFit::Part> BestFit::descend(std::size_t level, std::vector<Part> chosen) const {
  while (level < slice_level_) {
    std::size_t units = 0;
    for (const Part& part : chosen) units += part.given;
    auto below = parts(level + 1, level, chosen);
    distribute(++level, below, units);
    chosen = std::move(below);
  }
  for (Part& part : chosen) part.given *= options_.slice_size;
  while (level < nodes_level_) {
    std::vector<Part> next;
    auto below = parts(level + 1, level, chosen);
    const auto parent_of = [&](const Part& part) { return parent_[level + 1][part.id]; };
    std::ranges::stable_sort(below, {}, parent_of);
    for (const Part& part : chosen) {
      const auto first = std::ranges::lower_bound(below, part.id, {}, parent_of);
      const auto last = std::ranges::upper_bound(below, part.id, {}, parent_of);
      std::vector<Part> among(first, last);
      for (Part& each : among) each.units = each.pods;
      distribute(level + 1, among, part.given);
      next.insert(next.end(), among.begin(), among.end());
    }
    chosen = std::move(next);
    ++level;
  }
  return chosen;
}

// The domains of the level that lie in one of the parents and hold something; all without parents.
std::vector<BestFit::Part> BestFit::parts(std::size_t level, std::size_t parent_level,
                                          std::span<const Part> parents) const {
  std::vector<bool> inside(pods_[parent_level].size(), parents.empty());
  for (const Part& parent : parents) inside[parent.id] = true;
  std::vector<Part> found;
  for (std::uint32_t d = 0; d < pods_[level].size(); ++d) {
    if (pods_[level][d] == 0) continue;
    const bool counts =
        parents.empty() || (parent_[level][d] != DomainColumn::kNone && inside[parent_[level][d]]);
    if (counts) found.push_back({d, units_[level][d], pods_[level][d]});
  }
  return found;
}

// Gives the units to as few as possible, and drops those that get none.
void BestFit::distribute(std::size_t level, std::vector<Part>& among, std::size_t units) const {
  if (options_.spread) return distribute_evenly(level, among, units);
  std::ranges::sort(among, [&](const Part& a, const Part& b) {
    if (a.units != b.units) return a.units > b.units;
    if (a.pods != b.pods) return a.pods < b.pods;
    return comes_before(level, a.id, b.id);
  });
  std::size_t at = 0;
  while (at < among.size() && units > among[at].units) {
    among[at].given = among[at].units;
    units -= among[at].units;
    ++at;
  }
  if (units > 0 && at < among.size()) {
    // Largest first means that the last one to hold the rest holds it tightest; of equals the
    // first.
    std::size_t last = at;
    for (std::size_t i = at; i < among.size() && among[i].units >= units; ++i) {
      if (among[i].units < among[last].units) last = i;
    }
    among[last].given = units;
  }
  std::erase_if(among, [](const Part& part) { return part.given == 0; });
}

void BestFit::distribute_evenly(std::size_t level, std::vector<Part>& among,
                                std::size_t units) const {
  std::ranges::sort(among,
                    [&](const Part& a, const Part& b) { return comes_before(level, a.id, b.id); });
  using Turn = std::tuple<std::size_t, std::size_t, std::size_t>;  // given, less room first, index
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> next;
  constexpr std::size_t kMost = static_cast<std::size_t>(-1);
  for (std::size_t i = 0; i < among.size(); ++i) {
    if (among[i].units > 0) next.emplace(0, kMost - among[i].units, i);
  }
  for (; units > 0 && !next.empty(); --units) {
    const auto [given, room, i] = next.top();
    next.pop();
    if (++among[i].given < among[i].units) next.emplace(among[i].given, room, i);
  }
  std::erase_if(among, [](const Part& part) { return part.given == 0; });
}

}  // namespace tutti::core
