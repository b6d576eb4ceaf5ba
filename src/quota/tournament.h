// Tournament: whose turn it is under fair sharing. Every queue nominates its head; at each cohort
// the heads of its children compete, and the winner goes up.
//
//   1. who waits for its victims to leave, where those are to go first
//   2. a child that would not borrow what the head asks for, before one that would
//   3. the smaller share of the child, with the head in it
//   4. higher priority   5. earlier timestamp   6. uid
//
// A nomination, or a charge to a queue, changes what its ancestors are and nothing else: one path
// is played again.
#pragma once

#include "base/std.h"
#include "quota/share.h"
#include "quota/tree.h"

namespace tutti::quota {

struct Head {
  std::vector<Charge> charges;
  bool victims_leaving = false;
  std::int64_t priority = 0;
  std::int64_t timestamp = 0;
  std::string uid{};
};

class Tournament {
 public:
  // Nobody is nominated. After an edit of the tree a new tournament begins.
  explicit Tournament(const Tree& tree);

  void nominate(QuotaNodeId queue, Head head);
  void withdraw(QuotaNodeId queue);
  // To be told when what is charged to the queue changed.
  void usage_changed(QuotaNodeId queue) { play_upwards(queue); }

  // The queue whose head goes first among all below `node`; nothing if nobody is nominated there.
  std::optional<QuotaNodeId> winner(QuotaNodeId node) const;
  const Head& head(QuotaNodeId queue) const { return *heads_[queue.index]; }

 private:
  struct Place {             // of a node, in the contest of its parent
    QuotaNodeId champion{};  // a queue; invalid if nobody below is nominated
    bool borrows = false;
    Share share{};
  };

  void play_upwards(QuotaNodeId node);
  Place place_of(QuotaNodeId node) const;
  bool beats(const Place& left, const Place& right) const;

  const Tree& tree_;
  std::vector<std::optional<Head>> heads_;  // by queue
  std::vector<Place> places_;               // by node
};

}  // namespace tutti::quota
