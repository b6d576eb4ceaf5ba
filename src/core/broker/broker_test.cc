#include "core/broker/broker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/quota_build.h"
#include "support/quota_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::flavor;
using test::local_queue;
using test::node;
using test::pod;
using test::queue;
using test::request;

using Within = model::WithinQueuePreemption;
using Reclaim = model::ReclaimPreemption;

class BrokerTest : public testing::Test {
 protected:
  explicit BrokerTest(const SchedulerOptions& options = {})
      : scheduler_(options, profiles(), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_.check_consistency(), ""); };
    port_.apply(flavor("std"));
  }
  static std::vector<Profile> profiles() {
    std::vector<Profile> made;
    made.push_back(test::small_profile());
    return made;
  }

  void add(const test::QueueBuilder& builder) {
    const auto made = builder.build();
    port_.apply(made);
    port_.apply(local_queue(made->meta.name));
  }
  // Later requests are younger.
  void ask(test::RequestBuilder builder) {
    port_.advance(1s);
    port_.apply(builder.created(port_.now()).build());
    port_.run_instant();
  }
  const model::AdmissionRequest& object(const std::string& name) {
    const auto* found = port_.find<model::AdmissionRequest>("t", name);
    TUTTI_CHECK(found != nullptr, name);
    return *found;
  }
  bool admitted(const std::string& name) { return model::has_condition(object(name), "Admitted"); }
  // Reason of QuotaReserved.
  std::string reason(const std::string& name) {
    const auto* found = model::find(object(name).status.conditions, "QuotaReserved");
    return found != nullptr ? found->reason : "";
  }
  RequestStage stage(const std::string& name) {
    return scheduler_.broker().requests().find("t", name)->stage;
  }
  void leave_pods() {
    port_.reap(100);
    port_.run_instant();
  }

  test::QuotaPort port_;
  Scheduler scheduler_;
};

TEST_F(BrokerTest, admitsWhatHasQuotaAndPlacesAndItsPodsTakeThem) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  ask(request("r").queue("a").pods(4, "cpu", "1"));
  EXPECT_TRUE(admitted("r"));
  EXPECT_EQ(port_.binds.size(), 4U);
  EXPECT_FALSE(scheduler_.broker().phantoms().all().contains("t/r"));
}

TEST_F(BrokerTest, admitsWholeRequestsOnly) {
  port_.apply(node("n1").cpu("3").build());
  add(queue("a").quota("std", "cpu", "9"));
  ask(request("r").queue("a").pods(5, "cpu", "1"));
  EXPECT_EQ(reason("r"), "PlacementFailed");
  EXPECT_EQ(stage("r"), RequestStage::waiting);
  port_.apply(node("n2").cpu("2").build());
  port_.run_instant();
  EXPECT_TRUE(admitted("r"));
}

TEST_F(BrokerTest, keepsQuotaAndPlacesUntilTheLastPodIsGone) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  ask(request("first").queue("a").pods(2, "cpu", "2"));
  ask(request("second").queue("a").pods(1, "cpu", "4"));
  EXPECT_EQ(reason("second"), "WaitingForQuota");
  port_.finish("first");
  port_.run_instant();
  EXPECT_EQ(stage("first"), RequestStage::releasing);
  port_.reap(1);
  port_.run_instant();
  EXPECT_FALSE(admitted("second"));
  leave_pods();
  EXPECT_TRUE(admitted("second"));
}

TEST_F(BrokerTest, holdsQuotaAndPlacesForWhoeverOthersLeaveFor) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4").preempts(Within::lower_priority));
  ask(request("low").queue("a").pods(1, "cpu", "3"));
  ask(request("high").queue("a").priority(2).pods(1, "cpu", "4"));
  EXPECT_EQ(stage("low"), RequestStage::releasing);
  EXPECT_EQ(stage("high"), RequestStage::preempting);
  EXPECT_EQ(reason("high"), "WaitingForPreemptedWorkloads");
  ask(request("late").queue("a").priority(1).pods(1, "cpu", "1"));
  EXPECT_FALSE(admitted("late"));
  leave_pods();
  EXPECT_TRUE(admitted("high"));
  EXPECT_FALSE(admitted("low"));
  EXPECT_FALSE(admitted("late"));
}

