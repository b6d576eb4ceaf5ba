// SearchBudget: how much a search may still try, counted in steps so that the answer is the same on
// every machine. A step is one comparison of plain numbers; asking the filters about a node costs
// kLookSteps of them.
#pragma once

#include <algorithm>

#include "base/check.h"
#include "base/std.h"

namespace tutti::core {

class SearchBudget {
 public:
  static constexpr std::size_t kLookSteps = 40;

  explicit SearchBudget(std::size_t steps) : left_(steps) {}

  std::size_t left() const { return left_; }
  bool spent() const { return left_ == 0; }
  void take(std::size_t steps) { left_ -= std::min(steps, left_); }
  void take_looks(std::size_t looks) { take(looks * kLookSteps); }

  // A budget of its own with the given part of what is left; hand it to settle() when done with it.
  SearchBudget part(std::size_t of) const {
    return SearchBudget(left_ / std::max<std::size_t>(of, 1));
  }
  void settle(const SearchBudget& granted, const SearchBudget& rest) {
    TUTTI_CHECK(rest.left_ <= granted.left_, "more is left than was granted");
    take(granted.left_ - rest.left_);
  }

 private:
  std::size_t left_;
};

}  // namespace tutti::core
