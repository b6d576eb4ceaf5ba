// PlacementChoice: which of several candidate placements a group takes.
//
// Candidates are compared by the profile's PlacementScore plugins. Identical pods that only compete
// for resources need not be tried in every candidate: how many fit is counted, and the plugins
// foresee their scores.
#pragma once

#include "base/std.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/attempt.h"
#include "core/framework/extension_points.h"
#include "core/framework/profile.h"
#include "core/placement/task.h"

namespace tutti::core {

// A candidate in which the group fits.
struct RankedPlacement {
  std::size_t placement = 0;  // index among the candidates
  // How much of the declared size of a basic group the candidate would hold. What is placed first
  // decides where the rest must go, so this comes before any score.
  std::size_t holds = 0;
  std::vector<std::int64_t> raw_scores;  // by PlacementScore plugin
};

// The most held, then the highest weighted sum; ties go to the first.
std::size_t best_of(const Profile& profile, std::span<const RankedPlacement> candidates);

// How many members the group will have: those known, or more if an annotation says so
// (kueue.x-k8s.io/pod-group-total-count on its pods, tutti.dev/group-size on the group).
std::size_t declared_size(const Cluster& cluster, const Group& group);

struct CountedChoice {
  std::optional<std::size_t> best;       // index of the placement to take; empty: none holds enough
  std::size_t fit = 0;                   // members that fit the best
  std::vector<PlacementReport> reports;  // of every placement; with reasons when none holds enough
};

// Nothing when the leaf's members are not of the kind that can be counted.
std::optional<CountedChoice> choose_by_counting(Cluster& cluster, const GroupTable& groups,
                                                EvaluationCache& evaluations,
                                                const Profile& profile, const Subtree& leaf,
                                                std::span<const Placement> placements);

}  // namespace tutti::core
