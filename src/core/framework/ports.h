// What the scheduler needs from a cluster. `sim` answers in virtual time, `kube` over HTTP; the
// core sees only this. Observation comes the other way: the driver calls Scheduler::observe.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "model/device.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::model {
struct AdmissionCheckState;
struct AdmissionRequest;
}  // namespace tutti::model

namespace tutti::core {

// One change in the cluster, as a watch delivers it.
struct Observation {
  enum class Type { added, modified, deleted };
  Type type = Type::added;
  model::ObjectPtr object;  // the last known state for deleted
  bool quiet = false;       // the change wakes nothing; retries find it by themselves
};

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
  std::optional<model::ExtendedClaim> extended_claim = std::nullopt;
};

struct GroupConditionPatch {
  model::ObjectKey group;  // kind pod_group or composite_pod_group
  model::Condition condition;
};

// A change of a claim on behalf of a decision. What it asks for is done as a whole or not at all.
struct ClaimPatch {
  std::string ns;
  std::string name;
  std::string uid;
  // To be set; a claim that has another one meanwhile, or is being deleted, is left alone.
  std::optional<model::Allocation> allocation;
  std::optional<model::ConsumerReference> reserve_for;  // to be added; needs an allocation
  // Uid of a consumer to be taken off; the allocation goes with the last one.
  std::string release;
  bool remove = false;  // and then the claim itself
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
  // Writes what the broker says of a request: its admission and conditions, and whether it is
  // active. What others write of its status stays. Clusters without queues need not answer.
  virtual void update_request(const std::shared_ptr<const model::AdmissionRequest>& /*request*/) {
    TUTTI_UNREACHABLE("this cluster has no requests");
  }
  // Writes what we say of one check of a request whose status is Kueue's.
  virtual void answer_check(const std::shared_ptr<const model::AdmissionRequest>& /*request*/,
                            const model::AdmissionCheckState& /*answer*/) {
    TUTTI_UNREACHABLE("this cluster has no requests");
  }
  // Writes the status of a ClusterQueue, LocalQueue, Cohort or AdmissionCheck.
  virtual void update_queue_status(const model::ObjectPtr& /*queue*/) {
    TUTTI_UNREACHABLE("this cluster has no queues");
  }
  // The outcome shows in what is observed of the claim. Clusters without claims need not answer.
  virtual void patch_claim(const ClaimPatch& /*patch*/) {
    TUTTI_UNREACHABLE("this cluster has no claims");
  }
  // Makes a claim; one of that name that is there already is left alone. Shows like any other.
  virtual void create_claim(const std::shared_ptr<const model::ResourceClaim>& /*claim*/) {
    TUTTI_UNREACHABLE("this cluster has no claims");
  }
};

}  // namespace tutti::core
