// What looking at every member of a PodGroup shows, so that an attempt need not look at each of
// thousands of pods again for every question.
#pragma once

#include "base/result.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/profile.h"
#include "core/placement/task.h"
#include "core/topology/topology_request.h"

namespace tutti::core {

// True until somebody joins or leaves the group, or the object of a member changes.
struct MemberFacts {
  Result<TopologyRequest> request = TopologyRequest{};  // of those that run, too
  bool one_shape = true;
  bool one_label_class = true;
  bool claims = false;     // some member has resource claims
  bool nominated = false;  // some member has a nominated node
  bool may_wait_for_company = false;

  bool operator==(const MemberFacts& other) const;
};

MemberFacts find_facts(const Cluster& cluster, const GroupTable& groups, const Subtree& leaf);

// Returns the request of the waiting members of a leaf, by its facts if it has any.
Result<TopologyRequest> request_of(const Cluster& cluster, const GroupTable& groups,
                                   const Subtree& leaf);
bool somebody_is_nominated(const Cluster& cluster, const Subtree& leaf);
// Whether all are of one class; true of nobody.
bool are_alike(const Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
               const Subtree& leaf);
// Whether all only compete for the same resources of the same nodes, so that which of them goes
// where makes no difference to how many fit, whatever else tells them apart.
bool compete_alike(const Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
                   const Subtree& leaf);

}  // namespace tutti::core
