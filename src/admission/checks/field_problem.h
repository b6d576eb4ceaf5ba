// What is wrong with an object, said of one field.
#pragma once

#include "base/std.h"

namespace tutti::admission {

// `path` as a user would write it: "spec.containers[0].resources.requests[cpu]". `message`
// completes it to a sentence that states rule and value: "must be at least 1, is 0".
struct FieldProblem {
  std::string path;
  std::string message;
  bool operator==(const FieldProblem&) const = default;
};
using FieldProblems = std::vector<FieldProblem>;

}  // namespace tutti::admission
