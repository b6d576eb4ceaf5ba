#include "explain/survey.h"

#include <algorithm>

namespace tutti::explain {
namespace {

void judge_nodes(const core::FilterEvaluator& evaluator, Survey::Filter& filter) {
  Bitset accepted = filter.rejected;
  evaluator.filter(accepted);
  filter.rejected.and_not(accepted);
  filter.rejected.for_each_set([&](std::size_t node) {
    const auto verdicts = evaluator.explain({static_cast<std::uint32_t>(node)});
    const bool hopeless = std::ranges::any_of(verdicts, [](const core::Verdict& verdict) {
      return verdict.code != core::Code::unschedulable;
    });
    if (!hopeless) filter.curable.set(node);
  });
}

// Too small even when empty: no other change brings the pod there.
bool too_small(const Survey::Filter& filter, std::size_t node) {
  return blocker_of(filter.plugin) == Blocker::capacity && filter.rejected.test(node) &&
         !filter.curable.test(node);
}

// Ruled out by the pod's own choice of nodes: it does not want the node.
bool unwanted(const Survey::Filter& filter, std::size_t node) {
  const bool own_choice = filter.plugin == "NodeAffinity" || filter.plugin == "NodeName";
  return own_choice && filter.rejected.test(node);
}

struct Distance {
  bool too_small = false;
  bool unwanted = false;
  std::size_t objections = 0;
  auto operator<=>(const Distance&) const = default;
};

Distance distance(const Survey& survey, std::size_t node) {
  Distance far;
  for (const auto& filter : survey.filters) {
    if (!filter.rejected.test(node)) continue;
    ++far.objections;
    far.too_small = far.too_small || too_small(filter, node);
    far.unwanted = far.unwanted || unwanted(filter, node);
  }
  return far;
}

void count_node(const Survey& survey, std::size_t node, std::vector<Rejection>& counted) {
  for (const auto& filter : survey.filters) {
    if (!filter.rejected.test(node)) continue;
    const auto code =
        filter.curable.test(node) ? core::Code::unschedulable : core::Code::unresolvable;
    const auto same = std::ranges::find_if(counted, [&](const Rejection& known) {
      return known.plugin == filter.plugin && known.code == code;
    });
    if (same == counted.end()) {
      counted.push_back({filter.plugin, code, 1});
    } else {
      ++same->nodes;
    }
  }
}

}  // namespace

Bitset Survey::accepted_but_for(Blocker blocker) const {
  Bitset accepted = live;
  for (const auto& filter : filters) {
    if (blocker_of(filter.plugin) != blocker) accepted.and_not(filter.rejected);
  }
  return accepted;
}

bool Survey::rejects_for(Blocker blocker) const {
  return std::ranges::any_of(
      filters, [&](const Filter& filter) { return blocker_of(filter.plugin) == blocker; });
}

std::vector<Rejection> Survey::nearest() const {
  std::optional<Distance> least;
  live.for_each_set([&](std::size_t node) {
    const Distance far = distance(*this, node);
    if (far.objections > 0 && (!least || far < *least)) least = far;
  });
  std::vector<Rejection> counted;
  if (!least) return counted;
  live.for_each_set([&](std::size_t node) {
    if (distance(*this, node) == *least) count_node(*this, node, counted);
  });
  return counted;
}

Survey survey(const core::Cluster& cluster, const core::Profile& profile,
              const core::PodClass& pods) {
  Survey made = blank_survey(cluster);
  for (const auto& enabled : profile.filters) {
    Survey::Filter filter{
        std::string(enabled.plugin->name()), made.live, Bitset(made.live.size()), {}};
    const auto prepared = enabled->prepare_filter(cluster, pods);
    if (prepared.verdict.code == core::Code::skip) continue;
    if (prepared.evaluator != nullptr) {
      judge_nodes(*prepared.evaluator, filter);
    } else {
      if (prepared.verdict.code == core::Code::unschedulable) filter.curable = made.live;
      filter.refusal = prepared.verdict.reason;
    }
    if (filter.rejected.any()) made.filters.push_back(std::move(filter));
  }
  return made;
}

Survey blank_survey(const core::Cluster& cluster) { return {cluster.live_nodes(), {}}; }

}  // namespace tutti::explain
