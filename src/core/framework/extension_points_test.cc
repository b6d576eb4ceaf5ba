// The extension points around the choice of nodes, as plugins see them from a whole scheduler.
#include "core/framework/extension_points.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "model/cluster.h"
#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using test::pod_group;
using Lines = std::vector<std::string>;
using Outcome = PostFilterPlugin::Outcome;

std::vector<Profile> one(Profile profile) {
  std::vector<Profile> profiles;
  profiles.push_back(std::move(profile));
  return profiles;
}

// --- from reserve to post_bind -------------------------------------------------------------------

class BindingStages : public testing::Test {
 protected:
  BindingStages() : scheduler_(SchedulerOptions{}, one(profile()), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_.check_consistency(), ""); };
    port_.bind_outcome = [this](const BindRequest& request) {
      diary_.lines.push_back("bind " + request.pod.name);
      return ok_status();
    };
    port_.apply(node("n1").build());
  }
  Profile profile() {
    Profile made = test::small_profile();
    test::enable(made, std::make_unique<test::Diarist>(diary_), made.reserve, made.permit,
                 made.pre_bind, made.post_bind);
    return made;
  }
  // Something that no pod needs, but that a waiting plugin may have waited for.
  void change_something() {
    auto made = std::make_shared<model::Namespace>();
    made->meta.name = "t";
    port_.apply(std::shared_ptr<const model::Namespace>(std::move(made)));
    port_.run_instant();
  }

  test::Diary diary_;
  test::FakePort port_;
  Scheduler scheduler_;
};

TEST_F(BindingStages, areAskedInOrder) {
  port_.apply(pod("a").build());
  ASSERT_TRUE(port_.settle());
  EXPECT_EQ(diary_.lines, (Lines{"reserve a", "permit a", "pre_bind a", "bind a", "post_bind a"}));
  EXPECT_EQ(port_.node_of("a"), "n1");
}

TEST_F(BindingStages, holdTheBindUntilPermitAllowsIt) {
  diary_.permit = Code::wait;
  port_.apply(pod("a").build());
  port_.run_instant();
  change_something();
  EXPECT_EQ(diary_.lines, (Lines{"reserve a", "permit a", "permit a"}));
  EXPECT_FALSE(scheduler_.settled());

  diary_.permit = Code::success;
  change_something();
  EXPECT_EQ(diary_.lines, (Lines{"reserve a", "permit a", "permit a", "permit a", "pre_bind a",
                                 "bind a", "post_bind a"}));
}

TEST_F(BindingStages, askPreBindAgainButNotPermitWhilePreBindWaits) {
  diary_.pre_bind = Code::wait;
  port_.apply(pod("a").build());
  port_.run_instant();
  EXPECT_TRUE(port_.binds.empty());

  diary_.pre_bind = Code::success;
  change_something();
  EXPECT_EQ(diary_.lines,
            (Lines{"reserve a", "permit a", "pre_bind a", "pre_bind a", "bind a", "post_bind a"}));
}

TEST_F(BindingStages, giveBackWhatWasReservedWhenPermitRefuses) {
  diary_.permit = Code::unschedulable;
  port_.apply(pod("a").build());
  port_.run_instant();
  EXPECT_EQ(diary_.lines, (Lines{"reserve a", "permit a", "unreserve a"}));
  EXPECT_TRUE(port_.binds.empty());
}

TEST_F(BindingStages, giveBackWhatWasReservedWhenPreBindWaitsTooLong) {
  diary_.pre_bind = Code::wait;
  port_.apply(pod("a").build());
  port_.run_instant();
  port_.advance(5min);
  diary_.lines.clear();
  ASSERT_TRUE(scheduler_.schedule_one(port_.now()));
  EXPECT_EQ(diary_.lines, (Lines{"pre_bind a", "unreserve a"}));
}

TEST_F(BindingStages, evictNobodyOfAGangThatWaitedTooLongTogether) {
  diary_.pre_bind = Code::wait;
  port_.apply(pod_group("g").gang(5).build());
  for (const char* name : {"a", "b", "c", "d", "e"}) port_.apply(pod(name).group("g").build());
  port_.run_instant();
  ASSERT_EQ(scheduler_.standing(*scheduler_.cluster().pods().find("pod-a")), Standing::binding);
  port_.advance(5min);
  ASSERT_TRUE(scheduler_.schedule_one(port_.now()));
  EXPECT_TRUE(port_.evictions.empty());

  diary_.pre_bind = Code::success;
  ASSERT_TRUE(port_.settle());
  EXPECT_EQ(port_.binds.size(), 5);
}

// --- post_filter ---------------------------------------------------------------------------------