// Quota alone would let a and c go, one of each node.
TEST_F(BrokerTest, evictsTheRightAmountInTheRightPlace) {
  add(queue("a").quota("std", "cpu", "16").preempts(Within::lower_priority));
  int n = 0;
  for (const char* name : {"a", "b", "c", "d"}) {
    if (n % 2 == 0) port_.apply(node("n" + std::to_string(n / 2 + 1)).cpu("8").build());
    ask(request(name).queue("a").priority(1 + n % 2).pods(1, "cpu", "4"));
    ++n;
  }
  ask(request("vip").queue("a").priority(3).pods(1, "cpu", "8"));
  leave_pods();
  EXPECT_TRUE(admitted("vip"));
  EXPECT_EQ(admitted("a"), admitted("b"));
  EXPECT_EQ(admitted("c"), admitted("d"));
  EXPECT_NE(admitted("a"), admitted("c"));
}

TEST_F(BrokerTest, evictsNobodyWhereThatMakesNoRoom) {
  port_.apply(node("n1").cpu("3").build());
  port_.apply(pod("foreign").cpu("2").on("n1").build());
  add(queue("a").quota("std", "cpu", "9").preempts(Within::lower_priority));
  ask(request("low").queue("a").pods(1, "cpu", "1"));
  ask(request("high").queue("a").priority(1).pods(1, "cpu", "2"));
  EXPECT_TRUE(admitted("low"));
  EXPECT_EQ(reason("high"), "PlacementFailed");
}

TEST_F(BrokerTest, triesAgainToEvictWhenAPlaceCouldCome) {
  const auto cordon = [this](bool closed) {
    auto made = std::make_shared<model::Node>(*node("n1").cpu("4").build());
    made->allocatable = closed ? node("n1").cpu("0").build()->allocatable : made->allocatable;
    port_.apply(std::shared_ptr<const model::Node>(made));
    port_.run_instant();
  };
  cordon(false);
  add(queue("a").quota("std", "cpu", "4").preempts(Within::lower_priority));
  ask(request("low").queue("a").pods(1, "cpu", "4"));
  cordon(true);
  ask(request("high").queue("a").priority(1).pods(1, "cpu", "4"));
  EXPECT_EQ(reason("high"), "WaitingForQuota");
  cordon(false);
  EXPECT_EQ(stage("high"), RequestStage::preempting);
}

TEST_F(BrokerTest, triesAgainWhenAHolderLosesItsRank) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4").preempts(Within::lower_priority));
  ask(request("first").queue("a").priority(2).pods(1, "cpu", "4"));
  ask(request("second").queue("a").priority(1).pods(1, "cpu", "4"));
  EXPECT_EQ(stage("second"), RequestStage::waiting);
  port_.edit<model::AdmissionRequest>("t", "first", [](auto& next) { next.spec.priority = 0; });
  port_.run_instant();
  EXPECT_EQ(stage("second"), RequestStage::preempting);
}

TEST_F(BrokerTest, triesAgainWhenAnnotationsChange) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  ask(request("r")
          .queue("a")
          .annotation("kueue.x-k8s.io/admission-gated-by", "x")
          .pods(1, "cpu", "1"));
  EXPECT_EQ(reason("r"), "AdmissionGated");
  port_.edit<model::AdmissionRequest>("t", "r", [](auto& next) { next.meta.annotations = {}; });
  port_.run_instant();
  EXPECT_TRUE(admitted("r"));
}

// What refuses one refuses only who may have the same flavors and asks for as many pods.
TEST_F(BrokerTest, tellsRequestsApartByWhatTheyMayHaveAndHaveLeft) {
  port_.apply(node("n1").cpu("9").build());
  port_.apply(flavor("other"));
  add(queue("a").quota("std", "cpu", "1").quota("other", "cpu", "5"));
  const auto only = [](std::string name, std::string allowed) {
    return request(std::move(name))
        .queue("a")
        .annotation("kueue.x-k8s.io/workload-allowed-resource-flavors", std::move(allowed));
  };
  ask(only("r1", "std").pods(2, "cpu", "1"));
  ask(only("r2", "other").pods(2, "cpu", "1"));
  ask(only("r3", "std").pods(2, "cpu", "1").ended(1));
  EXPECT_FALSE(admitted("r1"));
  EXPECT_TRUE(admitted("r2"));
  EXPECT_TRUE(admitted("r3"));
}

