// Whose turn it is, inside a queue and across the queues of one root without fair sharing. With
// fair sharing, the second question is answered by tournament.h.
#pragma once

#include "base/std.h"
#include "quota/amount.h"
#include "quota/tenure.h"

namespace tutti::quota {

// A request that waits in a queue. `timestamp` is when it began to count as waiting.
struct Standing {
  bool sticky = false;        // its own victims are leaving; BestEffortFIFO only
  Amount history = 0;         // decayed usage of its LocalQueue; 0 without admission fair sharing
  std::int64_t priority = 0;  // effective
  std::int64_t timestamp = 0;
  std::string_view uid{};
  Tenure tenure = Tenure::ordinary;  // firmer ones go first
};

// Whether `left` is tried before `right`, both of one queue.
bool goes_first_in_queue(const Standing& left, const Standing& right);

// A request whose flavors are chosen, and which competes with other queues of its root.
struct Entry {
  bool second_pass = false;        // holds its quota already; something later made it come back
  bool victims_leaving = false;    // only if those are to go first
  std::uint32_t borrow_level = 0;  // the largest of its assignments
  std::int64_t priority = 0;
  std::int64_t timestamp = 0;
  std::string_view uid{};
  Tenure tenure = Tenure::ordinary;  // guaranteed work goes first, opportunistic last
};

// Whether `left` is decided before `right`, both of one root.
bool goes_first_in_root(const Entry& left, const Entry& right);

}  // namespace tutti::quota
