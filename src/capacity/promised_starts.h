// Starts that requests in queues were promised, with the room that is kept for them.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/scheduler/scheduler.h"

namespace tutti::capacity {

struct PromisedRoom {
  std::string request;           // "Job ml/train"
  std::optional<Instant> start;  // absent: nobody knows, room is collected
  bool certain = false;          // all that ends before is bounded
  std::vector<std::string> flavors;
  std::vector<std::string> nodes;
  std::vector<std::string> waits_for;  // whose ends make the start
};

// In the order of their trees of queues, then of turns.
std::vector<PromisedRoom> promised_rooms(const core::Scheduler& scheduler);

}  // namespace tutti::capacity
