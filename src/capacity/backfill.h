// Whether something smaller may run before the head of the queue without delaying it.
//
// The head is the first that waits for room. When running work says how long it takes, the moment
// the head fits is found by letting that work end, one after another; the head then has nodes, and
// whatever fits now and still fits beside it then delays nobody. A job that ends before that moment
// delays nobody either.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "capacity/copy/cluster_copy.h"
#include "capacity/copy/imagined_gang.h"
#include "capacity/copy/waiting.h"

namespace tutti::capacity {

struct Backfill {
  std::string head;               // empty: nothing waits for room
  std::optional<Instant> starts;  // empty: not known
  std::string why;                // it is not known
  struct Beside {
    std::string requests;        // of the shape
    std::size_t any_length = 0;  // pods that may start now, however long they run
    std::size_t until_then = 0;  // that may if they end by then
  };
  std::vector<Beside> beside;  // shapes that are counted
};

Backfill head_start(ClusterCopy& twin, const Queue& queue,
                    std::span<const std::unique_ptr<ImaginedGang>> troupes);

// When the pod is over, if it says how long it takes and has started.
std::optional<Instant> expected_end(const model::Pod& pod);

}  // namespace tutti::capacity
