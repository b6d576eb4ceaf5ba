// Plan: the groups and members that a workload's document asks for.
//
//   composite (if there are several groups, or the kind says so)
//      ├── group ── members: pods, or Jobs that make the pods
//      └── group ── …
#pragma once

#include "base/std.h"
#include "wire/document.h"
#include "wire/value.h"

namespace tutti::controllers {

// A domain of the key takes pods with one value of the label and with no other, as the webhooks of
// JobSet and LeaderWorkerSet ask for with pod affinity and anti-affinity.
struct ExclusivePlace {
  std::string topology_key;
  std::string label;
  std::string value;
  bool everywhere = false;  // pods of every namespace count
  bool together = false;    // one domain takes all with the value; else their group sees to that
};

// One object to be made. Points into the document of the workload, or into the plan's own.
struct PlannedMember {
  std::string name;
  const wire::Value* form = nullptr;  // a template: {metadata, spec} of a Pod or of a Job
  bool is_job = false;
  std::string group;                                        // of the plan
  std::vector<std::pair<std::string, std::string>> labels;  // beyond the template's
  // Labels whose values are ours: the kind's own controller makes others.
  std::vector<std::pair<std::string, std::string>> keys = {};
  std::vector<ExclusivePlace> exclusive = {};
};

struct PlannedGroup {
  std::string name;           // of the PodGroup
  std::string template_name;  // in the Workload; groups of one template are alike
  std::int32_t minimum = 1;   // 0: a basic group, which the root does not wait for
  std::string topology_key;
};

struct Plan {
  // Groups that start, or do not, together: as many of those with a minimum as `root_minimum` says,
  // 0 for as they fit. Without a root each group stands alone.
  bool has_root = false;
  std::int32_t root_minimum = 0;
  std::string root_topology_key;
  std::vector<PlannedGroup> groups;
  std::vector<PlannedMember> members;     // without a group: lone pods
  std::unique_ptr<wire::Document> forms;  // templates that no document has as they are needed
  std::string problem;                    // why there are no members, where there should be some
};

}  // namespace tutti::controllers
