#include "plugins/devices/claim_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/cluster/node_match.h"
#include "core/topology/domains.h"
#include "devices/device_capacity.h"
#include "plugins/devices/dynamic_resources.h"

namespace tutti::plugins {

using Outcome = devices::Solution::Outcome;

NodeAnswers::Answer& NodeAnswers::answer(const core::Cluster& cluster,
                                         const std::vector<devices::Wanted>& wanted,
                                         core::NodeId node) {
  if (nodes_version_ != cluster.versions().nodes) nodes_.clear();
  nodes_version_ = cluster.versions().nodes;
  nodes_.resize(cluster.nodes().slots());
  std::vector<Answer>& known = nodes_[node.index];
  const auto stamp = cluster.devices().search().stamp(node.index, wanted);
  auto at = std::ranges::find(known, stamp, &Answer::stamp);
  if (at == known.end()) {
    std::string fault;
    Answer made{stamp, cluster.devices().search().fits(node.index, wanted, &fault), nullptr,
                nullptr};
    if (!fault.empty()) made.fault = std::make_unique<const std::string>(std::move(fault));
    if (known.size() == kStatesMax) known.pop_back();
    at = known.insert(known.end(), std::move(made));
  }
  std::rotate(known.begin(), at, at + 1);
  return known.front();
}

std::int64_t NodeAnswers::score(const core::Cluster& cluster,
                                const std::vector<devices::Wanted>& wanted, core::NodeId node) {
  using devices::Prospect;
  auto& device_state = cluster.devices();
  auto& known = answer(cluster, wanted, node).prospect;
  if (!known) {
    known = std::make_unique<const Prospect>(
        device_state.search().prospect(node.index, wanted, domains_));
  }
  if (!known->found) return 0;
  const bool breaks_span = std::ranges::any_of(known->loss.spans, [&](devices::SpanId span) {
    return device_state.spans().untouched(span);
  });
  const std::int64_t loss = known->loss.points + (breaks_span ? devices::kSpanLoss : 0);
  const std::int64_t kept = core::kMaxPackingScore - loss;
  const std::int64_t best = device_state.search().best_preference(wanted);
  if (best == 0) return kept;
  return core::kMaxPackingScore * 9 / 10 * known->preference / best + kept / 10;
}

const devices::Prospect* NodeAnswers::prospect(const core::Cluster& cluster,
                                               const std::vector<devices::Wanted>& wanted,
                                               core::NodeId node) const {
  if (nodes_version_ != cluster.versions().nodes || node.index >= nodes_.size()) return nullptr;
  const std::vector<Answer>& known = nodes_[node.index];
  const auto stamp = cluster.devices().search().stamp(node.index, wanted);
  const auto at = std::ranges::find(known, stamp, &Answer::stamp);
  return at == known.end() ? nullptr : at->prospect.get();
}

const NodeAnswers* AnswerCache::find(const std::vector<devices::Wanted>& wanted) const {
  const auto at = std::ranges::find(
      entries_, wanted, [](const auto& entry) -> const auto& { return entry.first; });
  return at == entries_.end() ? nullptr : at->second.get();
}

std::shared_ptr<NodeAnswers> AnswerCache::get(const std::vector<devices::Wanted>& wanted) {
  ++clock_;
  for (auto& [key, answers] : entries_) {
    if (key != wanted) continue;
    answers->last_used = clock_;
    return answers;
  }
  if (entries_.size() >= kCapacity) {
    entries_.erase(std::ranges::min_element(
        entries_, {}, [](const auto& entry) { return entry.second->last_used; }));
  }
  auto& made = entries_.emplace_back(wanted, std::make_shared<NodeAnswers>(domains_));
  made.second->last_used = clock_;
  return made.second;
}

ClaimFilter::ClaimFilter(const core::Cluster& cluster, const devices::PodClaims& claims,
                         std::shared_ptr<NodeAnswers> answers)
    : cluster_(cluster),
      open_(claims.open),
      within_reach_(cluster.nodes().live()),
      answers_(std::move(answers)) {
  for (const auto id : claims.settled) {
    const auto& claim = *cluster.devices().claim(id).object;
    settled_.push_back(claim.meta.name);
    if (!claim.allocation->node_selector) continue;
    within_reach_.and_with(core::nodes_matching_any(cluster, *claim.allocation->node_selector));
  }
  if (claims.confinement.valid()) confine(claims);
  seen_ = cluster.devices().search().common_stamp(open_);
}

// To nodes of the domains, so that no devices are looked for elsewhere, and to those where what is
// allocated already does not lie in other ones.
void ClaimFilter::confine(const devices::PodClaims& claims) {
  auto& device_state = cluster_.devices();
  for (const devices::Bound& bound : device_state.confinements().bounds(claims.confinement)) {
    within_reach_.and_with(core::nodes_bounded_by(cluster_, bound));
  }
  if (claims.settled.empty()) return;
  const Bitset asked = within_reach_;
  asked.for_each_set([&](std::size_t i) {
    const auto bounds = device_state.confined_pods().bounds_at(claims.confinement,
                                                               static_cast<devices::NodeIndex>(i));
    const bool stays = std::ranges::all_of(claims.settled, [&](devices::ClaimId id) {
      return device_state.confined_pods().stays_within(device_state.claim(id), bounds);
    });
    if (!stays) within_reach_.reset(i);
  });
}

bool ClaimFilter::accepts(core::NodeId node) const {
  if (!within_reach_.test(node.index)) return false;
  return open_.empty() || answer(node).outcome == Outcome::found;
}

void ClaimFilter::filter(Bitset& nodes) const {
  nodes.and_with(within_reach_);
  if (open_.empty()) return;
  const Bitset asked = nodes;
  asked.for_each_set([&](std::size_t i) {
    if (answer({static_cast<std::uint32_t>(i)}).outcome != Outcome::found) nodes.reset(i);
  });
}

std::int64_t ClaimFilter::room(core::NodeId node) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& wanted : cluster_.devices().questions().wanted_at(node.index, open_)) {
    if (wanted.claim.valid()) continue;  // shared: one for all
    least = std::min(least, devices::room_at(cluster_.devices(), wanted, node.index));
  }
  return least;
}

std::vector<core::PluginStatus> ClaimFilter::explain(core::NodeId node) const {
  using core::Code;
  if (!within_reach_.test(node.index)) {
    return {{Code::unresolvable, DynamicResources::kName,
             settled_.empty() ? "not in the domain of the group"
                              : fmt::format("the devices of resource claim {} cannot be used there",
                                            fmt::join(settled_, ", "))}};
  }
  const auto& known = answer(node);
  if (known.outcome == Outcome::fault) {
    return {{Code::unresolvable, DynamicResources::kName,
             known.fault != nullptr ? *known.fault : std::string()}};
  }
  if (known.outcome == Outcome::exhausted) {
    return {{Code::unschedulable, DynamicResources::kName, std::string(devices::kUnproven)}};
  }
  std::vector<core::PluginStatus> verdicts;
  for (const auto& reason : devices::reasons_at(cluster_.devices(), open_, node.index)) {
    verdicts.push_back({reason.curable ? Code::unschedulable : Code::unresolvable,
                        DynamicResources::kName, reason.text});
  }
  return verdicts;
}

core::Effect ClaimFilter::changed(const core::Change& change) {
  if (!cluster_.wants_devices(cluster_.shape(change.shape))) return core::Effect::none;
  if (open_.empty()) return core::Effect::none;
  const auto now = cluster_.devices().search().common_stamp(open_);
  return std::exchange(seen_, now) == now ? core::Effect::node : core::Effect::everything;
}

}  // namespace tutti::plugins
