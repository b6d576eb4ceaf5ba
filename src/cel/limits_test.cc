// No expression takes more than it is given.
#include <gtest/gtest.h>

#include <string>

#include "support/cel.h"

namespace tutti::cel {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

Fault::Code failure_of(std::string_view expression, const Budget& budget = {}) {
  const Compilation compiled = compile(expression, Environment());
  EXPECT_TRUE(compiled.ok()) << compiled.fault().text();
  Scratch scratch;
  const Outcome outcome = compiled.program().evaluate({}, scratch, budget);
  EXPECT_FALSE(outcome.ok());
  return outcome.ok() ? Fault::Code::failed : outcome.fault->code;
}

SourceFault::Code refusal_of(std::string_view expression) {
  const Compilation compiled = compile(expression, Environment());
  EXPECT_FALSE(compiled.ok());
  return compiled.ok() ? SourceFault::Code::syntax : compiled.fault().code;
}

TEST(CelLimits, longExpressionsAreRefused) {
  EXPECT_EQ(refusal_of("'" + std::string(10 * 1024, 'a') + "'"), SourceFault::Code::limit);
}

TEST(CelLimits, deepNestingIsRefused) {
  EXPECT_EQ(refusal_of(repeated("(", 300) + "1" + repeated(")", 300)), SourceFault::Code::limit);
  EXPECT_EQ(refusal_of(repeated("[", 300) + repeated("]", 300)), SourceFault::Code::limit);
  EXPECT_EQ(refusal_of(repeated("true ? ", 300) + "1" + repeated(": 1", 300)),
            SourceFault::Code::syntax);
  EXPECT_EQ(refusal_of("1" + repeated("+1", 2000)), SourceFault::Code::limit);
}

TEST(CelLimits, longChainsOfLogicAreFlat) {
  EXPECT_EQ(test::cel_result("true" + repeated("&&true", 1500), Environment()), "true");
}

TEST(CelLimits, costEndsAnEvaluationThatNothingAbsorbs) {
  EXPECT_EQ(failure_of("lists.range(2000).all(x, lists.range(2000).all(y, x >= 0)) || true"),
            Fault::Code::cost_limit);
  EXPECT_EQ(failure_of("lists.range(3).all(x, true) || true", {.cost_max = 1}),
            Fault::Code::cost_limit);
}

TEST(CelLimits, costIsCountedAndKeptLow) {
  const Compilation compiled = compile("[1, 2, 3].exists(x, x == 2)", Environment());
  Scratch scratch;
  const Outcome outcome = compiled.program().evaluate({}, scratch);
  EXPECT_GT(outcome.cost, 2U);
  EXPECT_LT(outcome.cost, 50U);
}

TEST(CelLimits, textsThatMultiplyAreStoppedBeforeTheyAreMade) {
  const std::string doubling =
      "cel.bind(a, lists.range(1000).map(x, 'xxxxxxxxxx').join(), "
      "cel.bind(b, a.replace('x', a), b.replace('x', b)))";
  const Fault::Code code = failure_of(doubling);
  EXPECT_TRUE(code == Fault::Code::cost_limit || code == Fault::Code::memory_limit);
}

TEST(CelLimits, memoryEndsAnEvaluation) {
  EXPECT_EQ(failure_of("lists.range(1000).map(x, x)", {.memory_max = 1000}),
            Fault::Code::memory_limit);
}

// 2^60 comparisons if every path were walked.
TEST(CelLimits, sharedValuesAreNotComparedWithoutEnd) {
  std::string expression = "cel.bind(v0, [1],";
  for (int i = 1; i <= 60; ++i) {
    expression += "cel.bind(v" + std::to_string(i) + ", [v" + std::to_string(i - 1) + ", v" +
                  std::to_string(i - 1) + "],";
  }
  expression += "v60 == v60" + repeated(")", 61);
  EXPECT_EQ(failure_of(expression), Fault::Code::cost_limit);
}

TEST(CelLimits, typesThatMultiplyAreRefused) {
  std::string expression = "cel.bind(v0, {1: 1},";
  for (int i = 1; i <= 60; ++i) {
    expression += "cel.bind(v" + std::to_string(i) + ", {v" + std::to_string(i - 1) + ": v" +
                  std::to_string(i - 1) + "},";
  }
  expression += "true" + repeated(")", 61);
  EXPECT_EQ(refusal_of(expression), SourceFault::Code::limit);
}

TEST(CelLimits, quantitiesDoNotOverflow) {
  std::string expression = "cel.bind(v0, quantity('9e18'),";
  for (int i = 1; i <= 100; ++i) {
    expression += "cel.bind(v" + std::to_string(i) + ", v" + std::to_string(i - 1) + ".add(v" +
                  std::to_string(i - 1) + "),";
  }
  expression += "v100" + repeated(")", 101);
  EXPECT_EQ(test::cel_result(expression, Environment()), "error: quantity overflow");
}

TEST(CelLimits, anUnboundVariableIsAFaultOfItsOwn) {
  Environment environment;
  environment.declare("x", Type::integer());
  const Compilation compiled = compile("x + 1", environment);
  Scratch scratch;
  const Outcome outcome = compiled.program().evaluate({}, scratch);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.fault->code, Fault::Code::unbound);
}

TEST(CelLimits, faultsSayWhere) {
  const Compilation compiled = compile("1 == 1 &&\n  [1][3] == 2", Environment());
  Scratch scratch;
  const Outcome outcome = compiled.program().evaluate({}, scratch);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.fault->text(), "index out of bounds: 3 (line 2, column 6)");
  EXPECT_EQ(marked_line(compiled.program().source(), outcome.fault->at), "  [1][3] == 2\n     ^");
}

}  // namespace
}  // namespace tutti::cel
