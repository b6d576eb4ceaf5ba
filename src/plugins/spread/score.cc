#include "plugins/spread/score.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tutti::plugins {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

// Nodes without the key share one more domain.
std::size_t domains_among(const Bitset& nodes, const core::DomainColumn& column) {
  std::vector<bool> seen(column.values.size() + 1, false);
  std::size_t count = 0;
  nodes.for_each_set([&](std::size_t node) {
    const std::uint32_t domain = column.domain_of[node];
    const std::size_t at = domain == core::DomainColumn::kNone ? column.values.size() : domain;
    if (!seen[at]) ++count;
    seen[at] = true;
  });
  return count;
}

}  // namespace

SpreadScore::SpreadScore(const core::Cluster& cluster, const core::PodClass& pods,
                         const SpreadRules& rules, core::PodCountsCache& cache)
    : left_out_(cluster.nodes().live()) {
  const NodeInclusion inclusion(cluster, pods, rules);
  left_out_.and_not(inclusion.with_keys());
  const Bitset open = inclusion.open_to_the_pod();
  for (const auto& constraint : rules.constraints) {
    terms_.push_back(make_term(cluster, constraint, inclusion, open, cache));
  }
}

SpreadScore::Term SpreadScore::make_term(const core::Cluster& cluster,
                                         const SpreadConstraint& constraint,
                                         const NodeInclusion& inclusion, const Bitset& open,
                                         core::PodCountsCache& cache) {
  const auto& column = cluster.labels().domains(constraint.topology_key);
  const bool per_node = constraint.topology_key == kHostname;
  const std::size_t domains = per_node ? open.count() : domains_among(open, column);
  Term term{&column,
            per_node,
            std::log(static_cast<double>(domains + 2)),
            static_cast<double>(constraint.max_skew - 1),
            per_node ? cluster.nodes().live() : inclusion.counted_by(constraint),
            constraint.counted ? cache.get(cluster, *constraint.counted) : nullptr,
            std::vector<std::int64_t>(per_node ? cluster.nodes().slots() : column.values.size())};
  if (term.counts) {
    term.counted.for_each_set([&](std::size_t node) {
      if (!per_node && column.domain_of[node] == core::DomainColumn::kNone) return;
      term.sums[term.slot(node)] += term.counts->by_node()[node];
    });
  }
  return term;
}

std::int64_t SpreadScore::score(core::NodeId node) const {
  if (left_out_.test(node.index)) return 0;
  double total = 0;
  for (const auto& term : terms_) {
    if (term.column->domain_of[node.index] == core::DomainColumn::kNone) continue;
    total += static_cast<double>(term.sums[term.slot(node.index)]) * term.weight + term.base;
  }
  return std::llround(total);
}

void SpreadScore::score(const Bitset& nodes, std::span<std::int64_t> out) const {
  nodes.for_each_set(
      [&](std::size_t node) { out[node] = score(core::NodeId{static_cast<std::uint32_t>(node)}); });
}

core::Effect SpreadScore::changed(const core::Change& change) {
  const std::size_t node = change.node.index;
  auto effect = core::Effect::none;
  for (auto& term : terms_) {
    const std::uint32_t domain = term.column->domain_of[node];
    if (!term.counts || domain == core::DomainColumn::kNone || !term.counted.test(node) ||
        !term.counts->counts(change.labels)) {
      continue;
    }
    term.sums[term.slot(node)] += change.count;
    const bool alone = term.per_node || term.column->node_count[domain] == 1;
    effect = std::max(effect, alone ? core::Effect::node : core::Effect::everything);
  }
  return effect;
}

std::int64_t SpreadScore::normalize(core::NodeId node, std::int64_t raw, std::int64_t min,
                                    std::int64_t max) const {
  if (left_out_.test(node.index)) return 0;
  if (max == 0) return core::kMaxNodeScore;
  return core::kMaxNodeScore * (max + min - raw) / max;
}

}  // namespace tutti::plugins
