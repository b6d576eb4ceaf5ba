// Queues, requests and rights for people.
#pragma once

#include "base/std.h"
#include "queues/queue_report.h"
#include "queues/rights.h"
#include "terminal/layout.h"

namespace tutti::cli {

// `tutti queues`: the tree, a line for every flavor and resource.
std::string queues_text(const queues::QueueReport& report, const terminal::Layout& layout);
// Who waits, in order.
std::string waiting_text(const queues::QueueReport& report, const terminal::Layout& layout);

// Says for `tutti run` a line for every queue and one for every request that waits, leaves, was
// evicted, or was made for nothing else that is shown. Empty without queues.
std::string queues_in_brief(const queues::QueueReport& report, const terminal::Layout& layout);
// "3 requests (1 Admitted, 2 Pending)"; empty: there are none.
std::string request_totals(const queues::QueueReport& report);

// `tutti policy`: for each queue whom it may evict.
std::string rights_text(const queues::RightsTable& rights, const terminal::Layout& layout);

}  // namespace tutti::cli
