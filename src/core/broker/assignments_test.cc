#include "core/broker/assignments.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::core {
namespace {

using test::flavor;
using test::local_queue;
using test::queue;
using test::request;

class AssignmentsTest : public testing::Test {
 protected:
  AssignmentsTest() {
    for (const char* name : {"one", "two"}) table_.objects().set(flavor(name, {{"type", name}}));
  }
  void add(const test::QueueBuilder& builder) {
    const auto made = builder.build();
    table_.objects().set(made);
    table_.objects().set(local_queue(made->meta.name));
  }
  Request& put(const test::RequestBuilder& builder) { return table_.put(builder.build()); }
  void charge(Request& request, const std::string& of, std::int64_t cores) {
    auto& pairs = table_.objects().tree().flavor_resources();
    table_.charge(request, *table_.objects().queue(request.queue),
                  {{pairs.intern(of, "cpu"), cores * 1000}}, {}, RequestStage::admitted, Instant{});
  }
  // "s0=one s1=two" of each assignment, in order.
  std::vector<std::string> all(const Request& request) {
    AssignmentList list(table_, *table_.objects().queue(request.queue), request,
                        full_counts(request));
    std::vector<std::string> found;
    while (const auto choice = list.next()) {
      std::string text;
      for (std::size_t i = 0; i < choice->promise.size(); ++i) {
        for (const auto& [resource, name] : choice->promise[i].flavors) {
          text += (text.empty() ? "s" : " s") + std::to_string(i) + "=" + name;
        }
      }
      found.push_back(text);
    }
    return found;
  }
  PendingReason refusal(const Request& request) {
    AssignmentList list(table_, *table_.objects().queue(request.queue), request,
                        full_counts(request));
    (void)list.next();
    return list.refusal();
  }

  QuotaConfig config_;
  RequestTable table_{config_};
};

using Choices = std::vector<std::string>;

TEST_F(AssignmentsTest, goThroughFlavorsInOrderTheLastPodSetFirst) {
  add(queue("a").quota("one", "cpu", "4").quota("two", "cpu", "4"));
  EXPECT_EQ(all(put(request("r").queue("a").pods(1, "cpu", "1").pods(1, "cpu", "1"))),
            (Choices{"s0=one s1=one", "s0=one s1=two", "s0=two s1=one", "s0=two s1=two"}));
}

TEST_F(AssignmentsTest, countWhatEarlierPodSetsTake) {
  add(queue("a").quota("one", "cpu", "4").quota("two", "cpu", "4"));
  EXPECT_EQ(all(put(request("r").queue("a").pods(1, "cpu", "3").pods(1, "cpu", "3"))),
            (Choices{"s0=one s1=two", "s0=two s1=one"}));
}

TEST_F(AssignmentsTest, giveAGroupOfPodSetsOneFlavor) {
  add(queue("a").quota("one", "cpu", "4").quota("two", "cpu", "4"));
  auto made = std::make_shared<model::AdmissionRequest>(
      *request("r").queue("a").pods(1, "cpu", "1").pods(2, "cpu", "1").build());
  for (model::PodSet& set : made->spec.pod_sets) {
    set.topology.emplace();
    set.topology->group = "together";
    set.pods.annotations = {};
  }
  EXPECT_EQ(all(table_.put(made)), (Choices{"s0=one s1=one", "s0=two s1=two"}));
}

TEST_F(AssignmentsTest, askEveryGroupOfResources) {
  add(queue("a").quota("one", "cpu", "4").quota("two", "memory", "4Ki"));
  auto made = std::make_shared<model::AdmissionRequest>(
      *request("r").queue("a").pods(1, "cpu", "1").build());
  auto spec = std::make_shared<model::PodSpec>(*made->spec.pod_sets[0].pods.spec);
  test::put(spec->containers[0].requests, "memory", test::quantity("1Ki"));
  made->spec.pod_sets[0].pods.spec = spec;
  EXPECT_EQ(all(table_.put(made)), (Choices{"s0=one s0=two"}));
}

TEST_F(AssignmentsTest, countPodsWhereTheQueueCoversThem) {
  add(queue("a").quota("two", "pods", "3").quota("one", "cpu", "9"));
  EXPECT_EQ(all(put(request("three").queue("a").pods(3, "cpu", "1"))).size(), 1U);
  EXPECT_EQ(refusal(put(request("four").queue("a").pods(4, "cpu", "1"))).reason,
            Waits::exceeds_max_quota);
}

TEST_F(AssignmentsTest, askOnlyForPodsThatHaveNotEnded) {
  add(queue("a").quota("one", "cpu", "4"));
  EXPECT_EQ(all(put(request("r").queue("a").pods(6, "cpu", "1").ended(2))), (Choices{"s0=one"}));
}

TEST_F(AssignmentsTest, refuseResourcesThatTheQueueDoesNotCover) {
  add(queue("a").quota("one", "cpu", "4"));
  const Request& asks = put(request("r").queue("a").pods(1, "example.com/gpu", "1"));
  EXPECT_EQ(all(asks), Choices{});
  EXPECT_EQ(refusal(asks),
            (PendingReason{Waits::no_matching_flavor,
                           "couldn't assign flavors to pod set s0: resource example.com/gpu "
                           "unavailable in ClusterQueue"}));
  EXPECT_EQ(all(put(request("none").queue("a").pods(1, "example.com/gpu", "0"))), Choices{""});
  config_.undeclared = UndeclaredResources::ignore;
  EXPECT_EQ(all(asks), Choices{""});
}

TEST_F(AssignmentsTest, sayTheLeastSevereOfTheFlavorsAndAllSentences) {
  add(queue("a").quota("one", "cpu", "1").quota("two", "cpu", "4"));
  charge(put(request("running").queue("a").pods(1, "cpu", "3")), "two", 3);
  EXPECT_EQ(refusal(put(request("r").queue("a").pods(1, "cpu", "2"))),
            (PendingReason{Waits::for_quota,
                           "couldn't assign flavors to pod set s0: insufficient quota for cpu in "
                           "flavor one, previously considered podsets requests (0) + current "
                           "podset request (2) > maximum capacity (1), insufficient unused quota "
                           "for cpu in flavor two, 1 more needed"}));
}

// The queue has a right to what is missing, and nobody who could be asked to leave.
TEST_F(AssignmentsTest, sayWhatIsMissingWhereOnlyVictimsAre) {
  add(queue("a").quota("one", "cpu", "4"));
  charge(put(request("running").queue("a").pods(1, "cpu", "3")), "one", 3);
  EXPECT_EQ(refusal(put(request("r").queue("a").pods(1, "cpu", "2"))),
            (PendingReason{Waits::for_quota,
                           "couldn't assign flavors to pod set s0: insufficient unused quota for "
                           "cpu in flavor one, 1 more needed"}));
}

TEST_F(AssignmentsTest, keepTheOutlookUntilSomethingIsCharged) {
  add(queue("a").cohort("org").quota("one", "cpu", "2"));
  add(queue("b").cohort("org").quota("one", "cpu", "6"));
  Assignments assignments(table_);
  const Request& asks = put(request("r").queue("a").pods(1, "cpu", "2"));
  const QuotaQueue& a = *table_.objects().queue("a");
  EXPECT_EQ(assignments.outlook(a, asks).borrow_level, 0U);
  charge(put(request("running").queue("a").pods(1, "cpu", "1")), "one", 1);
  EXPECT_EQ(assignments.outlook(a, asks).borrow_level, 1U);
}

}  // namespace
}  // namespace tutti::core