TEST_F(BrokerTest, evictsNobodyWhileAGateIsClosed) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4").preempts(Within::lower_priority));
  ask(request("low").queue("a").pods(1, "cpu", "4"));
  auto gated = std::make_shared<model::AdmissionRequest>(
      *request("high").queue("a").priority(1).pods(1, "cpu", "4").build());
  gated->spec.preemption_gates = {"capacity"};
  port_.apply(std::shared_ptr<const model::AdmissionRequest>(gated));
  port_.run_instant();
  EXPECT_TRUE(admitted("low"));
  port_.edit<model::AdmissionRequest>("t", "high", [](auto& next) {
    next.status.preemption_gates.push_back(
        {.gate = "capacity", .open = true, .last_transition = {}});
  });
  port_.run_instant();
  EXPECT_EQ(stage("high"), RequestStage::preempting);
}

TEST_F(BrokerTest, reclaimsFromBorrowersOnlyWhatIsItsOwn) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").cohort("org").quota("std", "cpu", "4").preempts(Within::never, Reclaim::any));
  add(queue("b").cohort("org").quota("std", "cpu", "4"));
  ask(request("own").queue("b").priority(9).pods(1, "cpu", "4"));
  ask(request("borrowed").queue("b").priority(9).pods(1, "cpu", "4"));
  ask(request("six").queue("a").pods(1, "cpu", "6"));
  EXPECT_EQ(reason("six"), "WaitingForQuota");
  ask(request("four").queue("a").pods(1, "cpu", "4"));
  leave_pods();
  EXPECT_TRUE(admitted("four"));
  EXPECT_TRUE(admitted("own"));
  EXPECT_FALSE(admitted("borrowed"));
}

TEST_F(BrokerTest, startsTheLargestSizeThatFits) {
  port_.apply(node("n1").cpu("11").build());
  add(queue("a").quota("std", "cpu", "16"));
  ask(request("r").queue("a").pods(16, "cpu", "1").at_least(6));
  ASSERT_TRUE(admitted("r"));
  EXPECT_EQ(object("r").status.admission->pod_sets[0].count, 11);
}

TEST_F(BrokerTest, evictsForASmallerSizeIfTheWholeCannotBe) {
  port_.apply(node("n1").cpu("20").build());
  add(queue("a").quota("std", "cpu", "20").preempts(Within::lower_priority));
  ask(request("old").queue("a").pods(10, "cpu", "1"));
  ask(request("new").queue("a").priority(4).pods(30, "cpu", "1").at_least(10));
  leave_pods();
  EXPECT_FALSE(admitted("old"));
  ASSERT_TRUE(admitted("new"));
  EXPECT_EQ(object("new").status.admission->pod_sets[0].count, 20);
}

TEST_F(BrokerTest, asksAgainOnlyForPodsThatHaveNotEnded) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  ask(request("r").queue("a").pods(6, "cpu", "1").ended(2));
  ASSERT_TRUE(admitted("r"));
  EXPECT_EQ(object("r").status.admission->pod_sets[0].count, 4);
  ask(request("late").queue("a").pods(1, "cpu", "1"));
  EXPECT_FALSE(admitted("late"));
}

TEST_F(BrokerTest, givesBackWhatPodsThatEndedHeld) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  ask(request("r").queue("a").pods(4, "cpu", "1"));
  ask(request("late").queue("a").pods(1, "cpu", "2"));
  EXPECT_FALSE(admitted("late"));
  for (const char* done : {"r-1", "r-2"}) port_.remove(model::Kind::pod, "t", done);
  port_.edit<model::AdmissionRequest>("t", "r", [](auto& next) {
    next.status.reclaimable.push_back({"s0", 2});
  });
  port_.run_instant();
  EXPECT_TRUE(admitted("late"));
}

