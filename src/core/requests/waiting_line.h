// WaitingLine: the requests that wait in one queue, in order, and by shape. A refusal holds for
// everybody of a shape until something changes that could help.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "core/requests/request.h"
#include "core/requests/request_shapes.h"
#include "quota/order.h"

namespace tutti::core {

// Why a shape waits, and since which state of the world.
struct ShapeRefusal {
  PendingReason why;
  std::uint64_t quota = 0;    // of the quota tree's releases and edits
  std::uint64_t cluster = 0;  // of news to the cluster; 0: places had no part in it
  std::shared_ptr<const PlaceAttempt> attempt{};
};

class WaitingLine {
 public:
  struct InQueue {
    bool operator()(const Request* left, const Request* right) const {
      return quota::goes_first_in_queue(left->standing(), right->standing());
    }
  };
  using Order = std::set<Request*, InQueue>;

  // Requests of one shape that are not held for a reason of their own.
  struct Alike {
    Order requests{};
    std::optional<ShapeRefusal> refusal{};
    std::optional<Waits> told{};  // what everybody knows
  };

  const Order& all() const { return all_; }
  const std::map<RequestShapeId, Alike>& shapes() const { return shapes_; }
  // Rises with everything that may change whose turn it is.
  std::uint64_t changes() const { return changes_; }

  void join(Request& request);
  void leave(Request& request);
  void refuse(RequestShapeId shape, ShapeRefusal refusal);
  // Why the request waits, as far as it shares that with others; null: nothing of that kind.
  const ShapeRefusal* refusal_of(const Request& request) const;
  // Who has to be told the refusal of its shape, because nobody told it anything yet, or the reason
  // is another one. Numbers alone are told only to who is tried. All count as told afterwards.
  std::vector<Request*> take_untold();

 private:
  Order all_;
  Order fresh_;  // never refused
  std::map<RequestShapeId, Alike> shapes_;
  std::uint64_t changes_ = 1;
  std::uint64_t told_at_ = 0;  // changes_ at the last take_untold()
};

}  // namespace tutti::core
