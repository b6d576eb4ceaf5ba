// What the scheduler needs from a cluster. `sim` answers in virtual time, `kube` over HTTP; the
// core sees only this. Observation comes the other way: the driver calls Scheduler::observe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::core {

struct PodReference {
  std::string ns;
  std::string name;
  std::string uid;
};

struct BindRequest {
  PodReference pod;
  std::string node;
  std::string group;  // the pod's PodGroup; empty: none
};

// What a failed or undecided attempt leaves on the pod. Absent fields stay as they are.
struct PodStatusPatch {
  PodReference pod;
  std::optional<model::Condition> condition;  // PodScheduled, DisruptionTarget
  std::optional<std::string> nominated_node;  // "" clears it
};

struct GroupConditionPatch {
  model::ObjectKey group;  // kind pod_group or composite_pod_group
  model::Condition condition;
};

struct EventRecord {
  model::ObjectPtr about;
  std::string type;  // Normal, Warning
  std::string reason;
  std::string action;
  std::string message;
  std::string scheduler;  // reporting controller: the profile's scheduler name
};

class ClusterPort {
 public:
  virtual ~ClusterPort() = default;

  // Starts binding and returns at once. The driver reports the outcome with
  // Scheduler::bind_finished, never from inside this call. A member of a group is bound only after
  // the cluster has stored what patch_group was given for that group before; if it cannot be
  // stored, the binding fails.
  virtual void bind(const BindRequest& request) = 0;
  // Deletes a pod with its own grace period, after setting `reason` as its DisruptionTarget
  // condition.
  virtual void evict(const PodReference& pod, const model::Condition& reason) = 0;
  // Writes of pod status and events are best effort: losing one loses no decision.
  virtual void patch_pod(const PodStatusPatch& patch) = 0;
  virtual void patch_group(const GroupConditionPatch& patch) = 0;
  virtual void record(const EventRecord& event) = 0;
  // Writes a changed object whose resourceVersion must still be current (volume binding).
  virtual void update(const model::ObjectPtr& object) = 0;
};

}  // namespace tutti::core