TEST_F(BrokerTest, doesNotStartTheNextOfAStrictQueueWhileVictimsLeave) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").cohort("org").strict().quota("std", "cpu", "8").preempts(Within::lower_priority));
  ask(request("low").queue("a").pods(1, "cpu", "6"));
  ask(request("first").queue("a").priority(2).pods(1, "cpu", "4"));
  EXPECT_EQ(stage("first"), RequestStage::preempting);
  ask(request("second").queue("a").priority(1).pods(1, "cpu", "1"));
  EXPECT_FALSE(admitted("second"));
  leave_pods();
  EXPECT_TRUE(admitted("first"));
  EXPECT_TRUE(admitted("second"));
}

// b lends 4 of its 8 and cannot get them back by force.
TEST_F(BrokerTest, keepsQuotaFreeForTheFirstOfAStrictQueue) {
  for (const bool strict : {true, false}) {
    SCOPED_TRACE(strict);
    const std::string a = strict ? "a1" : "a2", b = strict ? "b1" : "b2";
    port_.apply(node("n-" + a).cpu("16").build());
    add(queue(a).cohort("org-" + a).quota("std", "cpu", "2"));
    auto lender = queue(b);
    if (strict) lender.strict();
    add(lender.cohort("org-" + a).quota("std", "cpu", "8"));
    ask(request("running-" + a).queue(a).pods(1, "cpu", "6"));
    ask(request("first-" + b).queue(b).pods(1, "cpu", "6"));
    EXPECT_EQ(reason("first-" + b), "WaitingForQuota");
    ask(request("borrows-" + a).queue(a).pods(1, "cpu", "3"));
    EXPECT_EQ(admitted("borrows-" + a), !strict);
  }
  port_.finish("running-a1");
  leave_pods();
  EXPECT_TRUE(admitted("first-b1"));
  EXPECT_TRUE(admitted("borrows-a1"));
}

TEST_F(BrokerTest, keepsQuotaFreeOnlyWhileItWaits) {
  port_.apply(node("n1").cpu("16").build());
  add(queue("a").cohort("org").quota("std", "cpu", "2"));
  add(queue("b").strict().cohort("org").quota("std", "cpu", "8"));
  ask(request("running").queue("a").pods(1, "cpu", "6"));
  ask(request("first").queue("b").pods(1, "cpu", "6"));
  ask(request("borrows").queue("a").pods(1, "cpu", "3"));
  EXPECT_FALSE(admitted("borrows"));
  port_.erase("first");
  port_.run_instant();
  EXPECT_TRUE(admitted("borrows"));
}

TEST_F(BrokerTest, waitsForChecksWithItsQuota) {
  port_.apply(node("n1").cpu("4").build());
  auto check = std::make_shared<model::AdmissionCheck>();
  check->meta.name = "budget";
  check->conditions.push_back({.type = "Active",
                               .status = "True",
                               .reason = "Active",
                               .message = {},
                               .last_transition = {},
                               .observed_generation = 0});
  port_.apply(std::shared_ptr<const model::AdmissionCheck>(check));
  add(queue("a").quota("std", "cpu", "4").check("budget"));
  const auto answer = [this](model::CheckState state) {
    port_.edit<model::AdmissionRequest>(
        "t", "r", [&](auto& next) { next.status.checks.at(0).state = state; });
    port_.run_instant();
  };
  ask(request("r").queue("a").pods(1, "cpu", "4"));
  EXPECT_EQ(stage("r"), RequestStage::reserved);
  EXPECT_FALSE(admitted("r"));
  answer(model::CheckState::retry);
  EXPECT_EQ(stage("r"), RequestStage::reserved) << "it has quota again, and asks again";
  EXPECT_EQ(object("r").status.checks.at(0).state, model::CheckState::pending);
  answer(model::CheckState::ready);
  EXPECT_TRUE(admitted("r"));
}

TEST_F(BrokerTest, deactivatesWhatACheckRejects) {
  port_.apply(node("n1").cpu("4").build());
  auto check = std::make_shared<model::AdmissionCheck>();
  check->meta.name = "budget";
  check->conditions.push_back({.type = "Active",
                               .status = "True",
                               .reason = "Active",
                               .message = {},
                               .last_transition = {},
                               .observed_generation = 0});
  port_.apply(std::shared_ptr<const model::AdmissionCheck>(check));
  add(queue("a").quota("std", "cpu", "4").check("budget"));
  ask(request("r").queue("a").pods(1, "cpu", "4"));
  port_.edit<model::AdmissionRequest>(
      "t", "r", [](auto& next) { next.status.checks.at(0).state = model::CheckState::rejected; });
  port_.run_instant();
  EXPECT_FALSE(object("r").spec.active);
  EXPECT_EQ(stage("r"), RequestStage::waiting);
  EXPECT_EQ(reason("r"), "Suspended");
}

