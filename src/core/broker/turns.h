// Turns: which request is tried next. Inside a queue its order decides; in a tree the heads of its
// queues compete, classically or by their shares; between trees priority, time and name.
//
// Heads and winners are kept until something below their root changes: a decision costs a look at
// the queues of its tree. A release lets every shape that waits in its tree be tried again, whether
// or not what came free is enough for it.
#pragma once

#include "base/std.h"
#include "core/broker/assignments.h"
#include "core/broker/backfill.h"
#include "core/requests/request_table.h"
#include "quota/tournament.h"

namespace tutti::core {

class Turns {
 public:
  // `backfill`: null where nobody may pass for that.
  Turns(RequestTable& table, Assignments& assignments, const Backfill* backfill = nullptr)
      : table_(table), assignments_(assignments), backfill_(backfill) {}

  // The request whose turn it is; null: nobody's. `news` rises with what may help those who found
  // no place.
  Request* next(std::uint64_t news);

 private:
  struct QueueTurn {
    const QuotaQueue* queue = nullptr;
    const WaitingLine* line = nullptr;
    Request* head = nullptr;  // speaks for its queue; null: nobody does
    // What the head follows from.
    std::uint64_t line_changes = 0;
    std::uint64_t quota = 0;
    std::uint64_t news = 0;
    bool heeds_news = false;
    // What the tournament was told.
    std::uint64_t charges = 0;
    Request* nominated = nullptr;
  };
  struct RootTurn {
    quota::QuotaNodeId root;
    std::uint64_t usage = 0;
    Request* winner = nullptr;
    std::vector<QueueTurn> queues{};
  };

  void rebuild();
  bool refresh_head(QueueTurn& turn, std::uint64_t news);
  Request* head_of(QueueTurn& turn, std::uint64_t news) const;
  Request* planned_head_of(QueueTurn& turn, std::uint64_t news) const;
  bool would_overtake(const QuotaQueue& queue, const Request& request) const;
  bool refresh_winner(RootTurn& turn, std::uint64_t news);
  Request* first_of_root(const RootTurn& turn);
  Request* winner_by_shares(RootTurn& turn);

  RequestTable& table_;
  Assignments& assignments_;
  const Backfill* backfill_;
  std::vector<RootTurn> roots_;
  std::vector<const WaitingLine*> strays_;  // lines of ClusterQueues that do not exist
  std::optional<quota::Tournament> tournament_;
  std::uint64_t objects_ = 0;  // their version, and the number of lines, that all this is made for
  std::size_t lines_ = 0;
};

}  // namespace tutti::core
