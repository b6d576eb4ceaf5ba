#include "core/placement/early_members.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tutti::core {

std::vector<std::size_t> EarlyMembers::settle() {
  std::vector<std::size_t> settled;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].settled || !is_accepted(members_[i])) continue;
    members_[i].settled = true;
    settled.push_back(i);
  }
  return settled;
}

void EarlyMembers::unsettle(const std::vector<std::size_t>& members) {
  for (const std::size_t i : members) members_[i].settled = false;
}

bool EarlyMembers::all_settled() const { return std::ranges::all_of(members_, &Member::settled); }

std::optional<EarlyMembers::Wish> EarlyMembers::first_wish() {
  for (const Member& member : members_) {
    if (member.settled) continue;
    Evaluation& evaluation = evaluations_.get(profile_, cluster_.class_of(member.pod));
    if (auto where = evaluation.company_wanted(member.node)) {
      return Wish{member.which, *std::move(where)};
    }
  }
  return std::nullopt;
}

// Only filters that other pods can open are asked again: what the others say does not depend on the
// order. A member is not company to itself, but it counts where pods are to be spread.
bool EarlyMembers::is_accepted(const Member& member) {
  const PodClass pods = cluster_.class_of(member.pod);
  const Evaluation& in_place = evaluations_.get(profile_, pods);
  if (in_place.company_wanted(member.node)) return false;
  if (!in_place.may_open_without_company()) return true;
  cluster_.take_off(member.pod);
  const bool agrees = evaluations_.get(profile_, pods).company_agrees(member.node);
  cluster_.place(member.pod, member.node);
  return agrees;
}

bool may_come_before_another(const Cluster& cluster, EvaluationCache& evaluations,
                             const Profile& profile, std::span<const PodId> pods) {
  const auto requires_others = [&](PodId pod) {
    return !cluster.shape(cluster.pod(pod).shape).spec->affinity.required.empty();
  };
  if (std::ranges::none_of(pods, requires_others)) return false;
  std::set<LabelClassId> labels;
  for (const PodId pod : pods) labels.insert(cluster.pod(pod).labels);
  std::set<EvaluationCache::Key> seen;
  return std::ranges::any_of(pods, [&](PodId pod) {
    const PodClass pods_like_it = cluster.class_of(pod);
    if (!requires_others(pod) || !seen.insert(evaluations.key(profile, pods_like_it)).second) {
      return false;
    }
    const Evaluation& answers = evaluations.get(profile, pods_like_it);
    return !answers.wants_company_of(pods_like_it.labels) &&
           std::ranges::any_of(labels,
                               [&](LabelClassId each) { return answers.wants_company_of(each); });
  });
}

}  // namespace tutti::core
