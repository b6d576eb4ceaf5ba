#include "expr/label_selector_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti::expr {
namespace {

using model::LabelSelector;
using model::Requirement;
using Operator = Requirement::Operator;

TEST(LabelSelectorRules, acceptGoodSelectors) {
  EXPECT_EQ(label_selector_problem({}), std::nullopt);
  EXPECT_EQ(label_selector_problem({.match_labels = {{"app.kubernetes.io/name", "web"}, {"t", ""}},
                                    .match_expressions = {{"a", Operator::in, {"x", ""}},
                                                          {"a", Operator::not_in, {"y"}},
                                                          {"b", Operator::exists, {}},
                                                          {"c", Operator::does_not_exist, {}}}}),
            std::nullopt);
}

TEST(LabelSelectorRules, giveTheFirstProblemWithItsPath) {
  struct Case {
    Requirement requirement;
    std::string problem;
  };
  const std::vector<Case> cases = {
      {{"a", Operator::in, {}}, "values: must be non-empty when operator is In"},
      {{"a", Operator::not_in, {}}, "values: must be non-empty when operator is NotIn"},
      {{"a", Operator::exists, {"x"}}, "values: must be empty when operator is Exists"},
      {{"a", Operator::does_not_exist, {"x"}},
       "values: must be empty when operator is DoesNotExist"},
      {{"a", Operator::gt, {"1"}}, "operator: must not be Gt in a label selector"},
      {{"a", Operator::lt, {"1"}}, "operator: must not be Lt in a label selector"},
      {{"", Operator::exists, {}}, "key: name part must not be empty"},
      {{"a", Operator::in, {"ok", "-"}},
       "values[1]: must be letters, digits, '-', '_' or '.', and start and end with a letter or "
       "digit"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.problem);
    const LabelSelector selector{
        .match_labels = {}, .match_expressions = {{"fine", Operator::exists, {}}, c.requirement}};
    EXPECT_EQ(label_selector_problem(selector), "matchExpressions[1]." + c.problem);
  }
}

TEST(LabelSelectorRules, nameTheBadLabel) {
  EXPECT_EQ(label_selector_problem({.match_labels = {{"a/b/c", "x"}}, .match_expressions = {}}),
            "matchLabels[a/b/c]: must have at most one '/'");
  EXPECT_EQ(label_selector_problem(
                {.match_labels = {{"a", std::string(64, 'x')}}, .match_expressions = {}}),
            "matchLabels[a]: must be at most 63 characters");
}

TEST(LabelSelectorRules, wantOneWholeNumberBehindGtAndLt) {
  const auto problem = [](std::vector<std::string> values) {
    return requirement_problem({"a", Operator::gt, std::move(values)}, OrderOperators::allowed);
  };
  EXPECT_EQ(problem({"-7"}), std::nullopt);
  EXPECT_EQ(problem({}), "values: must have exactly one element when operator is Gt");
  EXPECT_EQ(problem({"1", "2"}), "values: must have exactly one element when operator is Gt");
  EXPECT_EQ(problem({"x"}), "values[0]: must be a whole number");
  EXPECT_EQ(problem({"9223372036854775808"}), "values[0]: must be a whole number");
}

}  // namespace
}  // namespace tutti::expr
