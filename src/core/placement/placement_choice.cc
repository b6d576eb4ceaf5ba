#include "core/placement/placement_choice.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/check.h"
#include "core/evaluation/counting.h"
#include "core/placement/member_facts.h"

namespace tutti::core {
namespace {

std::size_t number_in(const model::Labels& annotations, std::string_view name) {
  const std::string* text = model::find(annotations, name);
  std::size_t value = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

bool can_be_counted(const Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
                    const Subtree& leaf) {
  if (leaf.members.empty() || !leaf.group.valid()) return false;
  return only_counts(cluster, profile, cluster.shape(cluster.pod(leaf.members.front()).shape)) &&
         !somebody_is_nominated(cluster, leaf) && are_alike(cluster, evaluations, profile, leaf);
}

// The domain that the placement is all of; kNone when it is part of one.
std::uint32_t whole_domain(const Cluster& cluster, const Placement& placement) {
  const DomainColumn& domains = cluster.group_domains(placement.key);
  const auto domain = domains.domain_ids.find(placement.value);
  const bool whole = domain != domains.domain_ids.end() &&
                     domains.node_count[domain->second] == placement.nodes.count();
  return whole ? domain->second : DomainColumn::kNone;
}

// A placement that is a whole domain was summed up already.
std::size_t room_in(const Cluster& cluster, ClassCapacity& room, const Placement& placement) {
  const std::uint32_t domain = whole_domain(cluster, placement);
  if (domain != DomainColumn::kNone) return room.by_domain(cluster, placement.key)[domain];
  std::size_t total = 0;
  placement.nodes.for_each_set([&](std::size_t node) { total += room.by_node()[node]; });
  return total;
}

std::vector<ReasonCount> reasons_in(const Cluster& cluster, EvaluationCache& evaluations,
                                    const Profile& profile, const PodClass& pods,
                                    const Placement& placement) {
  const std::uint32_t domain = whole_domain(cluster, placement);
  if (domain != DomainColumn::kNone) {
    return evaluations.reasons(profile, pods, placement.key, domain);
  }
  return reasons_when_full(cluster, evaluations.get(profile, pods), cluster.shape(pods.shape),
                           placement.nodes);
}

// Empty when some plugin cannot foresee its score.
std::vector<std::int64_t> foreseen(const Cluster& cluster, const GroupTable& groups,
                                   const Profile& profile, const Subtree& leaf,
                                   const Placement& placement, std::size_t count) {
  std::vector<std::int64_t> scores;
  for (const auto& plugin : profile.placement_score) {
    const auto score =
        plugin->foresee(cluster, groups, leaf.group, placement, leaf.members.front(), count);
    if (!score) return {};
    scores.push_back(*score);
  }
  return scores;
}

}  // namespace

std::size_t best_of(const Profile& profile, std::span<const RankedPlacement> candidates) {
  TUTTI_CHECK(!candidates.empty(), "the best of none");
  std::vector<std::int64_t> totals(candidates.size(), 0);
  for (std::size_t s = 0; s < profile.placement_score.size(); ++s) {
    const auto& plugin = profile.placement_score[s];
    std::int64_t max = 0;
    for (const auto& candidate : candidates) max = std::max(max, candidate.raw_scores[s]);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      totals[c] += plugin.weight * plugin->normalize(candidates[c].raw_scores[s], max);
    }
  }
  std::size_t best = 0;
  for (std::size_t c = 1; c < candidates.size(); ++c) {
    if (std::pair(candidates[c].holds, totals[c]) > std::pair(candidates[best].holds, totals[best]))
      best = c;
  }
  return best;
}

std::size_t declared_size(const Cluster& cluster, const Group& group) {
  std::size_t size = group.pod_count();
  if (group.seen() && group.pod_group) {
    size = std::max(size, number_in(group.pod_group->meta.annotations, "tutti.dev/group-size"));
  }
  for (const auto* pods : {&group.pending, &group.assumed, &group.assigned}) {
    if (pods->empty()) continue;
    const auto& meta = cluster.pod(*pods->begin()).object->meta;
    size = std::max(size, number_in(meta.annotations, "kueue.x-k8s.io/pod-group-total-count"));
  }
  return size;
}

std::optional<CountedChoice> choose_by_counting(Cluster& cluster, const GroupTable& groups,
                                                EvaluationCache& evaluations,
                                                const Profile& profile, const Subtree& leaf,
                                                std::span<const Placement> placements) {
  if (!can_be_counted(cluster, evaluations, profile, leaf)) return std::nullopt;
  const PodClass pods = cluster.class_of(leaf.members.front());
  ClassCapacity& class_room = evaluations.room(profile, pods);
  const Group& group = groups[leaf.group];
  const std::size_t running = group.scheduled_count();
  const auto minimum = static_cast<std::size_t>(group.spec().policy.minimum);
  const bool basic = !group.spec().policy.gang;
  const std::size_t size = basic ? declared_size(cluster, group) : running;
  TUTTI_CHECK(size >= running, "more run than were declared");
  const std::size_t declared = size - running;
  CountedChoice choice;
  std::vector<RankedPlacement> candidates;
  std::vector<std::size_t> fits;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const std::size_t room = room_in(cluster, class_room, placements[i]);
    fits.push_back(std::min(room, leaf.members.size()));
    choice.reports.push_back(
        {placements[i].key, placements[i].value, running + fits.back(), minimum, {}});
    if (fits.back() == 0 || running + fits.back() < minimum) continue;
    auto scores = foreseen(cluster, groups, profile, leaf, placements[i], fits.back());
    if (scores.size() != profile.placement_score.size()) return std::nullopt;
    candidates.push_back({i, std::min(room, declared), std::move(scores)});
  }
  if (candidates.empty()) {
    for (std::size_t i = 0; i < placements.size(); ++i) {
      choice.reports[i].reasons = reasons_in(cluster, evaluations, profile, pods, placements[i]);
    }
    return choice;
  }
  TUTTI_CHECK(fits.size() == placements.size());
  choice.best = candidates[best_of(profile, candidates)].placement;
  choice.fit = fits[*choice.best];
  return choice;
}

}  // namespace tutti::core
