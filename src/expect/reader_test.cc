#include "expect/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tutti::expect {
namespace {

using namespace std::chrono_literals;

Expectations must_read(std::string_view text) {
  Result<Expectations> read = read_expectations(text);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  return read.ok() ? *std::move(read) : Expectations{};
}

TEST(ExpectationReader, readsAGroupWithEverythingSaidOfIt) {
  const Expectations read = must_read(R"(
- podGroup: t/g
  at: 30s
  state: Waiting
  blocker: capacity
  members: 6
  bound: ">=4"
  domain: rack=r2
  condition: {type: PodGroupScheduled, status: True, reason: Scheduled}
  noCondition: [DisruptionTarget]
)");

  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].line, 2U);
  EXPECT_EQ(read[0].at, 30s);
  const auto& group = std::get<GroupExpectation>(read[0].what);
  EXPECT_EQ(group.group, (ObjectName{"t", "g"}));
  EXPECT_EQ(group.verdict.state, "Waiting");
  EXPECT_EQ(group.verdict.blocker, "capacity");
  EXPECT_EQ(group.members, (Count{Count::Relation::equal, 6}));
  EXPECT_EQ(group.bound, (Count{Count::Relation::at_least, 4}));
  EXPECT_EQ(group.domain, "rack=r2");
  ASSERT_EQ(group.conditions.present.size(), 1U);
  EXPECT_EQ(group.conditions.present[0].status, "True");
  EXPECT_EQ(group.conditions.absent, std::vector<std::string>{"DisruptionTarget"});
}

TEST(ExpectationReader, takesTheDefaultNamespaceForABareName) {
  const Expectations read = must_read("- {pod: a, bound: true}");

  EXPECT_EQ(std::get<PodExpectation>(read.at(0).what).pod, (ObjectName{"default", "a"}));
}

TEST(ExpectationReader, readsSelectionsNodesAndEvents) {
  const Expectations read = must_read(R"(
- pods: {namespace: t, selector: 'app=web,tier in (a,b)'}
  count: 3
- distinctNodes: [t/a, t/b]
- events: {about: t/a, reason: FailedScheduling, count: "<=1"}
)");

  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(std::get<PodsExpectation>(read[0].what).selector.match_labels.size(), 1U);
  EXPECT_FALSE(std::get<NodesExpectation>(read[1].what).same);
  EXPECT_EQ(std::get<EventsExpectation>(read[2].what).count, (Count{Count::Relation::at_most, 1}));
}

TEST(ExpectationReader, namesTheSubjectOfEveryExpectation) {
  const auto read = read_expectations(
      "- {job: t/j, at: 30s, state: Finished}\n- {sameNode: [a, b]}\n- {rayJob: r, bound: 2}");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ((*read)[0].title, "job t/j at 30s");
  EXPECT_EQ((*read)[1].title, "sameNode");
  EXPECT_EQ((*read)[2].title, "rayJob r");
  EXPECT_EQ(std::get<WorkExpectation>((*read)[2].what).kind, "RayJob");
}

struct Refusal {
  std::string text;
  std::string message;
};

TEST(ExpectationReader, namesLineAndPlaceOfWhatItRefuses) {
  const std::vector<Refusal> refusals = {
      {"", "no expectation"},
      {"pod: a", "line 1: expected an array, found an object"},
      {"- {pod: a}\n- {bound: true}", "line 2: [1]"},
      {"- {pod: a, podGroup: b}", "line 1: [0]"},
      {"- {pod: a, bound: true, nod: n}", "line 1: [0].nod: unknown here; expected one of pod,"},
      {"- {pod: a, state: Runing}", "[0].state: 'Runing' is none of Running, Waiting"},
      {"- {podGroup: a, blocker: gpus}", "[0].blocker: 'gpus' is none of"},
      {"- {podGroup: a, bound: many}", "[0].bound: must be a number, or a bound"},
      {"- {podGroup: a, bound: -1}", "[0].bound: must be a number, or a bound"},
      {"- {podGroup: a/b/c}", "[0].podGroup: must be NAME or NAMESPACE/NAME, is 'a/b/c'"},
      {"- {pod: a, at: soon}", "[0].at: "},
      {"- {pod: a, condition: {status: True}}", "[0].condition.type: required"},
      {"- {deployment: a, active: 1}", "[0].active: unknown here; expected one of deployment,"},
      {"- {sameNode: [a]}", "[0].sameNode: needs at least two pods"},
      {"- {pods: {selector: 'a in'}}", "[0].pods.selector: "},
      {"- {request: t/a, state: Running}", "[0].state: 'Running' is none of Pending, Admitted"},
      {"- {queue: a, used: {f: {gpu: many}}}", "[0].used.f.gpu: "},
      {"- {evict: {from: a}}", "[0].evict.to: "},
      {"- {evict: {from: 'a:high', to: b}}", "[0].evict.from: must be QUEUE or QUEUE:PRIORITY"},
      {"- {evict: {from: a, to: b}, rule: force}", "[0].rule: 'force' is none of never, priority"},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.text);
    const Result<Expectations> read = read_expectations(refusal.text);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find(refusal.message), std::string::npos)
        << read.error().message;
  }
}

TEST(ExpectationReader, takesTheStatesThatOnlyTheTableShows) {
  for (const char* state : {"Finished", "Succeeded", "Failed", "Terminating", "Foreign"}) {
    SCOPED_TRACE(state);
    EXPECT_TRUE(read_expectations(std::string("- {pod: a, state: ") + state + "}").ok());
  }
}

TEST(ExpectationReader, reportsAllMistakesOfAFile) {
  const auto read = read_expectations(R"(
- {pod: t/a, bound: maybe}
- {pod: t/a, bound: true}
- {podGroup: t/g, members: many, at: soon}
)");
  ASSERT_FALSE(read.ok());
  const std::string& text = read.error().message;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  for (const auto* place : {"line 2: [0].bound: ", "line 4: [2].members: ", "line 4: [2].at: "}) {
    EXPECT_NE(text.find(place), std::string::npos) << place << "\n" << text;
  }
}

}  // namespace
}  // namespace tutti::expect
