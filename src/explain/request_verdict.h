// Verdicts for requests in queues (Kueue's Workloads): what their quota lacks, or, where quota
// would do, what their pods lack of places.
#pragma once

#include "base/std.h"
#include "core/broker/broker.h"
#include "explain/explain.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

// The object that the request was made for, as people call it: "Job ml/train"; the Workload itself
// where nobody controls it.
ObjectName author_of(const model::AdmissionRequest& request);

// "flavor a", "flavors a and b": all that some pod set was promised.
std::string flavors_text(std::span<const core::PodSetPromise> promise);

// Requires sources of the scheduler whose broker it is. `object` is the Workload.
Verdict explain_request(const Sources& sources, const core::Broker& broker,
                        const core::Request& request);

// Why it waits, as the broker found last; null: it was not tried, or does not wait.
const core::PendingReason* pending_reason(const core::RequestTable& table,
                                          const core::Request& request);

// Requests that are tried before it in its queue, as people call them, in order; empty unless it
// waits.
std::vector<std::string> ahead_in_queue(const core::RequestTable& table,
                                        const core::Request& request);

}  // namespace tutti::explain
