#include "core/broker/turns.h"

#include <gtest/gtest.h>

#include <string>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::core {
namespace {

using test::at_second;
using test::flavor;
using test::local_queue;
using test::queue;
using test::request;

class TurnsTest : public testing::Test {
 protected:
  explicit TurnsTest(QuotaConfig config = {}) : config_(std::move(config)) {
    table_.objects().set(flavor("std"));
  }

  void add(const test::QueueBuilder& builder) {
    const auto made = builder.build();
    table_.objects().set(made);
    table_.objects().set(local_queue(made->meta.name));
  }
  Request& put(const test::RequestBuilder& builder) { return table_.put(builder.build()); }
  void charge(Request& request, std::int64_t cores, RequestStage stage = RequestStage::admitted) {
    auto& pairs = table_.objects().tree().flavor_resources();
    table_.charge(request, *table_.objects().queue(request.queue),
                  {{pairs.intern("std", "cpu"), cores * 1000}}, {}, stage, at_second(1));
  }
  // The name of the request whose turn it is; "" for nobody.
  std::string next() {
    const Request* found = turns_.next(1);
    return found != nullptr ? found->object->meta.name : "";
  }
  // Quota refuses it, and everybody like it.
  void park(const std::string& name) {
    const Request& request = *table_.find("t", name);
    const auto queue = table_.objects().queue(request.queue)->node;
    table_.park_shape(request, {.why = {Waits::for_quota, "2 more needed"},
                                .quota = table_.quota_version(queue)});
  }

  QuotaConfig config_;
  RequestTable table_{config_};
  Assignments assignments_{table_};
  Turns turns_{table_, assignments_};
};

TEST_F(TurnsTest, letsWhoDoesNotBorrowGoFirstInATree) {
  add(queue("a").cohort("org").quota("std", "cpu", "2"));
  add(queue("b").cohort("org").quota("std", "cpu", "6"));
  put(request("borrows").queue("a").created(at_second(1)).priority(9).pods(1, "cpu", "3"));
  put(request("own").queue("b").created(at_second(5)).pods(1, "cpu", "3"));
  EXPECT_EQ(next(), "own");
}

TEST_F(TurnsTest, thenByPriorityAndTime) {
  for (const char* name : {"a", "b", "c"}) add(queue(name).cohort("org").quota("std", "cpu", "4"));
  put(request("late").queue("a").created(at_second(5)).pods(1, "cpu", "1"));
  put(request("early").queue("b").created(at_second(4)).pods(1, "cpu", "1"));
  EXPECT_EQ(next(), "early");
  put(request("high").queue("c").created(at_second(9)).priority(1).pods(1, "cpu", "1"));
  EXPECT_EQ(next(), "high");
}

TEST_F(TurnsTest, comparesTreesByPriorityTimeAndName) {
  add(queue("a").quota("std", "cpu", "1"));
  add(queue("b").quota("std", "cpu", "4"));
  put(request("early").queue("a").created(at_second(4)).pods(1, "cpu", "1"));
  put(request("high").queue("b").created(at_second(9)).priority(1).pods(1, "cpu", "1"));
  EXPECT_EQ(next(), "high");
  park("high");
  EXPECT_EQ(next(), "early");
}

TEST_F(TurnsTest, passesOverWhoIsParkedUnlessTheQueueIsStrict) {
  add(queue("free").quota("std", "cpu", "4"));
  add(queue("strict").strict().quota("std", "cpu", "4"));
  put(request("f1").queue("free").created(at_second(1)).pods(1, "cpu", "9"));
  put(request("f2").queue("free").created(at_second(2)).pods(1, "cpu", "1"));
  put(request("s1").queue("strict").created(at_second(0)).pods(1, "cpu", "9"));
  put(request("s2").queue("strict").created(at_second(0)).pods(1, "cpu", "1"));
  park("f1");
  park("s1");
  EXPECT_EQ(next(), "f2");
  park("f2");
  EXPECT_EQ(next(), "");
}

TEST_F(TurnsTest, holdsNobodyBackForWhomAQueueDoesNotHelp) {
  add(queue("strict").strict().quota("std", "cpu", "4"));
  Request& held = put(request("s1").queue("strict").created(at_second(1)).pods(1, "cpu", "2"));
  put(request("s2").queue("strict").created(at_second(2)).pods(1, "cpu", "1"));
  park("s1");
  EXPECT_EQ(next(), "");
  table_.park_alone(held);
  EXPECT_EQ(next(), "s2");
}

TEST_F(TurnsTest, keepsAStrictQueueWaitingForVictimsOfWhoIsFirst) {
  for (const bool strict : {true, false}) {
    SCOPED_TRACE(strict);
    auto made = queue(strict ? "strict" : "free");
    if (strict) made.strict();
    add(made.quota("std", "cpu", "9"));
    const std::string name = strict ? "strict" : "free";
    Request& first = put(request(name + "1").queue(name).created(at_second(1)).pods(1, "cpu", "4"));
    put(request(name + "2").queue(name).created(at_second(2)).pods(1, "cpu", "1"));
    charge(first, 4, RequestStage::preempting);
    EXPECT_EQ(next(), strict ? "" : "free2");
  }
  park("free2");
  put(request("higher").queue("strict").created(at_second(3)).priority(1).pods(1, "cpu", "1"));
  EXPECT_EQ(next(), "higher");
}

TEST_F(TurnsTest, tellsEachOfAQueueThatDoesNotExist) {
  Request& stray = put(request("r").queue("nowhere").pods(1, "cpu", "1"));
  EXPECT_EQ(next(), "r");
  table_.park_alone(stray);
  EXPECT_EQ(next(), "");
}

class FairTurnsTest : public TurnsTest {
 protected:
  static QuotaConfig fair() {
    QuotaConfig config;
    config.fair_sharing = {ShareRule::at_most_final_share, ShareRule::below_initial_share};
    return config;
  }
  FairTurnsTest() : TurnsTest(fair()) {}
};

// A cohort of 60; u uses 12 and its head wants 20, v uses nothing and its head wants 36.
TEST_F(FairTurnsTest, goesByTheShareThatTheHeadWouldLeave) {
  auto cohort = std::make_shared<model::Cohort>();
  cohort->meta.name = "org";
  cohort->spec.groups = queue("pool").quota("std", "cpu", "60").build()->spec.groups;
  table_.objects().set(model::ObjectPtr(cohort));
  for (const char* name : {"u", "v"}) add(queue(name).cohort("org").quota("std", "cpu", "0"));
  charge(put(request("running").queue("u").pods(1, "cpu", "12")), 12);
  put(request("wants-20").queue("u").created(at_second(9)).pods(1, "cpu", "20"));
  put(request("wants-36").queue("v").created(at_second(1)).pods(1, "cpu", "36"));
  EXPECT_EQ(next(), "wants-20");
  park("wants-20");
  EXPECT_EQ(next(), "wants-36");
}

}  // namespace
}  // namespace tutti::core
