#include "core/topology/best_fit.h"

#include <algorithm>
#include <iterator>
#include <queue>
#include <tuple>

#include "base/check.h"

namespace tutti::core {

BestFit::BestFit(const Cluster& cluster, const LevelCapacity& room, const Bitset& within,
                 std::span<const std::uint32_t> nodes, BestFitOptions options)
    : cluster_(cluster),
      room_(room),
      tree_(room.tree()),
      within_(within),
      nodes_(nodes),
      options_(std::move(options)),
      nodes_level_(tree_.nodes_level()),
      slice_level_(room.slicing().level),
      slice_size_(room.slicing().size),
      ranks_(nodes_level_ + 1) {
  TUTTI_CHECK(slice_size_ > 0, "slices of nobody");
  TUTTI_CHECK(options_.required == Levels::kNone || options_.required < nodes_level_,
              "members must share a domain of a level that is there");
}

std::size_t BestFit::pods_in(std::size_t level, std::uint32_t domain) const {
  if (level < nodes_level_) return room_.pods(level, domain);
  return tree_.holds(domain) && within_.test(domain) ? nodes_[domain] : 0;
}

std::size_t BestFit::units_in(std::size_t level, std::uint32_t domain) const {
  if (level < nodes_level_) return room_.slices(level, domain);
  return pods_in(level, domain) / slice_size_;
}

std::size_t BestFit::capacity() const {
  const std::size_t level = options_.required;
  if (level == Levels::kNone) return room_.all_slices() * slice_size_;
  if (const std::uint32_t only = anchor(level); only != DomainColumn::kNone) {
    return units_in(level, only) * slice_size_;
  }
  std::size_t most = 0;
  for (std::uint32_t d = 0; d < tree_.size(level); ++d) most = std::max(most, units_in(level, d));
  return most * slice_size_;
}

// By name along the whole path, so that the order of domains never depends on their numbers.
bool BestFit::comes_before(std::size_t level, std::uint32_t a, std::uint32_t b) const {
  if (a == b) return false;
  if (level > 0 && tree_.parent(level, a) != tree_.parent(level, b)) {
    return comes_before(level - 1, tree_.parent(level, a), tree_.parent(level, b));
  }
  return rank(level, a) < rank(level, b);
}

std::uint32_t BestFit::rank(std::size_t level, std::uint32_t domain) const {
  auto& ranks = ranks_[level];
  if (ranks.empty()) {
    ranks = level == nodes_level_ ? cluster_.nodes().name_ranks()
                                  : cluster_.group_domains(tree_.keys()[level]).positions();
  }
  return ranks[domain];
}

// The domain of the level that all anchors are in, if they are in one.
std::uint32_t BestFit::anchor(std::size_t level) const {
  std::uint32_t common = DomainColumn::kNone;
  for (const NodeId node : options_.anchors) {
    const std::uint32_t domain = tree_.domain_of(level, node.index);
    if (common == DomainColumn::kNone) common = domain;
    if (common != domain) return DomainColumn::kNone;
  }
  return common;
}

// The domain that lies around this one on a wider level.
std::uint32_t BestFit::around(std::size_t level, std::uint32_t domain, std::size_t wider) const {
  for (; level > wider && domain != LevelTree::kNone; --level) domain = tree_.parent(level, domain);
  return domain;
}

// The domain with the least (of a spread: the most) to spare among those that hold everything.
std::vector<BestFit::Part> BestFit::single_domain(std::size_t level, std::size_t wanted) const {
  const std::uint32_t only = anchor(level);
  const std::size_t bound = options_.required;
  const std::uint32_t home = bound == Levels::kNone ? LevelTree::kNone : anchor(bound);
  const auto rank = [&](std::uint32_t d) {
    return std::pair(units_in(level, d), pods_in(level, d));
  };
  std::uint32_t best = DomainColumn::kNone;
  const auto consider = [&](std::uint32_t d) {
    if (units_in(level, d) < wanted) return;
    if (best != DomainColumn::kNone) {
      const bool better = options_.spread ? rank(d) > rank(best) : rank(d) < rank(best);
      const bool equal = rank(d) == rank(best);
      if (!better && !(equal && comes_before(level, d, best))) return;
    }
    best = d;
  };
  if (only != DomainColumn::kNone) {
    consider(only);
  } else {
    for (std::uint32_t d = 0; d < tree_.size(level); ++d) {
      if (home == LevelTree::kNone || around(level, d, bound) == home) consider(d);
    }
  }
  if (best == DomainColumn::kNone) return {};
  return {{best, units_in(level, best), pods_in(level, best), wanted}};
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
  std::vector<Part> all = everything();
  distribute(0, all, units);
  return all;
}

std::vector<NodeId> BestFit::place(std::size_t count) const {
  TUTTI_CHECK(count % slice_size_ == 0, "only whole slices are placed");
  const std::size_t units = count / slice_size_;
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
  for (; level < slice_level_; ++level) {
    std::size_t units = 0;
    std::vector<Part> below;
    for (const Part& part : chosen) {
      units += part.given;
      std::ranges::copy(parts_of(level, part), std::back_inserter(below));
    }
    distribute(level + 1, below, units);
    chosen = std::move(below);
  }
  for (Part& part : chosen) part.given *= slice_size_;
  for (; level < nodes_level_; ++level) {
    std::vector<Part> next;
    for (const Part& part : chosen) {
      auto among = parts_of(level, part);
      for (Part& each : among) each.units = each.pods;
      distribute(level + 1, among, part.given);
      std::ranges::copy(among, std::back_inserter(next));
    }
    chosen = std::move(next);
  }
  return chosen;
}

void BestFit::add_part(std::size_t level, std::uint32_t domain, std::vector<Part>& parts) const {
  const std::size_t here = pods_in(level, domain);
  if (here > 0) parts.push_back({domain, units_in(level, domain), here});
}

// All of the widest level that holds something.
std::vector<BestFit::Part> BestFit::everything() const {
  std::vector<Part> found;
  for (std::uint32_t d = 0; d < tree_.size(0); ++d) add_part(0, d, found);
  return found;
}

// What holds something in a domain of the level.
std::vector<BestFit::Part> BestFit::parts_of(std::size_t level, const Part& domain) const {
  std::vector<Part> found;
  for (const std::uint32_t d : tree_.children(level, domain.id)) add_part(level + 1, d, found);
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
    TUTTI_CHECK(units <= among[last].units, "a domain gets more than it holds");
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
