#include "explain/followed_request.h"

#include <gtest/gtest.h>

#include <string>

#include "explain/test_stage.h"
#include "support/quota_build.h"

namespace tutti::explain {
namespace {

// One queue of Kueue's, and one request in it.
class FollowedRequestTest : public testing::Test {
 protected:
  FollowedRequestTest() {
    auto& objects = table_.objects();
    objects.set_authority({core::BrokerMode::observe, true});
    objects.set(test::flavor("std"));
    objects.set(test::queue("a").quota("std", "cpu", "4").build());
    objects.set(test::local_queue("a"));
  }
  Verdict verdict_of(core::Request& request) {
    Verdict verdict;
    add_followed(verdict, stage_.sources(), table_, request);
    return verdict;
  }
  core::Request& admitted() {
    core::Request& request = table_.put(test::request("r")
                                            .queue("a")
                                            .pods(2, "cpu", "1")
                                            .condition("Admitted", "Admitted", test::at_second(60))
                                            .build());
    const auto of = table_.objects().tree().flavor_resources().intern("std", "cpu");
    table_.charge(request, *table_.objects().queue("a"), {{of, 2000}}, {},
                  core::RequestStage::admitted, {});
    return request;
  }

  core::QuotaConfig config_;
  core::RequestTable table_{config_};
  test::VerdictStage stage_;
};

TEST_F(FollowedRequestTest, saysWhatKueueSays) {
  auto made = std::make_shared<model::AdmissionRequest>(
      *test::request("r").queue("a").pods(9, "cpu", "1").build());
  core::Request& request = table_.put(made);
  EXPECT_EQ(verdict_of(request).summary, "Kueue has not decided about it yet");
  auto refused = std::make_shared<model::AdmissionRequest>(*made);
  refused->status.conditions.push_back({.type = "QuotaReserved",
                                        .status = "False",
                                        .reason = "Pending",
                                        .message = "insufficient quota",
                                        .last_transition = {},
                                        .observed_generation = 0});
  const Verdict verdict = verdict_of(table_.put(refused));
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::quota);
  EXPECT_EQ(verdict.summary, "Kueue says Pending: insufficient quota");
}

TEST_F(FollowedRequestTest, flagsAdmittedWorkWithoutAPlace) {
  core::Request& request = admitted();
  EXPECT_EQ(verdict_of(request).state, State::running);
  EXPECT_FALSE(lacks_place(stage_.sources(), request));
  stage_.nodes(1, "2");
  const core::PodId pod = stage_.pod(test::pod("p").cpu("2"));
  stage_.attempts[pod] = stage_.refused(pod, {test::kNoCpu});
  table_.add_pod(request, pod);
  EXPECT_TRUE(lacks_place(stage_.sources(), request));
  const Verdict verdict = verdict_of(request);
  EXPECT_EQ(verdict.blocker, Blocker::fragmentation);
  EXPECT_TRUE(verdict.summary.starts_with(
      "admitted by Kueue at 1970-01-01T00:01:00Z, holds 2 cpu of quota, and has no place: "))
      << verdict.summary;
}

}  // namespace
}  // namespace tutti::explain
