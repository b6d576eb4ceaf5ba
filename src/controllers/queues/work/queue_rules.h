// What a cluster's configuration says about work in queues.
#pragma once

#include "base/std.h"
#include "model/selector.h"

namespace tutti::controllers {

struct QueueRules {
  // Work that names no queue is held, too, in namespaces that match.
  bool holds_work_without_queue = false;
  // Absent: every namespace but kube-system and kueue-system.
  std::optional<model::LabelSelector> namespaces;
  std::vector<std::string> frameworks;  // "batch/job", "pod"; empty: all of them
  bool reports_readiness = true;        // the condition PodsReady
};

}  // namespace tutti::controllers