// A full node with one pod on it that the plugin may choose to sacrifice.
class PostFilter : public testing::Test {
 protected:
  PostFilter() : scheduler_(SchedulerOptions{}, one(profile()), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_.check_consistency(), ""); };
    port_.apply(node("n1").cpu("2").build());
  }
  Profile profile() {
    Profile made = test::small_profile();
    const auto note = [this](auto& asked) {
      return [this, &asked](Cluster& cluster, std::span<const PodId> pods) {
        for (const PodId pod : pods) asked.push_back(cluster.pod(pod).object->meta.name);
        return answer_(cluster, pods);
      };
    };
    test::enable(made, std::make_unique<test::Rescuer>(note(asked_for_pods_)), made.post_filters);
    test::enable(made, std::make_unique<test::Rescuer>(note(asked_for_groups_)),
                 made.group_post_filters);
    return made;
  }
  // Sacrifices the pod named "victim", if it is there, for the first pod.
  static Outcome sacrifice(Cluster& cluster, std::span<const PodId> pods) {
    const auto victim = cluster.pods().find("pod-victim");
    if (!victim) return {{Code::unschedulable, "Rescuer", "nobody to evict"}, {}, {}};
    return {{}, {*victim}, {{pods.front(), *cluster.nodes().find("n1")}}};
  }
  const EventRecord* preempted() const {
    const auto at = std::ranges::find(port_.events, "Preempted", &EventRecord::reason);
    return at == port_.events.end() ? nullptr : &*at;
  }

  std::function<Outcome(Cluster&, std::span<const PodId>)> answer_ = sacrifice;
  Lines asked_for_pods_;
  Lines asked_for_groups_;
  test::FakePort port_;
  Scheduler scheduler_;
};

TEST_F(PostFilter, nominatesAndEvictsForALonePodWhichThenRuns) {
  port_.apply(pod("victim").cpu("2").on("n1").build());
  port_.apply(pod("a").cpu("2").build());
  ASSERT_TRUE(port_.settle());

  EXPECT_EQ(asked_for_pods_.front(), "a");
  EXPECT_TRUE(asked_for_groups_.empty());
  const auto nominated = [](const PodStatusPatch& patch) { return patch.nominated_node == "n1"; };
  EXPECT_EQ(std::ranges::count_if(port_.pod_patches, nominated), 1);
  ASSERT_EQ(port_.evictions.size(), 1U);
  EXPECT_EQ(port_.evictions[0].uid, "pod-victim");
  EXPECT_EQ(port_.eviction_reasons[0].type, "DisruptionTarget");
  EXPECT_EQ(port_.eviction_reasons[0].status, "True");
  EXPECT_EQ(port_.eviction_reasons[0].reason, "PreemptionByScheduler");
  EXPECT_EQ(port_.eviction_reasons[0].message,
            "default-scheduler: preempting to accommodate a pod");
  EXPECT_EQ(port_.node_of("a"), "n1");
}

TEST_F(PostFilter, tellsTheVictimWhoTookItsPlace) {
  port_.apply(pod("victim").cpu("2").on("n1").build());
  port_.apply(pod("a").cpu("2").build());
  ASSERT_TRUE(port_.settle());

  ASSERT_NE(preempted(), nullptr);
  EXPECT_EQ(preempted()->about->meta.name, "victim");
  EXPECT_EQ(preempted()->type, "Normal");
  EXPECT_EQ(preempted()->action, "Preempting");
  EXPECT_EQ(preempted()->message, "Preempted by pod pod-a on node n1");
  EXPECT_EQ(preempted()->scheduler, "default-scheduler");
}

TEST_F(PostFilter, isAskedOnceForAWholeGroupThroughThePointForGroups) {
  port_.apply(pod("victim").cpu("1").on("n1").build());
  port_.apply(pod_group("g").gang(2).build());
  port_.apply(pod("g0").cpu("1").group("g").build());
  port_.apply(pod("g1").cpu("1").group("g").build());
  ASSERT_TRUE(port_.settle());

  EXPECT_TRUE(asked_for_pods_.empty());
  EXPECT_EQ(asked_for_groups_, (Lines{"g0", "g1"}));
  ASSERT_NE(preempted(), nullptr);
  EXPECT_EQ(preempted()->message, "Preempted by podgroup group-g on node cluster");
  EXPECT_NE(port_.node_of("g0"), "");
  EXPECT_NE(port_.node_of("g1"), "");
}

TEST_F(PostFilter, evictsNobodyWhenItHasNoAnswer) {
  answer_ = [](Cluster& cluster, std::span<const PodId>) {
    return Outcome{
        {Code::unschedulable, "Rescuer", "no"}, {*cluster.pods().find("pod-victim")}, {}};
  };
  port_.apply(pod("victim").cpu("2").on("n1").build());
  port_.apply(pod("a").cpu("2").build());
  ASSERT_TRUE(port_.settle());
  EXPECT_FALSE(asked_for_pods_.empty());
  EXPECT_TRUE(port_.evictions.empty());
  EXPECT_EQ(preempted(), nullptr);
}

TEST_F(PostFilter, leavesAVictimAloneThatIsTerminatingAlready) {
  auto leaving = std::make_shared<model::Pod>(*pod("victim").cpu("2").on("n1").build());
  leaving->meta.deletion = port_.now() + 30s;
  port_.apply(std::shared_ptr<const model::Pod>(std::move(leaving)));
  port_.apply(pod("a").cpu("2").build());
  ASSERT_TRUE(port_.settle());
  EXPECT_FALSE(asked_for_pods_.empty());
  EXPECT_TRUE(port_.evictions.empty());
}

}  // namespace
}  // namespace tutti::core
