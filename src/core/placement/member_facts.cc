#include "core/placement/member_facts.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/evaluation/counting.h"

namespace tutti::core {
namespace {

bool is_nominated(const PodEntry& entry) { return !entry.object->status.nominated_node.empty(); }

}  // namespace

bool MemberFacts::operator==(const MemberFacts& other) const {
  const bool same_request = request.ok() && other.request.ok()
                                ? *request == *other.request
                                : request.ok() == other.request.ok() &&
                                      request.error().message == other.request.error().message;
  const auto rest = [](const MemberFacts& facts) {
    return std::tuple(facts.one_shape, facts.one_label_class, facts.claims, facts.nominated,
                      facts.may_wait_for_company);
  };
  return same_request && rest(*this) == rest(other);
}

MemberFacts find_facts(const Cluster& cluster, const GroupTable& groups, const Subtree& leaf) {
  MemberFacts facts;
  facts.request = topology_request(cluster, all_members(groups, leaf));
  for (const PodId pod : leaf.members) {
    const PodEntry& entry = cluster.pod(pod);
    const PodEntry& first = cluster.pod(leaf.members.front());
    facts.one_shape = facts.one_shape && entry.shape == first.shape;
    facts.one_label_class = facts.one_label_class && entry.labels == first.labels;
    facts.claims = facts.claims || !entry.object->spec->resource_claims.empty();
    facts.nominated = facts.nominated || is_nominated(entry);
    facts.may_wait_for_company =
        facts.may_wait_for_company || may_open_later(cluster.shape(entry.shape));
  }
  return facts;
}

Result<TopologyRequest> request_of(const Cluster& cluster, const GroupTable& groups,
                                   const Subtree& leaf) {
  if (leaf.facts) return leaf.facts->request;
  return topology_request(cluster, all_members(groups, leaf));
}

bool somebody_is_nominated(const Cluster& cluster, const Subtree& leaf) {
  if (leaf.facts) return leaf.facts->nominated;
  return std::ranges::any_of(leaf.members,
                             [&](PodId pod) { return is_nominated(cluster.pod(pod)); });
}

bool are_alike(const Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
               const Subtree& leaf) {
  if (leaf.members.empty()) return true;
  const auto key = evaluations.key(profile, cluster.class_of(leaf.members.front()));
  // What claims ask for is theirs to tell, and changes with them.
  if (leaf.facts && !leaf.facts->claims) {
    if (!leaf.facts->one_shape) return false;
    constexpr std::size_t kLabels = 1;
    if (leaf.facts->one_label_class || std::get<kLabels>(key) == 0) return true;
  }
  return std::ranges::all_of(leaf.members, [&](PodId pod) {
    return evaluations.key(profile, cluster.class_of(pod)) == key;
  });
}

bool compete_alike(const Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
                   const Subtree& leaf) {
  const PodShape* first = nullptr;
  Bitset nodes;
  std::set<EvaluationCache::Key> seen;
  const bool alike = are_alike(cluster, evaluations, profile, leaf);
  for (const PodId pod : leaf.members) {
    const PodClass pods = cluster.class_of(pod);
    const PodShape& shape = cluster.shape(pods.shape);
    if (!only_counts(cluster, profile, shape)) return false;
    if (alike) return true;
    if (!seen.insert(evaluations.key(profile, pods)).second) continue;
    const Bitset& accepting = evaluations.get(profile, pods).feasible();
    if (first == nullptr) {
      first = &shape;
      nodes = accepting;
    } else if (shape.requests != first->requests || accepting != nodes) {
      return false;
    }
  }
  return true;
}

}  // namespace tutti::core
