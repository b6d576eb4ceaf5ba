// OwnerPlan: what an owner says of the pods below it, with its plan of mapping.h where it has one.
//
//   Job                     one group; minimum: pods that still run at once, if it is a gang by
//                           v1.36's rule or says so itself
//   kinds of mapping.h      groups, minimum and root as planned, less what has succeeded
//   PodGroups of Volcano    one group; minimum: its minMember
//   and scheduler-plugins
//
// A workload whose members come one after the other cannot be a gang: nobody would be placed for
// want of those who come later. JobSets and LeaderWorkerSets with an exclusive topology are such,
// since their controllers make followers when the leader has its node; their pods stand alone.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::grouping {

struct PlannedGroup {
  std::string name;          // with its prefix
  std::int32_t minimum = 1;  // 0: members are placed as they fit
  std::string topology_key{};
  std::string job{};       // the Job whose pods they are; empty: pods of the owner itself
  model::Labels labels{};  // of its pods, where the owner has several groups
  bool under_root = false;
  bool operator==(const PlannedGroup&) const = default;
};

struct OwnerPlan {
  std::vector<PlannedGroup> groups{};  // none: pods stand alone
  std::string root{};                  // with its prefix; empty: groups stand alone
  std::int32_t root_minimum = 0;       // of groups; 0: as they fit
  // For a Job, gang or not: how many pods there should be now, those that run at once and have work
  // left.
  std::int32_t pods_wanted = 0;
  bool operator==(const OwnerPlan&) const = default;
};

// Requires an object of an owner_kinds() kind, with its document where the kind wants one.
OwnerPlan rule(const model::Object& owner);

// The group that the pod is of; null: none. `job`: the name of the Job it belongs to, if any.
const PlannedGroup* find_group(const OwnerPlan& ruling, const model::Pod& pod,
                               const std::string& job);

}  // namespace tutti::grouping
