// What is written into a Workload: conditions in Kueue's words, and its admission. Each function
// takes the status as it is and returns it as it is to be; what others write of it stays.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/requests/quota_objects.h"
#include "core/requests/request.h"

namespace tutti::core {

using RequestStatus = model::AdmissionRequestStatus;

RequestStatus status_refused(const Request& request, const PendingReason& refusal, Instant now);
// Says that it got quota and places in its ClusterQueue; `checks` are those that have to agree
// first. With none it is admitted at once.
RequestStatus status_reserved(const Request& request, std::span<const std::string> checks,
                              Instant now);
// Says whether a condition of ours holds; one that never did is not mentioned.
RequestStatus status_with(const Request& request, std::string_view type, bool holds,
                          std::string_view reason, std::string message, Instant now);
// All checks have agreed.
RequestStatus status_admitted(const Request& request, Instant now);

struct EvictionWords {
  std::string reason;  // of Evicted: "Preempted", "PodsReadyTimeout" …
  std::string message;
  std::string cause{};  // of Preempted: "InClusterQueue" …; empty: it was not preempted
  std::string by{};     // name of the request that takes its place; empty: none does
};
RequestStatus status_evicted(const Request& request, const EvictionWords& words, Instant now);
// Everything it held has come free.
RequestStatus status_released(const Request& request, Instant now);

}  // namespace tutti::core
