#include "expr/label_selector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tutti::expr {
namespace {

using model::LabelSelector;
using model::Requirement;
using Operator = Requirement::Operator;

const model::Labels kPod = {
    {"app", "web"}, {"big", "9223372036854775808"}, {"rank", "12"}, {"track", ""}};

TEST(Requirement, comparesTheLabelWithItsValues) {
  struct Case {
    Requirement requirement;
    bool matches;
  };
  const std::vector<Case> cases = {
      {{"app", Operator::in, {"api", "web"}}, true},
      {{"app", Operator::in, {"api"}}, false},
      {{"app", Operator::in, {}}, false},
      {{"absent", Operator::in, {"web"}}, false},
      {{"absent", Operator::in, {""}}, false},
      {{"track", Operator::in, {""}}, true},
      {{"app", Operator::not_in, {"api"}}, true},
      {{"app", Operator::not_in, {"web"}}, false},
      {{"absent", Operator::not_in, {"web"}}, true},
      {{"absent", Operator::not_in, {""}}, true},
      {{"track", Operator::not_in, {""}}, false},
      {{"track", Operator::exists, {}}, true},
      {{"absent", Operator::exists, {}}, false},
      {{"track", Operator::does_not_exist, {}}, false},
      {{"absent", Operator::does_not_exist, {}}, true},
      {{"rank", Operator::gt, {"11"}}, true},
      {{"rank", Operator::gt, {"+11"}}, true},
      {{"rank", Operator::gt, {"9"}}, true},
      {{"rank", Operator::gt, {"12"}}, false},
      {{"rank", Operator::gt, {"-5"}}, true},
      {{"rank", Operator::lt, {"13"}}, true},
      {{"rank", Operator::lt, {"12"}}, false},
      {{"rank", Operator::lt, {"9"}}, false},
      {{"rank", Operator::gt, {}}, false},
      {{"rank", Operator::gt, {"1", "2"}}, false},
      {{"rank", Operator::gt, {"1.5"}}, false},
      {{"rank", Operator::gt, {""}}, false},
      {{"rank", Operator::gt, {"+-1"}}, false},
      {{"rank", Operator::gt, {"0x1"}}, false},
      {{"app", Operator::gt, {"1"}}, false},
      {{"app", Operator::lt, {"1"}}, false},
      {{"track", Operator::lt, {"1"}}, false},
      {{"big", Operator::gt, {"1"}}, false},
      {{"absent", Operator::gt, {"1"}}, false},
      {{"absent", Operator::lt, {"1"}}, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.requirement.key + " operator " +
                 std::to_string(static_cast<int>(c.requirement.op)) + " first value " +
                 (c.requirement.values.empty() ? "none" : c.requirement.values.front()));
    EXPECT_EQ(matches(c.requirement, kPod), c.matches);
  }
}

TEST(LabelSelector, matchesEverythingWhenEmpty) {
  EXPECT_TRUE(matches(LabelSelector{}, kPod));
  EXPECT_TRUE(matches(LabelSelector{}, model::Labels{}));
}

TEST(LabelSelector, needsEveryLabelAndEveryExpression) {
  LabelSelector selector{.match_labels = {{"app", "web"}},
                         .match_expressions = {{"rank", Operator::exists, {}}}};
  EXPECT_TRUE(matches(selector, kPod));
  EXPECT_FALSE(matches(selector, model::Labels{{"app", "web"}}));
  EXPECT_FALSE(matches(selector, model::Labels{{"rank", "1"}}));
  EXPECT_FALSE(matches(selector, model::Labels{{"app", "api"}, {"rank", "1"}}));
}

TEST(LabelSelector, doesNotTakeAnAbsentLabelForAnEmptyOne) {
  const LabelSelector selector{.match_labels = {{"track", ""}}, .match_expressions = {}};
  EXPECT_TRUE(matches(selector, kPod));
  EXPECT_FALSE(matches(selector, model::Labels{}));
}

// The slow obvious model: for each operator the set of values that pass, absence apart.
bool naive_matches(const LabelSelector& selector,
                   const std::map<std::string, std::string>& labels) {
  for (const auto& [key, value] : selector.match_labels) {
    if (!labels.contains(key) || labels.at(key) != value) return false;
  }
  for (const auto& [key, op, values] : selector.match_expressions) {
    const bool present = labels.contains(key);
    const std::set<std::string> listed(values.begin(), values.end());
    const bool hit = present && listed.contains(labels.at(key));
    if (op == Operator::in && !hit) return false;
    if (op == Operator::not_in && hit) return false;
    if (op == Operator::exists && !present) return false;
    if (op == Operator::does_not_exist && present) return false;
    if (op == Operator::gt && !(present && std::stoi(labels.at(key)) > std::stoi(values[0]))) {
      return false;
    }
    if (op == Operator::lt && !(present && std::stoi(labels.at(key)) < std::stoi(values[0]))) {
      return false;
    }
  }
  return true;
}

// Few keys and values, all numbers, so that both answers are common.
rc::Gen<std::string> any_key() { return rc::gen::element<std::string>("a", "b", "c"); }
rc::Gen<std::string> any_value() { return rc::gen::element<std::string>("1", "2", "10"); }

Requirement any_requirement() {
  const auto op = *rc::gen::element(Operator::in, Operator::not_in, Operator::exists,
                                    Operator::does_not_exist, Operator::gt, Operator::lt);
  const bool unary = op == Operator::exists || op == Operator::does_not_exist;
  const bool listed = op == Operator::in || op == Operator::not_in;
  const std::size_t count = unary ? 0 : listed ? *rc::gen::inRange<std::size_t>(0, 4) : 1;
  return {*any_key(), op, *rc::gen::container<std::vector<std::string>>(count, any_value())};
}

RC_GTEST_PROP(LabelSelectorProperty, agreesWithANaiveMatcher, ()) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(any_key(), any_value()));
  const std::map<std::string, std::string> labels(pairs.begin(), pairs.end());
  LabelSelector selector;
  for (int i = *rc::gen::inRange(0, 2); i > 0; --i) {
    selector.match_labels.emplace_back(*any_key(), *any_value());
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    selector.match_expressions.push_back(any_requirement());
  }
  const bool answer = matches(selector, model::Labels({labels.begin(), labels.end()}));
  RC_CLASSIFY(answer);
  RC_ASSERT(answer == naive_matches(selector, labels));
}

}  // namespace
}  // namespace tutti::expr