TEST_F(BrokerTest, deactivatesWhatRanTooLong) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  auto bounded = std::make_shared<model::AdmissionRequest>(
      *request("r").queue("a").pods(1, "cpu", "4").build());
  bounded->spec.max_execution_seconds = 60;
  port_.apply(std::shared_ptr<const model::AdmissionRequest>(bounded));
  port_.run_instant();
  ASSERT_TRUE(admitted("r"));
  EXPECT_EQ(scheduler_.next_wakeup(), later(port_.now(), 60s));
  port_.advance(60s);
  port_.run_instant();
  leave_pods();
  EXPECT_FALSE(object("r").spec.active);
  EXPECT_FALSE(admitted("r"));
  EXPECT_EQ(object("r").status.past_execution_seconds, 60);
}

TEST_F(BrokerTest, saysWhyWhoeverIsHeldWaits) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  add(queue("stopped").quota("std", "cpu", "4").stop(model::StopPolicy::hold));
  add(queue("unknown-flavor").quota("spot", "cpu", "4"));
  add(queue("others")
          .quota("std", "cpu", "4")
          .selector(model::LabelSelector{{{"team", "other"}}, {}}));
  add(queue("nobody").quota("std", "cpu", "4").selector(std::nullopt));
  port_.apply(local_queue("dangling", "no-such-queue"));
  struct Case {
    test::RequestBuilder request;
    std::string reason;
  };
  const Case cases[] = {
      {request("r1").queue("no-such-local-queue"), "Misconfigured"},
      {request("r2").queue("dangling"), "Misconfigured"},
      {request("r3").queue("stopped"), "OnHold"},
      {request("r4").queue("unknown-flavor"), "Misconfigured"},
      {request("r5").queue("others"), "Misconfigured"},
      {request("r6").queue("nobody"), "Misconfigured"},
      {request("r7").queue("a").annotation("kueue.x-k8s.io/admission-gated-by", "x"),
       "AdmissionGated"},
  };
  for (Case each : cases) {
    ask(each.request.pods(1, "cpu", "1"));
    EXPECT_EQ(reason(each.request.build()->meta.name), each.reason);
  }
}

TEST_F(BrokerTest, sendsAwayWhatAStoppedQueueHolds) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  ask(request("r").queue("a").pods(1, "cpu", "4"));
  const auto stop = [this](model::StopPolicy policy) {
    port_.edit<model::ClusterQueue>("", "a", [&](auto& next) { next.spec.stop = policy; });
    port_.run_instant();
  };
  stop(model::StopPolicy::hold);
  EXPECT_TRUE(admitted("r"));
  stop(model::StopPolicy::hold_and_drain);
  leave_pods();
  EXPECT_FALSE(admitted("r"));
  EXPECT_EQ(reason("r"), "OnHold");
  stop(model::StopPolicy::none);
  EXPECT_TRUE(admitted("r"));
}

TEST_F(BrokerTest, saysWhichHostsItsPodsGot) {
  auto topology = std::make_shared<model::Topology>();
  topology->meta.name = "hosts";
  topology->levels = {"rack", "kubernetes.io/hostname"};
  port_.apply(std::shared_ptr<const model::Topology>(topology));
  auto dense = std::make_shared<model::ResourceFlavor>(*flavor("dense"));
  dense->topology = "hosts";
  port_.apply(std::shared_ptr<const model::ResourceFlavor>(dense));
  for (const char* name : {"n1", "n2"}) port_.apply(node(name).cpu("2").label("rack", "r").build());
  add(queue("a").quota("dense", "cpu", "8"));
  ask(request("r").queue("a").pods(3, "cpu", "1"));
  ASSERT_TRUE(admitted("r"));
  const auto& assignment = object("r").status.admission->pod_sets[0].topology;
  ASSERT_TRUE(assignment);
  EXPECT_EQ(assignment->levels, (std::vector<std::string>{"kubernetes.io/hostname"}));
  std::int32_t pods = 0;
  for (const auto& domain : assignment->domains) pods += domain.pods;
  EXPECT_EQ(pods, 3);
  EXPECT_EQ(assignment->domains.size(), 2U);
}

