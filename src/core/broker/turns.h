// Turns: which request is tried next. Inside a queue its order decides; in a tree the heads of its
// queues compete, classically or by their shares; between trees priority, time and name.
#pragma once

#include <map>

#include "base/std.h"
#include "core/broker/assignments.h"
#include "core/requests/request_table.h"

namespace tutti::core {

class Turns {
 public:
  // Whether a request may be tried now.
  using IsReady = std::function<bool(const Request&)>;

  Turns(RequestTable& table, Assignments& assignments) : table_(table), assignments_(assignments) {}

  // The request whose turn it is; null: nobody's.
  Request* next(const IsReady& is_ready);
  // The request that speaks for its queue; null: nobody does. The first of a StrictFIFO queue holds
  // back all others until it is decided, unless it is held for a reason of its own.
  Request* head_of(const QuotaQueue& queue, const IsReady& is_ready) const;

 private:
  bool would_overtake(const QuotaQueue& queue, const Request& request) const;

  using Heads = std::vector<std::pair<const QuotaQueue*, Request*>>;

  Request* first_of_root(const Heads& heads);
  Request* winner_by_shares(quota::QuotaNodeId root, const Heads& heads);

  RequestTable& table_;
  Assignments& assignments_;
};

}  // namespace tutti::core
