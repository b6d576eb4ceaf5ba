// Selector values as the API carries them. Matching and text forms live in expr/.
#pragma once

#include "base/std.h"

namespace tutti::model {

struct Requirement {
  enum class Operator { in, not_in, exists, does_not_exist, gt, lt };
  std::string key;
  Operator op = Operator::in;
  std::vector<std::string> values;
  bool operator==(const Requirement&) const = default;
};

// An empty selector matches everything; "no selector" is an absent optional, and what that means is
// the caller's matter.
struct LabelSelector {
  std::vector<std::pair<std::string, std::string>> match_labels;
  std::vector<Requirement> match_expressions;
  bool operator==(const LabelSelector&) const = default;
};

}  // namespace tutti::model
