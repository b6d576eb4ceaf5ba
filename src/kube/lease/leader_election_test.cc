#include "kube/lease/leader_election.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kube/testing/fake_api.h"
#include "kube/testing/fake_lease.h"

namespace tutti::kube {
namespace {

// A server with one lease and replicas that share its loop and a clock that tests can push.
class LeaderElectorTest : public testing::Test {
 protected:
  LeaderElectorTest() {
    api_.script = [this](const FakeRequest& request, const SessionPtr& session) {
      const Answer answer =
          lease_.apply(request.line.substr(0, request.line.find(' ')), request.body);
      session->answer(answer.status, answer.body);
    };
  }

  std::unique_ptr<LeaderElector> replica(const std::string& identity,
                                         LeaderElector::Handlers handlers) {
    const ElectionConfig config{.ns = "ns",
                                .name = "lease",
                                .identity = identity,
                                .lease_duration = Millis(60'000),
                                .renew_deadline = Millis(40'000),
                                .retry_period = Millis(10)};
    auto elector = std::make_unique<LeaderElector>(
        api_.loop(),
        [this](Call call, AnswerHandler handler) {
          client_.call(std::move(call), std::move(handler));
        },
        config, 1, std::move(handlers), [this] { return since_boot() + pushed_; });
    elector->start();
    return elector;
  }

  FakeApi api_;
  FakeLease lease_;
  ApiClient client_{api_.loop(), api_.access(), {.user_agent = "test", .seed = 1}};
  Millis pushed_{0};
};

TEST_F(LeaderElectorTest, leadsByALeaseItCreatesAndRenewsIt) {
  const auto elector = replica("a", {.started = [&] { api_.done(); }});
  EXPECT_FALSE(elector->may_act());
  api_.run();
  EXPECT_TRUE(elector->may_act());
  EXPECT_EQ(lease_.lease()->holder, "a");

  const std::size_t before = api_.requests.size();
  const auto answer = api_.script;
  api_.script = [&](const FakeRequest& request, const SessionPtr& session) {
    answer(request, session);
    if (api_.requests.size() == before + 3) api_.done();
  };
  api_.run();
  EXPECT_EQ(api_.requests.back().line,
            "PUT /apis/coordination.k8s.io/v1/namespaces/ns/leases/lease");
}

TEST_F(LeaderElectorTest, handsTheLeaseOverWhenItReleasesIt) {
  std::vector<std::string> story;
  const auto first = replica(
      "a", {.started = [&] { api_.done(); }, .stopped = [&] { story.emplace_back("a stopped"); }});
  api_.run();
  const auto second = replica("b", {.started = [&] {
                                story.emplace_back("b started");
                                api_.done();
                              }});
  first->release([&] { story.emplace_back("a released"); });
  EXPECT_FALSE(first->may_act());
  api_.run();
  EXPECT_EQ(story, (std::vector<std::string>{"a stopped", "a released", "b started"}));
  EXPECT_TRUE(second->may_act());
  EXPECT_EQ(lease_.lease()->holder, "b");
  EXPECT_EQ(lease_.lease()->transitions, 1);
}

TEST_F(LeaderElectorTest, stopsActingWhenTimeRunsOutBeforeAnyTimerFires) {
  const auto elector = replica("a", {.started = [&] { api_.done(); }});
  api_.run();
  pushed_ += Millis(40'000);
  EXPECT_FALSE(elector->may_act());
}

TEST_F(LeaderElectorTest, saysThatItStoppedAndLeadsAgainWhenTheServerAnswers) {
  std::vector<std::string> story;
  const auto elector = replica("a", {.started =
                                         [&] {
                                           story.emplace_back("started");
                                           api_.done();
                                         },
                                     .stopped = [&] { story.emplace_back("stopped"); }});
  api_.run();
  pushed_ += Millis(40'000);
  api_.run();
  EXPECT_EQ(story, (std::vector<std::string>{"started", "stopped", "started"}));
}

TEST_F(LeaderElectorTest, tellsOfTroubleOnceWhileItLasts) {
  std::vector<std::string> troubles;
  api_.script = [&](const FakeRequest&, const SessionPtr& session) {
    session->answer(403,
                    R"({"kind":"Status","message":"leases is forbidden","reason":"Forbidden"})");
    if (api_.requests.size() == 4) api_.done();
  };
  const auto elector =
      replica("a", {.trouble = [&](const std::string& line) { troubles.push_back(line); }});
  api_.run();
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_EQ(troubles[0].find("lease ns/lease: reading it: "), 0U) << troubles[0];
  EXPECT_NE(troubles[0].find("(403)"), std::string::npos) << troubles[0];
}

TEST_F(LeaderElectorTest, isDeafOnceItIsGone) {
  auto elector = replica("a", {.started = [] { FAIL(); }});
  api_.script = [&](const FakeRequest&, const SessionPtr& session) {
    elector.reset();
    session->answer(404, "{}");
    // Long enough a detour for the answer to have come.
    client_.call({}, [&](const Answer&) { api_.done(); });
    api_.script = [&](const FakeRequest&, const SessionPtr& next) { next->answer(200, "{}"); };
  };
  api_.run();
}

}  // namespace
}  // namespace tutti::kube
