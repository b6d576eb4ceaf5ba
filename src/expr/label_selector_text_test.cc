#include "expr/label_selector_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::expr {
namespace {

using model::LabelSelector;
using model::Requirement;
using Operator = Requirement::Operator;

TEST(LabelSelectorText, readsEveryOperator) {
  struct Case {
    std::string text;
    LabelSelector selector;
  };
  const std::vector<Case> cases = {
      {"", {}},
      {"  ", {}},
      {"a=b", {{{"a", "b"}}, {}}},
      {"a==b", {{{"a", "b"}}, {}}},
      {" a = b ", {{{"a", "b"}}, {}}},
      {"a=", {{{"a", ""}}, {}}},
      {"z=1,a=2", {{{"a", "2"}, {"z", "1"}}, {}}},
      {"a=b,a=c", {{{"a", "b"}}, {{"a", Operator::in, {"c"}}}}},
      {"c!=d", {{}, {{"c", Operator::not_in, {"d"}}}}},
      {"c!=", {{}, {{"c", Operator::not_in, {""}}}}},
      {"e in (x,y)", {{}, {{"e", Operator::in, {"x", "y"}}}}},
      {"e in(x , y)", {{}, {{"e", Operator::in, {"x", "y"}}}}},
      {"e notin (x)", {{}, {{"e", Operator::not_in, {"x"}}}}},
      {"e notin ( )", {{}, {{"e", Operator::not_in, {""}}}}},
      {"e in (,x,)", {{}, {{"e", Operator::in, {"", "x", ""}}}}},
      {"!f", {{}, {{"f", Operator::does_not_exist, {}}}}},
      {"! f", {{}, {{"f", Operator::does_not_exist, {}}}}},
      {"g", {{}, {{"g", Operator::exists, {}}}}},
      {"g>5,g<7", {{}, {{"g", Operator::gt, {"5"}}, {"g", Operator::lt, {"7"}}}}},
      {"in", {{}, {{"in", Operator::exists, {}}}}},
      {"in in (in,notin)", {{}, {{"in", Operator::in, {"in", "notin"}}}}},
      {"app.kubernetes.io/name=web", {{{"app.kubernetes.io/name", "web"}}, {}}},
      {"a=b,c!=d,e in (x,y),!f,g",
       {{{"a", "b"}},
        {{"c", Operator::not_in, {"d"}},
         {"e", Operator::in, {"x", "y"}},
         {"f", Operator::does_not_exist, {}},
         {"g", Operator::exists, {}}}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE("text '" + c.text + "'");
    const auto parsed = parse_label_selector(c.text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(*parsed, c.selector);
  }
}

TEST(LabelSelectorText, refusesBadTextAndSaysWhereItStopped) {
  struct Case {
    std::string text;
    std::string why;
  };
  const std::vector<Case> cases = {
      {",", "expected a label key but found ','"},
      {"a,", "expected a label key but found 'end of text'"},
      {"a,,b", "expected a label key but found ','"},
      {"=b", "expected a label key but found '='"},
      {"!", "expected a label key but found 'end of text'"},
      {"!a=b", "expected ',' or the end but found '='"},
      {"a=b=c", "expected ',' or the end but found '='"},
      {"a==b==c", "expected ',' or the end but found '=='"},
      {"a b", "expected an operator but found 'b'"},
      {"a nott in (y)", "expected an operator but found 'nott'"},
      {"a (x)", "expected an operator but found '('"},
      {"a in x", "expected '(' but found 'x'"},
      {"a in (x", "expected ',' or ')' but found 'end of text'"},
      {"a in (x y)", "expected ',' or ')' but found 'y'"},
      {"a in (x)b", "expected ',' or the end but found 'b'"},
      {"a=!b", "expected ',' or the end but found '!'"},
      {"a>", "'a': values[0]: must be a whole number"},
      {"a<x", "'a': values[0]: must be a whole number"},
      {"a/b/c", "'a/b/c': key: must have at most one '/'"},
      {"a|b=c",
       "'a|b': key: name part must be letters, digits, '-', '_' or '.', and start and end with a "
       "letter or digit"},
      {"a=-b",
       "'a': values[0]: must be letters, digits, '-', '_' or '.', and start and end with a letter "
       "or digit"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE("text '" + c.text + "'");
    const auto parsed = parse_label_selector(c.text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().code, Error::Code::malformed);
    EXPECT_EQ(parsed.error().message, "label selector '" + c.text + "': " + c.why);
  }
}

TEST(LabelSelectorText, isWrittenAsUsersReadIt) {
  const LabelSelector selector{{{"a", "b"}},
                               {{"c", Operator::not_in, {"d", "e"}},
                                {"f", Operator::does_not_exist, {}},
                                {"g", Operator::exists, {}},
                                {"h", Operator::gt, {"5"}}}};
  EXPECT_EQ(label_selector_text(selector), "a=b,c notin (d,e),!f,g,h>5");
  EXPECT_EQ(label_selector_text({}), "");
}

Requirement any_written_requirement() {
  const auto op = *rc::gen::element(Operator::in, Operator::not_in, Operator::exists,
                                    Operator::does_not_exist, Operator::gt, Operator::lt);
  Requirement requirement{*rc::gen::element<std::string>("a", "in", "x.io/y"), op, {}};
  if (op == Operator::gt || op == Operator::lt) {
    requirement.values = {std::to_string(*rc::gen::arbitrary<std::int64_t>())};
  } else if (op == Operator::in || op == Operator::not_in) {
    requirement.values = *rc::gen::container<std::vector<std::string>>(
        *rc::gen::inRange<std::size_t>(1, 4),
        rc::gen::element<std::string>("", "v", "notin", "A_1.b"));
  }
  return requirement;
}

RC_GTEST_PROP(LabelSelectorTextProperty, parsesBackToTheSameSelector, ()) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::element<std::string>("a", "b", "in"),
                    rc::gen::element<std::string>("", "v", "in")));
  const std::map<std::string, std::string> labels(pairs.begin(), pairs.end());
  LabelSelector selector{{labels.begin(), labels.end()}, {}};
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    selector.match_expressions.push_back(any_written_requirement());
  }
  const auto parsed = parse_label_selector(label_selector_text(selector));
  RC_ASSERT(parsed.ok());
  RC_ASSERT(*parsed == selector);
}

RC_GTEST_PROP(LabelSelectorTextProperty, neverBreaksOnArbitraryText, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab in()=!,<>1- \t")));
  const auto parsed = parse_label_selector(text);
  if (!parsed.ok()) RC_SUCCEED("refused");
  RC_ASSERT(*parse_label_selector(label_selector_text(*parsed)) == *parsed);
}

}  // namespace
}  // namespace tutti::expr