class BlockingBrokerTest : public BrokerTest {
 protected:
  static SchedulerOptions blocking() {
    SchedulerOptions options;
    options.quota.pods_ready->blocks_admission = true;
    return options;
  }
  BlockingBrokerTest() : BrokerTest(blocking()) {}
};

TEST_F(BlockingBrokerTest, admitsNobodyUntilAllPodsAreReady) {
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  auto owned = std::make_shared<model::AdmissionRequest>(
      *request("first").queue("a").pods(1, "cpu", "1").build());
  owned->meta.owners.edit().emplace_back();
  port_.apply(std::shared_ptr<const model::AdmissionRequest>(owned));
  port_.run_instant();
  ask(request("second").queue("a").pods(1, "cpu", "1"));
  EXPECT_EQ(reason("second"), "WaitingForPodsReady");
  port_.edit<model::AdmissionRequest>("t", "first", [&](auto& next) {
    next.status.conditions.push_back({.type = "PodsReady",
                                      .status = "True",
                                      .reason = "PodsReady",
                                      .message = {},
                                      .last_transition = port_.now(),
                                      .observed_generation = 0});
  });
  port_.run_instant();
  EXPECT_TRUE(admitted("second"));
}

TEST_F(BrokerTest, takesOnWhatWasAdmittedBefore) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").quota("std", "cpu", "4"));
  ask(request("r").queue("a").pods(1, "cpu", "4"));
  test::QuotaPort other_port;
  Scheduler successor(SchedulerOptions{}, profiles(), other_port);
  other_port.serve(successor);
  for (const auto& [key, each] : port_.objects()) other_port.apply(each);
  other_port.apply(request("late").queue("a").pods(1, "cpu", "1").build());
  other_port.run_instant();
  EXPECT_EQ(successor.check_consistency(), "");
  EXPECT_TRUE(
      model::has_condition(*other_port.find<model::AdmissionRequest>("t", "r"), "Admitted"));
  EXPECT_FALSE(
      model::has_condition(*other_port.find<model::AdmissionRequest>("t", "late"), "Admitted"));
  EXPECT_TRUE(other_port.evictions.empty());
}

// --- tenure --------------------------------------------------------------------------------------

test::RequestBuilder replica(std::string name, const char* tenure) {
  return request(std::move(name)).queue("chat").annotation("tutti.dev/tenure", tenure);
}

TEST_F(BrokerTest, whatIsGuaranteedTakesItsRoomBackFromWhoeverBorrows) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("chat").cohort("org").quota("std", "cpu", "4"));
  add(queue("train").cohort("org").quota("std", "cpu", "4"));
  ask(request("own").queue("train").pods(4, "cpu", "1"));
  ask(request("borrowed").queue("train").pods(4, "cpu", "1"));
  ask(replica("b", "burst").pods(1, "cpu", "4"));
  EXPECT_EQ(stage("b"), RequestStage::waiting);
  ask(replica("g", "guaranteed").pods(1, "cpu", "4"));
  EXPECT_EQ(stage("g"), RequestStage::preempting);
  EXPECT_EQ(stage("borrowed"), RequestStage::releasing);
  leave_pods();
  EXPECT_TRUE(admitted("g"));
  EXPECT_TRUE(admitted("own"));
  EXPECT_FALSE(admitted("b"));
}

