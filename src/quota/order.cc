#include "quota/order.h"

#include <tuple>

namespace tutti::quota {
namespace {

// What comes first is less. Negated priorities would overflow at the lowest one, so they are
// compared the other way round.
struct HigherFirst {
  std::int64_t value;
  friend bool operator==(HigherFirst, HigherFirst) = default;
  friend bool operator<(HigherFirst left, HigherFirst right) { return left.value > right.value; }
};

auto queue_key(const Standing& each) {
  return std::tuple(!each.sticky, each.history, HigherFirst{each.priority}, each.timestamp,
                    each.uid);
}

auto root_key(const Entry& each) {
  return std::tuple(!each.second_pass, !each.victims_leaving, each.borrow_level,
                    HigherFirst{each.priority}, each.timestamp, each.uid);
}

}  // namespace

bool goes_first_in_queue(const Standing& left, const Standing& right) {
  return queue_key(left) < queue_key(right);
}

bool goes_first_in_root(const Entry& left, const Entry& right) {
  return root_key(left) < root_key(right);
}

}  // namespace tutti::quota
