// What a well-formed selector must obey. A problem is a sentence that begins with the path inside
// the selector, ready to be put behind the path of the field that holds it:
// "matchExpressions[1].values: must be non-empty when operator is In".
#pragma once

#include "base/std.h"
#include "model/selector.h"

namespace tutti::expr {

using SelectorProblem = std::optional<std::string>;

// Gt and Lt belong to node selectors and to the text form; a LabelSelector object refuses them.
enum class OrderOperators { refused, allowed };

// The path begins at the requirement: "operator: …", "values[0]: …".
SelectorProblem requirement_problem(const model::Requirement& requirement, OrderOperators order);
SelectorProblem label_selector_problem(const model::LabelSelector& selector);

// "In", "DoesNotExist", …: the API's spelling.
std::string_view operator_name(model::Requirement::Operator op);

}  // namespace tutti::expr
