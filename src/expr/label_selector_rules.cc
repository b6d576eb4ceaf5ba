#include "expr/label_selector_rules.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/names.h"
#include "expr/integer.h"

namespace tutti::expr {
namespace {

using Operator = model::Requirement::Operator;

bool is_order(Operator op) { return op == Operator::gt || op == Operator::lt; }

// How many values the operator wants.
SelectorProblem arity_problem(const model::Requirement& requirement) {
  const std::size_t count = requirement.values.size();
  const auto complain = [&](std::string_view rule) {
    return fmt::format("values: must {} when operator is {}", rule, operator_name(requirement.op));
  };
  switch (requirement.op) {
    case Operator::in:
    case Operator::not_in:
      if (count == 0) return complain("be non-empty");
      break;
    case Operator::exists:
    case Operator::does_not_exist:
      if (count != 0) return complain("be empty");
      break;
    case Operator::gt:
    case Operator::lt:
      if (count != 1) return complain("have exactly one element");
      break;
  }
  return std::nullopt;
}

SelectorProblem value_problem(Operator op, std::string_view value) {
  if (is_order(op)) {
    if (!parse_int64(value)) return "must be a whole number";
    return std::nullopt;
  }
  return label_value_problem(value);
}

}  // namespace

std::string_view operator_name(Operator op) {
  switch (op) {
    case Operator::in:
      return "In";
    case Operator::not_in:
      return "NotIn";
    case Operator::exists:
      return "Exists";
    case Operator::does_not_exist:
      return "DoesNotExist";
    case Operator::gt:
      return "Gt";
    case Operator::lt:
      return "Lt";
  }
  TUTTI_UNREACHABLE("an operator that does not exist");
}

SelectorProblem requirement_problem(const model::Requirement& requirement, OrderOperators order) {
  if (const auto problem = label_key_problem(requirement.key)) return "key: " + *problem;
  if (is_order(requirement.op) && order == OrderOperators::refused) {
    return fmt::format("operator: must not be {} in a label selector",
                       operator_name(requirement.op));
  }
  if (auto problem = arity_problem(requirement)) return problem;
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (const auto problem = value_problem(requirement.op, requirement.values[i])) {
      return fmt::format("values[{}]: {}", i, *problem);
    }
  }
  return std::nullopt;
}

SelectorProblem label_selector_problem(const model::LabelSelector& selector) {
  for (const auto& [key, value] : selector.match_labels) {
    auto problem = label_key_problem(key);
    if (!problem) problem = label_value_problem(value);
    if (problem) return fmt::format("matchLabels[{}]: {}", key, *problem);
  }
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const auto problem =
        requirement_problem(selector.match_expressions[i], OrderOperators::refused);
    if (problem) return fmt::format("matchExpressions[{}].{}", i, *problem);
  }
  return std::nullopt;
}

}  // namespace tutti::expr
