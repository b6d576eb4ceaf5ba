#include "core/binding/binder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;

// Allows binding once `open` is set.
class Door : public Plugin, public PermitPlugin {
 public:
  std::string_view name() const override { return "Door"; }
  PluginStatus permit(const Cluster&, const GroupTable&, PodId, NodeId) const override {
    if (open) return {};
    return {Code::wait, name(), "closed"};
  }
  bool open = false;
};

// Waits before the binding of one pod, and says what for.
class Preparation : public Plugin, public PreBindPlugin {
 public:
  std::string_view name() const override { return "Preparation"; }
  PluginStatus pre_bind(Cluster&, ClusterPort&, PodId pod, NodeId) override {
    if (pod != waits_for) return {};
    return {Code::wait, name(), "its device is not ready"};
  }
  PodId waits_for;
};

class BinderTest : public testing::Test {
 protected:
  BinderTest() {
    test::enable(profile_, std::make_unique<test::DirectBinder>(), profile_.bind);
    node_ = cluster_.set_node(test::node("n1"));
    pod_ = cluster_.set_pod(test::pod("a"));
    cluster_.place(pod_, node_);
  }
  static Status refused() { return Error{Error::Code::unavailable, "not now"}; }

  Cluster cluster_;
  GroupTable groups_;
  test::FakePort port_;
  Profile profile_;
  Binder binder_{cluster_, groups_, port_};
  NodeId node_;
  PodId pod_;
  Instant now_{100s};
};

TEST_F(BinderTest, bindsAtOnceWhenNobodyObjects) {
  binder_.start(pod_, node_, profile_, now_);
  EXPECT_TRUE(binder_.advance(now_).empty());
  ASSERT_EQ(port_.binds.size(), 1U);
  EXPECT_EQ(port_.binds[0].node, "n1");
  EXPECT_FALSE(binder_.idle());
  EXPECT_EQ(binder_.finished(pod_, ok_status(), false, now_), std::nullopt);
  EXPECT_TRUE(binder_.idle());
}

TEST_F(BinderTest, givesUpAfterOneRefusalWhenNothingHoldsTheNode) {
  binder_.start(pod_, node_, profile_, now_);
  static_cast<void>(binder_.advance(now_));
  const auto failure = binder_.finished(pod_, refused(), false, now_);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->why, "not now");
  EXPECT_TRUE(binder_.idle());
}

TEST_F(BinderTest, retriesOnTheSameNodeWithGrowingPausesAndThenGivesUp) {
  binder_.start(pod_, node_, profile_, now_);
  static_cast<void>(binder_.advance(now_));
  for (const Millis pause : {1s, 2s, 4s, 8s}) {
    ASSERT_EQ(binder_.finished(pod_, refused(), true, now_), std::nullopt);
    ASSERT_EQ(binder_.next_wakeup(), now_ + pause);
    now_ += pause;
    static_cast<void>(binder_.advance(now_));
  }
  EXPECT_EQ(port_.binds.size(), Binder::kAttempts);
  EXPECT_TRUE(binder_.finished(pod_, refused(), true, now_).has_value());
}

TEST_F(BinderTest, doesNotRetryForAPodThatIsGone) {
  binder_.start(pod_, node_, profile_, now_);
  static_cast<void>(binder_.advance(now_));
  const Status gone = Error{Error::Code::not_found, "no such pod"};
  EXPECT_TRUE(binder_.finished(pod_, gone, true, now_).has_value());
}

TEST_F(BinderTest, waitsForPermissionButNotForEver) {
  Door& door = test::enable(profile_, std::make_unique<Door>(), profile_.permit);
  binder_.start(pod_, node_, profile_, now_);
  EXPECT_TRUE(binder_.advance(now_).empty());
  EXPECT_TRUE(port_.binds.empty());
  EXPECT_EQ(binder_.next_wakeup(), now_ + 5min);
  EXPECT_EQ(binder_.advance(now_ + 5min).size(), 1U);

  door.open = true;
  binder_.start(pod_, node_, profile_, now_);
  EXPECT_TRUE(binder_.advance(now_).empty());
  EXPECT_EQ(port_.binds.size(), 1U);
}

TEST_F(BinderTest, noMemberBindsBeforeTheWholeGangIsReady) {
  Preparation& preparation =
      test::enable(profile_, std::make_unique<Preparation>(), profile_.pre_bind);
  const GroupId gang = groups_.set(test::pod_group("g").gang(2));
  const PodId ready = cluster_.set_pod(test::pod("b").group("g"));
  const PodId waits = cluster_.set_pod(test::pod("c").group("g"));
  for (const PodId member : {ready, waits}) {
    cluster_.place(member, node_);
    groups_.add_pod(gang, member, GroupTable::Membership::assumed);
    binder_.start(member, node_, profile_, now_);
  }
  preparation.waits_for = waits;
  EXPECT_TRUE(binder_.advance(now_).empty());
  EXPECT_TRUE(port_.binds.empty());

  preparation.waits_for = {};
  binder_.poke();
  EXPECT_TRUE(binder_.advance(now_).empty());
  EXPECT_EQ(port_.binds.size(), 2U);
}

TEST_F(BinderTest, aWaitThatWasTooLongSaysWhatFor) {
  test::enable(profile_, std::make_unique<Preparation>(), profile_.pre_bind).waits_for = pod_;
  binder_.start(pod_, node_, profile_, now_);
  EXPECT_TRUE(binder_.advance(now_).empty());
  const auto failures = binder_.advance(now_ + 10min);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].why, "waited too long: its device is not ready");
}

}  // namespace
}  // namespace tutti::core
