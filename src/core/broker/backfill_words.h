// What is said of reservations: conditions, events and refusals.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"
#include "core/broker/request_writer.h"
#include "core/broker/start_plan.h"
#include "core/requests/request_table.h"
#include "core/timeline/run_time.h"

namespace tutti::core {

// Conditions of Workloads: it was promised a start; it was let pass somebody who was.
inline constexpr std::string_view kReserved = "tutti.dev/Reserved";
inline constexpr std::string_view kBackfilled = "tutti.dev/Backfilled";

// "would end at 15:05, after the reservation of ml/big at 14:20".
PendingReason refusal_for(const RunTime& runs, std::optional<Millis> counted,
                          const PromisedStart& delayed, Instant now);
// "from 14:20 on 8 nodes, when Workload ml/eval ends". `one`: the name of the only node.
std::string reserved_text(const PromisedStart& reservation, std::size_t nodes,
                          const std::string& one, std::span<const std::string> causes);
// "collecting 12 of 16 nodes".
std::string collecting_text(std::size_t nodes_free, std::size_t nodes);
// "may run until 14:20; reserved for ml/train then".
std::string let_pass_text(const PromisedStart& first, std::optional<Millis> length, Instant now);
// "Job ml/eval"; "Workload ml/eval" where nobody controls it.
std::string request_text(const RequestTable& table, const std::string& name);
std::string pod_text(const model::Pod& pod);

}  // namespace tutti::core
