// The way that ends others' work: as few of them as it takes.
//
// The scheduler's own search for victims proposes a set, whatever priority they have. Whoever is
// not needed is taken out of it, and where there are few enough units every smaller set is tried,
// so that none smaller is missed.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "explain/text.h"
#include "whatif/author.h"
#include "whatif/units.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using Choice = std::vector<std::uint32_t>;  // of units, ascending

// What looking for something smaller may cost, in attempts times nodes.
constexpr std::size_t kEffort = 100'000;
constexpr std::size_t kAttemptsMax = 1'000;
// Nodes that a sentence names.
constexpr std::size_t kNodesNamed = 3;

// The scarcest thing the asker asks for: devices before memory and cpu.
core::ResourceId scarce(const Rehearsal& rehearsal) {
  const core::Cluster& cluster = rehearsal.cluster();
  core::ResourceId resource = core::kPods;
  for (const auto& request : cluster.shape(cluster.pod(rehearsal.asker().pod).shape).requests) {
    const bool extended = request.resource > core::kPods;
    if (extended || resource == core::kPods) resource = request.resource;
    if (extended) break;
  }
  return resource;
}

std::int64_t held_by(const Rehearsal& rehearsal, const Unit& unit, core::ResourceId resource) {
  const core::Cluster& cluster = rehearsal.cluster();
  std::int64_t amount = 0;
  for (const core::PodId pod : std::span(unit.pods).first(unit.running)) {
    amount += cluster.shape(cluster.pod(pod).shape).request(resource);
  }
  return amount;
}

class FreeSearch {
 public:
  FreeSearch(Rehearsal& rehearsal, const std::vector<Unit>& units)
      : rehearsal_(rehearsal),
        units_(units),
        resource_(scarce(rehearsal)),
        attempts_left_(std::min(
            kAttemptsMax,
            kEffort / std::max<std::size_t>(rehearsal.cluster().live_nodes().count(), 1))) {}

  // Empty: none lets the asker run.
  Choice run() {
    Choice choice = proposal();
    if (choice.empty()) return choice;
    spare(choice);
    improve(choice);
    return choice;
  }

  Rehearsal::Outcome outcome_of(const Choice& choice) {
    return rehearsal_.around([&](core::WhatIf& what_if) {
      for (const std::uint32_t unit : choice) what_if.end_pods(units_[unit].pods);
    });
  }

 private:
  bool works(const Choice& choice) { return outcome_of(choice).runs; }

  Choice proposal() {
    std::vector<std::vector<core::PodId>> pods;
    for (const Unit& unit : units_) pods.push_back(unit.pods);
    auto found = rehearsal_.fewest_to_end(pods);
    if (found && !found->empty()) {
      std::ranges::sort(*found);
      if (works(*found)) return *found;
    }
    Choice everyone(units_.size());
    std::iota(everyone.begin(), everyone.end(), 0U);
    if (everyone.size() > attempts_left_ || !works(everyone)) return {};
    return everyone;
  }

  // Takes out whoever need not end, those with the most pods first. The search for victims has done
  // so for large sets, as far as it could.
  void spare(Choice& choice) {
    if (choice.size() > attempts_left_) return;
    attempts_left_ -= choice.size();
    Choice order = choice;
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::uint32_t unit) { return units_[unit].running; });
    for (const std::uint32_t unit : order) {
      if (choice.size() == 1) return;
      Choice fewer = choice;
      std::erase(fewer, unit);
      if (works(fewer)) choice = std::move(fewer);
    }
  }

  // What ending them costs: so many units, so many pods, so much of what the asker needs most.
  using Weight = std::tuple<std::size_t, std::size_t, std::int64_t>;
  Weight weight_of(const Choice& choice) const {
    Weight sum{choice.size(), 0, 0};
    for (const std::uint32_t unit : choice) {
      std::get<1>(sum) += units_[unit].running;
      std::get<2>(sum) += held_by(rehearsal_, units_[unit], resource_);
    }
    return sum;
  }

  // Less weight, as far as the effort allows to look at every set.
  void improve(Choice& best) {
    for (std::size_t size = 1; size <= best.size(); ++size) {
      Choice set(size);
      std::iota(set.begin(), set.end(), 0U);
      bool found = false;
      do {
        if (weight_of(set) >= weight_of(best)) continue;
        if (attempts_left_ == 0) return;
        --attempts_left_;
        if (!works(set)) continue;
        best = set;
        found = true;
      } while (next(set));
      if (found) return;
    }
  }

  // The next set of the same size in lexical order; false after the last.
  bool next(Choice& set) const {
    const auto units = static_cast<std::uint32_t>(units_.size());
    for (std::size_t i = set.size(); i-- > 0;) {
      if (set[i] >= units - (set.size() - i)) continue;
      ++set[i];
      for (std::size_t j = i + 1; j < set.size(); ++j) set[j] = set[j - 1] + 1;
      return true;
    }
    return false;
  }

  Rehearsal& rehearsal_;
  const std::vector<Unit>& units_;
  core::ResourceId resource_;
  std::size_t attempts_left_;
};

// "which frees 8 nvidia.com/gpu on n1, n2"
std::string freed(const Rehearsal& rehearsal, std::span<const Unit* const> units) {
  const core::Cluster& cluster = rehearsal.cluster();
  const core::ResourceId resource = scarce(rehearsal);
  std::int64_t amount = 0;
  std::set<std::string> nodes;
  for (const Unit* unit : units) {
    amount += held_by(rehearsal, *unit, resource);
    for (const core::PodId pod : std::span(unit->pods).first(unit->running)) {
      nodes.insert(cluster.node_name(cluster.pod(pod).node));
    }
  }
  const std::string name(cluster.resource_name(resource));
  const std::string where =
      nodes.size() > kNodesNamed
          ? explain::counted(nodes.size(), "node")
          : fmt::format("{} {}", nodes.size() == 1 ? "node" : "nodes", fmt::join(nodes, ", "));
  return fmt::format("which frees {} {} on {}", explain::amount_text(name, amount), name, where);
}

}  // namespace

void add_free_way(Rehearsal& rehearsal, Ways& ways) {
  const std::vector<Unit> units = units_around(rehearsal);
  if (units.empty()) return;
  FreeSearch search(rehearsal, units);
  const Choice choice = search.run();
  if (choice.empty()) return;
  explain::Way way{"free", {}};
  std::vector<std::string> names;
  std::vector<const Unit*> ended;
  std::vector<explain::ObjectName> end;
  for (const std::uint32_t index : choice) {
    const Unit& unit = units[index];
    ended.push_back(&unit);
    const bool single = unit.name.starts_with("Pod ");
    names.push_back(single
                        ? unit.name
                        : fmt::format("{} ({})", unit.name, explain::counted(unit.running, "pod")));
    end.insert(end.end(), unit.end.begin(), unit.end.end());
  }
  way.changes.push_back({std::move(end), {}, true});
  way.summary = fmt::format("end {}, {}", explain::first_of(names), freed(rehearsal, ended));
  ways.push_back(with_evictions(std::move(way), search.outcome_of(choice)));
}

}  // namespace tutti::whatif
