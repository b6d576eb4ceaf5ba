// The examination of a configuration: every check, over one moment of a cluster.
#pragma once

#include <functional>

#include "base/std.h"
#include "core/requests/quota_objects.h"
#include "core/scheduler/scheduler.h"
#include "doctor/finding.h"
#include "explain/verdict/verdict.h"
#include "store/store.h"

namespace tutti::doctor {

// What is looked at; valid as long as those who answer.
struct Scene {
  const store::Store& objects;
  const core::Scheduler& scheduler;  // that saw them, and tried what could be tried
  core::QuotaObjects& quota;         // the same queues, before anybody used them
  // Everything that waits or is held, in the words people wrote, with ways where they were looked
  // for.
  std::vector<explain::Verdict> waiting;
  // Whether the pod is another scheduler's.
  std::function<bool(const model::Pod&)> is_foreign;
  // What a person calls the object that the pod was made of: "Job ml/train".
  std::function<explain::ObjectName(const model::Object&)> work_of;
  bool copied = false;  // from a real cluster: what is not there does not exist
};

// Everything that is found, worst first.
std::vector<Finding> examine(const Scene& scene);

// The checks, each in its own file.
using Findings = std::vector<Finding>;
void check_queues(const Scene& scene, Findings& findings);
void check_work(const Scene& scene, Findings& findings);
void check_nodes(const Scene& scene, Findings& findings);
void check_quota(const Scene& scene, Findings& findings);
void check_gangs(const Scene& scene, Findings& findings);

}  // namespace tutti::doctor
