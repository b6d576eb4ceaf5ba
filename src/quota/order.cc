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
  return std::tuple(!each.sticky, each.tenure, each.history, HigherFirst{each.priority},
                    each.timestamp, each.uid);
}

// What needs no loan goes before burst of other queues, which could take the loan back.
auto root_key(const Entry& each) {
  const Tenure apart = each.tenure == Tenure::burst ? Tenure::ordinary : each.tenure;
  return std::tuple(!each.second_pass, !each.victims_leaving, apart, each.borrow_level, each.tenure,
                    HigherFirst{each.priority}, each.timestamp, each.uid);
}

}  // namespace

std::string_view word(Tenure tenure) {
  switch (tenure) {
    case Tenure::guaranteed:
      return "guaranteed";
    case Tenure::ordinary:
      return "ordinary";
    case Tenure::burst:
      return "burst";
    case Tenure::opportunistic:
      return "opportunistic";
  }
  return {};
}

bool goes_first_in_queue(const Standing& left, const Standing& right) {
  return queue_key(left) < queue_key(right);
}

bool goes_first_in_root(const Entry& left, const Entry& right) {
  return root_key(left) < root_key(right);
}

}  // namespace tutti::quota