TEST_F(BrokerTest, noMoreIsGuaranteedThanTheQueueOwns) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("chat").cohort("org").quota("std", "cpu", "4"));
  add(queue("train").cohort("org").quota("std", "cpu", "4").preempts(Within::never, Reclaim::any));
  for (const char* name : {"g1", "g2", "g3"}) {
    ask(replica(name, "guaranteed").pods(1, "cpu", "2"));
    EXPECT_TRUE(admitted(name));
  }
  const auto& table = scheduler_.broker().requests();
  EXPECT_EQ(table.find("t", "g2")->tenure, quota::Tenure::guaranteed);
  EXPECT_EQ(table.find("t", "g3")->tenure, quota::Tenure::burst);
  ask(request("r").queue("train").pods(4, "cpu", "1"));
  EXPECT_EQ(stage("g3"), RequestStage::releasing);
  leave_pods();
  EXPECT_TRUE(admitted("r"));
  // The next one has the right that is free now.
  port_.finish("g1");
  leave_pods();
  EXPECT_TRUE(admitted("g3"));
  EXPECT_EQ(table.find("t", "g3")->tenure, quota::Tenure::guaranteed);
}

TEST_F(BrokerTest, opportunisticWorkIsChargedToNobodyAndLeavesForAnyone) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").quota("std", "cpu", "8"));
  add(queue("idle").quota("std", "cpu", "0").annotation("tutti.dev/opportunistic", "true"));
  ask(request("o1").queue("idle").priority(9).pods(3, "cpu", "1"));
  ask(request("o2").queue("idle").priority(8).pods(3, "cpu", "1"));
  EXPECT_TRUE(admitted("o1"));
  EXPECT_TRUE(admitted("o2"));
  ask(request("r").queue("a").pods(5, "cpu", "1"));
  EXPECT_TRUE(admitted("o1"));
  EXPECT_EQ(stage("o2"), RequestStage::releasing);
  leave_pods();
  EXPECT_TRUE(admitted("r"));
  EXPECT_FALSE(admitted("o2"));
}

// --- elastic work --------------------------------------------------------------------------------

TEST_F(BrokerTest, takesSurplusPodsBeforeItEvictsAnybody) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").quota("std", "cpu", "8").preempts(Within::lower_priority));
  ask(request("flex").queue("a").pods(8, "cpu", "1").at_least(3).of_a_job());
  EXPECT_TRUE(admitted("flex"));
  ask(request("vip").queue("a").priority(1).pods(4, "cpu", "1"));
  EXPECT_EQ(stage("vip"), RequestStage::preempting);
  EXPECT_EQ(stage("flex"), RequestStage::admitted);
  EXPECT_EQ(object("flex").status.admission->pod_sets[0].count, 4);
  // What leaves is charged until it is gone.
  port_.reap(3);
  port_.run_instant();
  EXPECT_EQ(stage("vip"), RequestStage::preempting);
  leave_pods();
  EXPECT_TRUE(admitted("vip"));
  EXPECT_EQ(scheduler_.broker().requests().find("t", "flex")->pods.size(), 4U);
  port_.finish("vip");
  leave_pods();
  EXPECT_EQ(object("flex").status.admission->pod_sets[0].count, 8);
  EXPECT_EQ(scheduler_.broker().requests().find("t", "flex")->pods.size(), 8U);
}

TEST_F(BrokerTest, growsNobodyWhileOthersWait) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").quota("std", "cpu", "8"));
  ask(request("first").queue("a").pods(6, "cpu", "1"));
  ask(request("flex").queue("a").pods(6, "cpu", "1").at_least(1).of_a_job());
  EXPECT_EQ(object("flex").status.admission->pod_sets[0].count, 2);
  ask(request("big").queue("a").pods(8, "cpu", "1"));
  port_.finish("first");
  leave_pods();
  EXPECT_EQ(object("flex").status.admission->pod_sets[0].count, 2);
  port_.erase("big");
  port_.run_instant();
  EXPECT_EQ(object("flex").status.admission->pod_sets[0].count, 6);
}

TEST_F(BrokerTest, evictsAsAWholeWhatDoesNotBecomeSmallerInTime) {
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").quota("std", "cpu", "8").preempts(Within::lower_priority));
  ask(request("flex").queue("a").pods(8, "cpu", "1").at_least(3).of_a_job());
  ask(request("vip").queue("a").priority(1).pods(4, "cpu", "1"));
  EXPECT_EQ(stage("flex"), RequestStage::admitted);
  port_.advance(10min);
  port_.run_instant();
  EXPECT_EQ(stage("flex"), RequestStage::releasing);
}

}  // namespace
}  // namespace tutti::core
