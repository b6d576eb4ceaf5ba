#include "plugins/spread/filter.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "plugins/spread/pod_topology_spread.h"

namespace tutti::plugins {

SpreadTally::SpreadTally(const core::Cluster& cluster, const SpreadConstraint& constraint,
                         Bitset counted, std::shared_ptr<const core::PodCounts> counts)
    : max_skew_(constraint.max_skew),
      min_domains_(constraint.min_domains),
      itself_(constraint.matches_itself ? 1 : 0),
      counted_(std::move(counted)),
      counts_(std::move(counts)),
      sums_(cluster.labels().domains(constraint.topology_key)),
      eligible_(sums_.domain_count(), false),
      accepted_(sums_.domain_count(), false),
      open_(cluster.nodes().live().size()) {
  counted_.for_each_set([&](std::size_t node) {
    if (!eligible_[sums_.domain(node)]) ++eligible_count_;
    eligible_[sums_.domain(node)] = true;
    if (counts_) sums_.add(node, counts_->by_node()[node]);
  });
  find_minimum();
  list_nodes();
  for (std::uint32_t domain = 0; domain < sums_.domain_count(); ++domain) judge(domain);
}

void SpreadTally::list_nodes() {
  const auto& domain_of = sums_.column().domain_of;
  begins_.assign(sums_.domain_count() + 1, 0);
  for (const std::uint32_t domain : domain_of) {
    if (domain != core::DomainSums::kNone) ++begins_[domain + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  nodes_.resize(begins_.back());
  std::vector<std::uint32_t> next = begins_;
  for (std::uint32_t node = 0; node < domain_of.size(); ++node) {
    if (sums_.has_key(node)) nodes_[next[domain_of[node]]++] = node;
  }
}

void SpreadTally::judge(std::uint32_t domain) {
  const bool accepts = sums_.of_domain(domain) <= most_;
  if (accepts == accepted_[domain]) return;
  accepted_[domain] = accepts;
  for (std::uint32_t i = begins_[domain]; i < begins_[domain + 1]; ++i) {
    accepts ? open_.set(nodes_[i]) : open_.reset(nodes_[i]);
  }
}

void SpreadTally::find_minimum() {
  minimum_ = std::numeric_limits<std::int64_t>::max();
  at_minimum_ = 0;
  for (std::uint32_t domain = 0; domain < sums_.domain_count(); ++domain) {
    if (!eligible_[domain]) continue;
    const std::int64_t count = sums_.of_domain(domain);
    if (count < minimum_) at_minimum_ = 0;
    minimum_ = std::min(minimum_, count);
    if (count == minimum_) ++at_minimum_;
  }
  most_ = most_with(minimum_);
}

std::int64_t SpreadTally::most_with(std::int64_t minimum) const {
  // Domains that do not exist yet count as empty ones.
  const bool too_few = eligible_count_ < min_domains_ || eligible_count_ == 0;
  return max_skew_ - itself_ + (too_few ? 0 : minimum);
}

// Domains only fill up while pods are placed. So the fewest of any domain never exceed what the one
// with the least prospects can come to, and no domain may run ahead of that.
std::int64_t SpreadTally::room_for(const core::JointDemand& crowd) const {
  const bool adds = itself_ != 0 && counts_ != nullptr;
  std::vector<Room> rooms(sums_.domain_count());
  for (std::size_t node = 0; node < crowd.room.size(); ++node) {
    if (!has_key(node)) continue;
    Room& room = rooms[sums_.domain(node)];
    (counted_.test(node) ? room.counted : room.uncounted) += crowd.room[node];
  }
  std::int64_t minimum = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t domain = 0; domain < sums_.domain_count(); ++domain) {
    if (!eligible_[domain]) continue;
    const std::int64_t gain = adds ? std::min(rooms[domain].counted, crowd.pods) : 0;
    minimum = std::min(minimum, sums_.of_domain(domain) + gain + crowd.company);
  }
  const std::int64_t most = most_with(minimum);
  std::int64_t placed = 0;
  for (std::uint32_t domain = 0; domain < sums_.domain_count(); ++domain) {
    const std::int64_t left = most + 1 - sums_.of_domain(domain);
    if (left <= 0) continue;
    const Room& room = rooms[domain];
    placed += room.uncounted + (adds ? std::min(room.counted, left) : room.counted);
  }
  return std::min(placed, crowd.pods);
}

core::Effect SpreadTally::changed(const core::Change& change) {
  const std::size_t node = change.node.index;
  if (!counts_ || !counted_.test(node) || !counts_->counts(change.labels)) {
    return core::Effect::none;
  }
  const bool before = accepts(node);
  const std::int64_t most_before = most_;
  const std::int64_t count_before = sums_.of_node(node);
  sums_.add(node, change.count);
  const std::int64_t count = sums_.of_node(node);
  // The minimum moves only when the last domain at it rises or any domain falls below it; all other
  // changes keep the tally of domains at the minimum right by themselves.
  if (count_before == minimum_ && count > minimum_) --at_minimum_;
  if (count_before > minimum_ && count == minimum_) ++at_minimum_;
  if (at_minimum_ == 0 || count < minimum_) find_minimum();

  if (most_ != most_before) {
    for (std::uint32_t domain = 0; domain < sums_.domain_count(); ++domain) judge(domain);
    return core::Effect::everything;
  }
  if (has_key(node)) judge(sums_.domain(node));
  if (accepts(node) == before) return core::Effect::none;
  return sums_.alone(node) ? core::Effect::node : core::Effect::everything;
}

SpreadFilter::SpreadFilter(const core::Cluster& cluster, const core::PodClass& pods,
                           const SpreadRules& rules, core::PodCountsCache& cache) {
  const NodeInclusion inclusion(cluster, pods, rules);
  for (const auto& constraint : rules.constraints) {
    auto counts = constraint.counted ? cache.get(cluster, *constraint.counted) : nullptr;
    tallies_.emplace_back(cluster, constraint, inclusion.counted_by(constraint), std::move(counts));
  }
}

bool SpreadFilter::accepts(core::NodeId node) const {
  return std::ranges::all_of(tallies_,
                             [&](const SpreadTally& tally) { return tally.accepts(node.index); });
}

std::int64_t SpreadFilter::room_for(const core::JointDemand& crowd) const {
  std::int64_t least = crowd.pods;
  for (const auto& tally : tallies_) least = std::min(least, tally.room_for(crowd));
  return least;
}

void SpreadFilter::filter(Bitset& nodes) const {
  for (const auto& tally : tallies_) nodes.and_with(tally.open());
}

// Whatever a domain holds, others may catch up with it.
void SpreadFilter::rule_out(Bitset& nodes) const {
  nodes.for_each_set([&](std::size_t node) {
    const auto has_key = [&](const SpreadTally& tally) { return tally.has_key(node); };
    if (!std::ranges::all_of(tallies_, has_key)) nodes.reset(node);
  });
}

std::vector<core::PluginStatus> SpreadFilter::explain(core::NodeId node) const {
  for (const auto& tally : tallies_) {
    if (!tally.has_key(node.index)) {
      return {{core::Code::unresolvable, PodTopologySpread::kName,
               "node(s) didn't match pod topology spread constraints (missing required label)"}};
    }
    if (!tally.accepts(node.index)) {
      return {{core::Code::unschedulable, PodTopologySpread::kName,
               "node(s) didn't match pod topology spread constraints"}};
    }
  }
  return {};
}

core::Effect SpreadFilter::changed(const core::Change& change) {
  auto effect = core::Effect::none;
  for (auto& tally : tallies_) effect = std::max(effect, tally.changed(change));
  return effect;
}

}  // namespace tutti::plugins
