#include "cli/output/junit.h"

#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

TEST(Junit, hasASuiteForEveryFileAndACaseForEveryExpectation) {
  expect::Expectations expectations(3);
  expectations[0].line = 1;
  expectations[0].title = "pod t/a";
  expectations[1].line = 4;
  expectations[1].title = "podGroup t/<g>";
  expectations[2].file = 1;
  expectations[2].line = 1;
  expectations[2].title = "job t/j at 30s";
  const std::vector<expect::Failure> failures = {{4, "expected \"2\" & more", 0},
                                                 {4, "expected 3", 0}};

  EXPECT_EQ(junit_text({"one.yaml", "two.yaml"}, expectations, failures),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="one.yaml" tests="2" failures="1">
    <testcase classname="one.yaml" name="line 1: pod t/a"/>
    <testcase classname="one.yaml" name="line 4: podGroup t/&lt;g&gt;">
      <failure message="expected &quot;2&quot; &amp; more">expected &quot;2&quot; &amp; more
expected 3</failure>
    </testcase>
  </testsuite>
  <testsuite name="two.yaml" tests="1" failures="0">
    <testcase classname="two.yaml" name="line 1: job t/j at 30s"/>
  </testsuite>
</testsuites>
)");
}

}  // namespace
}  // namespace tutti::cli
