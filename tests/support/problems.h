// Field problems as lines that a test can compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/checks/field_problem.h"
#include "base/names.h"

namespace tutti::test {

using Lines = std::vector<std::string>;

// "spec.nodeName: no Node named 'n1'", one per problem.
inline Lines lines(const admission::FieldProblems& problems) {
  Lines made;
  for (const auto& problem : problems) made.push_back(problem.path + ": " + problem.message);
  return made;
}

// The line for a name that breaks a naming rule of base/names.h.
inline std::string bad_name(std::string_view path, const NameProblem& rule, std::string_view name) {
  return std::string(path) + ": " + rule.value() + ", is '" + std::string(name) + "'";
}

}  // namespace tutti::test
