// Shares: how much of what its parent could lend a node has borrowed, in its dominant resource, by
// weight. Fair sharing gives to the smallest and takes from the largest.
//
//   share = max over resources of (borrowed / lendable) / weight
//
// A share is kept as the numbers it is made of and compared by cross multiplication, so that no
// decision rests on a rounded number.
#pragma once

#include <compare>
#include <limits>

#include "base/std.h"
#include "quota/ids.h"
#include "quota/tree.h"
#include "quota/weight.h"

namespace tutti::quota {

struct Share {
  // How much of the dominant resource is borrowed; sums beyond int64 are cut off there. 0 of 1:
  // nothing is borrowed, or nobody could have lent it.
  std::uint64_t borrowed = 0;
  std::uint64_t lendable = 1;
  Weight weight{};
  ResourceId dominant{};  // the first by name among equals; invalid if nothing is borrowed
  // Whether the node uses more than its quota of anything, lendable or not.
  bool borrowing = false;
};

inline constexpr std::int64_t kInfiniteShare = std::numeric_limits<std::int64_t>::max();

// The share of a node as if `more` were charged to it on top; 0 at a root. `more` is what arrives
// at this node (see above_of), not what its queue is charged.
Share share_of(const Tree& tree, QuotaNodeId node, std::span<const Charge> more = {});

// What of `charges`, if they arrived at `node`, would show to its parent.
std::vector<Charge> above_of(const Tree& tree, QuotaNodeId node, std::span<const Charge> charges);

// By size. Whoever borrows with weight 0 is above everybody else, and among themselves by what they
// borrow.
std::strong_ordering compare(const Share& left, const Share& right);

// As status shows it: thousandths, rounded up; kInfiniteShare for weight 0.
std::int64_t weighted_share(const Share& share);

}  // namespace tutti::quota
