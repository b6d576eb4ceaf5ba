// Request: one admission request (Kueue's Workload) as the broker keeps it.
//
//   waiting ──decided──> reserved ──checks ready──> admitted ──ended, or evicted──> releasing
//      ▲  └──others must leave──> preempting ──they are gone──┘                        │
//      └──────────────────── the last of its pods is gone ─────────────────────────────┘
//
// From preempting on it has a charge and places; both come free together.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "base/time.h"
#include "core/framework/attempt.h"
#include "core/requests/pending_reason.h"
#include "core/requests/pod_set_amounts.h"
#include "core/requests/request_shapes.h"
#include "core/shapes/ids.h"
#include "model/admission_request.h"
#include "quota/order.h"
#include "quota/tree.h"

namespace tutti::core {

enum class RequestStage : std::uint8_t { waiting, preempting, reserved, admitted, releasing };
std::string_view word(RequestStage stage);

// What a pod set was promised.
struct PodSetPromise {
  std::int64_t count = 0;
  std::map<std::string, std::string> flavors{};  // by resource
  ResourceAmounts usage{};                       // of `count` pods
  std::optional<model::TopologyAssignment> topology{};
};

// What a try at the places of one assignment came to.
struct PlaceAttempt {
  std::string request;                   // whose phantoms it speaks of
  std::uint64_t gang = 0;                // PhantomGang::made
  std::vector<PodSetPromise> promise{};  // what they would have been promised
  Attempt attempt{};
};

struct Request {
  std::shared_ptr<const model::AdmissionRequest> object;
  RequestStage stage = RequestStage::waiting;
  std::string name;                     // "ns/name"
  std::string queue;                    // its ClusterQueue; empty: its LocalQueue does not exist
  std::int64_t priority = 0;            // effective
  std::int64_t timestamp = 0;           // in its queue, milliseconds
  std::vector<ResourceAmounts> asks{};  // of one pod, by pod set
  std::string flaw{};                   // why its pods can never be; empty: they can
  RequestShapeId shape{};

  // --- while it waits ---
  bool sticky = false;  // its own victims are leaving
  std::optional<Instant> not_before{};
  std::optional<PendingReason> refusal{};
  // Refused for a reason that lies in it or its queue, until an object changes.
  bool parked_alone = false;
  // What it keeps free in its tree, against those who come after it; see RequestTable::keep.
  std::vector<quota::Charge> keeps{};
  std::uint32_t borrow_level = 0;  // of the assignment that it keeps that for
  std::shared_ptr<const PlaceAttempt> last{};
  std::uint64_t attempts = 0;
  // Versions of quota and cluster against which its start was planned last, where all are planned.
  std::uint64_t planned_quota = 0;
  std::uint64_t planned_news = 0;

  // --- from preempting on ---
  quota::QuotaNodeId charged_to{};  // invalid: nothing is charged
  std::vector<quota::Charge> charges{};
  std::vector<PodSetPromise> promise{};
  Instant reserved_at{};
  Instant admitted_at{};
  std::set<std::string> victims{};  // names of requests that leave for it
  bool finished = false;            // it will not wait again
  // Against loops: who was evicted for others' sake again and again is left alone for a while.
  std::vector<Instant> preempted{};  // when, within the last hour
  std::int32_t protections = 0;      // that it has had
  std::optional<Instant> protected_until{};

  // It was let pass somebody for an estimate, and goes for it at that moment.
  std::optional<Instant> yields_at{};
  std::string yields_to{};

  std::set<PodId> pods{};  // its live pods that the cluster has; terminating ones too

  bool holds() const { return stage != RequestStage::waiting; }
  quota::Entry entry(std::uint32_t level) const {
    return {.borrow_level = level, .priority = priority, .timestamp = timestamp, .uid = name};
  }
  quota::Standing standing() const {
    return {
        .sticky = sticky, .history = 0, .priority = priority, .timestamp = timestamp, .uid = name};
  }
};

// How many pods of the set are still to run, when there were to be `count` at first: not those that
// have ended for good.
std::int64_t left_to_run(const model::AdmissionRequest& request, const model::PodSet& set,
                         std::int64_t count);
// Condition of the object that is True; null otherwise.
const model::Condition* true_condition(const model::AdmissionRequest& request,
                                       std::string_view type);
// Priority plus the annotation kueue.x-k8s.io/priority-boost, if that is a number.
std::int64_t effective_priority(const model::AdmissionRequest& request);

}  // namespace tutti::core
