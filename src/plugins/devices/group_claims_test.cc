// Claims of groups: a group that was evicted, or taken back, gives its devices back, and only then.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/binding/intent.h"
#include "core/preemption/preemption.h"
#include "core/scheduler/scheduler.h"
#include "plugins/devices/dynamic_resources.h"
#include "support/build.h"
#include "support/device_build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::plugins {
namespace {

using namespace std::chrono_literals;
using test::pod_group;

// Evicted pods are on their way out until the test lets them go, and the scheduler may die: from
// some write on nothing of it arrives.
class MortalPort : public test::FakePort {
 public:
  int writes_left = 1'000'000;
  bool loses_claims = false;  // what is written to claims does not arrive

  void bind(const core::BindRequest& request) override {
    if (alive()) FakePort::bind(request);
  }
  void patch_pod(const core::PodStatusPatch& patch) override {
    if (alive()) FakePort::patch_pod(patch);
  }
  void patch_group(const core::GroupConditionPatch& patch) override {
    if (alive()) FakePort::patch_group(patch);
  }
  void patch_claim(const core::ClaimPatch& patch) override {
    if (loses_claims) return void(++lost);
    if (alive()) FakePort::patch_claim(patch);
  }
  void evict(const core::PodReference& pod, const model::Condition& reason) override {
    if (!alive()) return;
    evictions.push_back(pod);
    pending_.emplace_back([this, pod, reason] {
      change<model::Pod>(pod.ns, pod.name, [&](model::Pod& leaving) {
        if (!leaving.meta.deletion) leaving.meta.deletion = now();
        set_condition(leaving.status.conditions, reason);
      });
    });
  }
  // The nodes stop whom they were told to.
  void stop_evicted() {
    std::vector<std::string> stopped;
    for (const auto& [key, object] : objects()) {
      if (key.kind == model::Kind::pod && object->meta.deletion) stopped.push_back(key.name);
    }
    for (const auto& name : stopped) remove(model::Kind::pod, "t", name);
  }
  // The scheduler is dead: what it hears, it does nothing about.
  void die() { pending_.clear(); }

  int lost = 0;

 private:
  bool alive() { return writes_left-- > 0; }
};

class GroupClaims : public testing::Test {
 protected:
  GroupClaims() { begin(); }

  void begin() {
    port_ = std::make_unique<MortalPort>();
    restart();
    port_->apply(test::node("n1").cpu("4").build());
    put(test::slice("n1", "n1", "n1", {test::device("g0")}));
    put(test::device_class("gpu"));
    port_->apply(test::claim("shared").request("r", test::wish("gpu")).build());
    port_->on_step = [this] {
      if (anybody_on_a_node()) {
        ASSERT_TRUE(shared().allocation.has_value()) << "released under its pods";
      }
    };
  }
  // Another scheduler takes the place of the first, knowing only what the cluster says.
  void restart() {
    std::vector<core::Profile> profiles;
    profiles.push_back(test::small_profile("default-scheduler"));
    core::Profile& profile = profiles.front();
    test::enable(profile, std::make_unique<DynamicResources>(), profile.pre_enqueue,
                 profile.filters, profile.reserve, profile.pre_bind);
    core::SchedulerOptions options;
    options.record_intents = true;
    scheduler_ = std::make_unique<core::Scheduler>(options, std::move(profiles), *port_);
    port_->serve(*scheduler_);
    port_->writes_left = 1'000'000;
    for (const auto& [key, object] : port_->objects()) {
      scheduler_->observe({core::Observation::Type::added, object, false}, port_->now());
    }
    scheduler_->take_over(port_->now());
  }
  template <typename T>
  void put(std::shared_ptr<T> object) {
    port_->apply(std::shared_ptr<const T>(std::move(object)));
  }
  void group(int minimum) {
    auto made = std::make_shared<model::PodGroup>(*pod_group("g").gang(minimum).build());
    made->spec.resource_claims.push_back(entry());
    made->spec.disruption = model::DisruptionMode::all;
    put(std::move(made));
  }
  void member(const std::string& name) {
    port_->apply(test::pod(name)
                     .cpu("1")
                     .group("g")
                     .with([](model::PodSpec& spec) { spec.resource_claims.push_back(entry()); })
                     .build());
  }
  void gang(int members) {
    group(members);
    for (int i = 0; i < members; ++i) member("g" + std::to_string(i));
  }
  // A pod with a claim of its own for the only device.
  void urgent() {
    port_->apply(test::claim("own").request("r", test::wish("gpu")).build());
    port_->apply(test::pod("urgent")
                     .cpu("1")
                     .priority(10)
                     .with([](model::PodSpec& spec) {
                       spec.resource_claims.push_back(
                           {.name = "gpu", .claim_name = "own", .template_name = {}});
                     })
                     .build());
  }
  static model::ClaimReference entry() {
    return {.name = "gpu", .claim_name = "shared", .template_name = {}};
  }
  const model::ResourceClaim& shared() const {
    return *port_->find<model::ResourceClaim>("t", "shared");
  }
  bool anybody_on_a_node() const {
    return std::ranges::any_of(port_->objects(), [](const auto& each) {
      if (each.first.kind != model::Kind::pod) return false;
      const auto& pod = model::as<model::Pod>(*each.second);
      return pod.spec->scheduling_group == "g" && !pod.node_name.empty();
    });
  }
  std::size_t placed(int members) const {
    std::size_t count = 0;
    for (int i = 0; i < members; ++i) count += !port_->node_of("g" + std::to_string(i)).empty();
    return count;
  }
  std::string intent() const {
    const auto* condition =
        model::find(port_->find<model::PodGroup>("t", "g")->conditions, core::kBindingCondition);
    return condition == nullptr ? "" : condition->status;
  }
  void settle() { ASSERT_TRUE(port_->settle()); }

  std::unique_ptr<MortalPort> port_;
  std::unique_ptr<core::Scheduler> scheduler_;
};

// --- preemption ----------------------------------------------------------------------------------

class GroupGivesWay : public GroupClaims {
 protected:
  GroupGivesWay() {
    gang(2);
    settle();
    urgent();
    port_->run_instant();
  }
};

TEST_F(GroupGivesWay, whenItsDevicesAreNeeded) {
  ASSERT_EQ(port_->evictions.size(), 2U);
  EXPECT_TRUE(shared().allocation.has_value());
  port_->remove(model::Kind::pod, "t", "g0");
  port_->run_instant();
  EXPECT_TRUE(shared().allocation.has_value()) << "g1 is still on its node";
  port_->remove(model::Kind::pod, "t", "g1");
  port_->run_instant();
  EXPECT_FALSE(shared().allocation.has_value());
  EXPECT_TRUE(shared().reserved_for.empty());
  EXPECT_EQ(port_->node_of("urgent"), "n1");
  EXPECT_EQ(scheduler_->check_consistency(), "");
}

TEST_F(GroupGivesWay, andDoesNotTakeItsDevicesAgainMeanwhile) {
  member("g2");
  member("g3");
  port_->run_instant();
  EXPECT_EQ(port_->node_of("g2"), "") << "by the claim that its group is about to give back";
  port_->stop_evicted();
  port_->run_instant();
  EXPECT_EQ(port_->node_of("urgent"), "n1");
  EXPECT_EQ(port_->node_of("g2"), "");

  port_->remove(model::Kind::pod, "t", "urgent");
  port_->apply(test::claim("own").request("r", test::wish("gpu")).version(99).build());
  settle();
  EXPECT_EQ(port_->node_of("g2"), "n1");
  EXPECT_EQ(port_->node_of("g3"), "n1");
  EXPECT_TRUE(shared().allocation.has_value());
}

TEST_F(GroupGivesWay, unlessSomebodyOfItIsBack) {
  member("g2");
  member("g3");
  const auto g2 = scheduler_->cluster().pods().find("pod-g2");
  ASSERT_TRUE(g2.has_value());
  ASSERT_EQ(scheduler_->standing(*g2), core::Standing::gated);
  port_->apply(test::pod("bound-by-another-scheduler").cpu("1").group("g").on("n1").build());
  EXPECT_EQ(scheduler_->standing(*g2), core::Standing::queued);
}

TEST_F(GroupGivesWay, askingAgainWhenTheReleaseDoesNotShow) {
  port_->loses_claims = true;
  port_->stop_evicted();
  port_->run_instant();
  EXPECT_EQ(port_->lost, 1);
  port_->advance(29s);
  port_->run_instant();
  EXPECT_EQ(port_->lost, 1) << "its answer may be on its way";
  port_->loses_claims = false;
  port_->advance(1s);
  port_->run_instant();
  EXPECT_FALSE(shared().allocation.has_value());
  EXPECT_EQ(port_->node_of("urgent"), "n1");
}

// Wherever the scheduler dies, and whether or not its victims are gone when the next one comes.
TEST_F(GroupClaims, areGivenBackForThePreemptorWhereverTheSchedulerDies) {
  for (int writes = 0; writes <= 14; ++writes) {
    for (const bool gone_meanwhile : {false, true}) {
      SCOPED_TRACE(std::to_string(writes) + (gone_meanwhile ? ", gone meanwhile" : ""));
      begin();
      gang(2);
      settle();
      port_->writes_left = writes;
      urgent();
      port_->run_instant();
      if (writes > 8) port_->stop_evicted();
      port_->run_instant();
      port_->die();
      if (gone_meanwhile) port_->stop_evicted();
      port_->die();
      // Their owner makes others in their place.
      if (port_->find<model::Pod>("t", "g0") == nullptr) {
        member("g2");
        member("g3");
        port_->die();
      }
      restart();
      for (int i = 0; i < 4; ++i) {
        settle();
        port_->stop_evicted();
      }
      settle();
      EXPECT_EQ(port_->node_of("urgent"), "n1");
      EXPECT_FALSE(shared().allocation.has_value());
    }
  }
}

// --- not ours to give back -----------------------------------------------------------------------

TEST_F(GroupClaims, stayWithAGroupWhosePodsWereDeletedByTheirOwner) {
  gang(2);
  settle();
  port_->remove(model::Kind::pod, "t", "g0");
  port_->remove(model::Kind::pod, "t", "g1");
  settle();
  EXPECT_TRUE(shared().allocation.has_value());
  restart();
  settle();
  EXPECT_TRUE(shared().allocation.has_value());
}

// There is nobody to evict from them, until there is.
TEST_F(GroupClaims, ofAGroupWhosePodsComeBackAreFoughtFor) {
  gang(2);
  settle();
  port_->remove(model::Kind::pod, "t", "g0");
  port_->remove(model::Kind::pod, "t", "g1");
  urgent();
  settle();
  EXPECT_EQ(port_->node_of("urgent"), "");
  EXPECT_TRUE(shared().allocation.has_value());
  member("g2");
  member("g3");
  port_->run_instant();
  EXPECT_EQ(port_->node_of("g2"), "n1");
  settle();
  port_->stop_evicted();
  settle();
  EXPECT_EQ(port_->node_of("urgent"), "n1");
  EXPECT_FALSE(shared().allocation.has_value());
}

// Its pods may be on their way to their nodes: another scheduler's pods show when they are there.
TEST_F(GroupClaims, ofAGroupThatWeKnowNothingAboutAreLeftAlone) {
  group(2);
  auto allocated = std::make_shared<model::ResourceClaim>(shared());
  model::DeviceResult result;
  result.request = "r";
  result.driver = test::kDriver;
  result.pool = "n1";
  result.device = "g0";
  allocated->allocation.emplace().results.push_back(std::move(result));
  allocated->reserved_for.push_back({"scheduling.k8s.io", "podgroups", "g", "group-g"});
  put(std::move(allocated));
  urgent();
  auto nominated = std::make_shared<model::Pod>(*port_->find<model::Pod>("t", "urgent"));
  nominated->status.nominated_node = "n1";
  put(std::move(nominated));
  restart();
  settle();
  EXPECT_TRUE(shared().allocation.has_value());
}

// --- gangs that are taken back -------------------------------------------------------------------

// Whichever write is the last of the first scheduler, and of the second, the third leaves a whole
// gang with its devices, or none of it and the devices free.
TEST_F(GroupClaims, areHeldByAWholeGangOrFreeWhereverSchedulersDie) {
  for (int first = 0; first <= 9; ++first) {
    for (int second = 0; second <= 9; ++second) {
      for (const bool room_is_lost : {false, true}) {
        SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(second) +
                     (room_is_lost ? ", room lost" : ""));
        begin();
        port_->writes_left = first;
        gang(4);
        port_->run_instant();
        port_->die();
        const bool lost = room_is_lost && placed(4) < 4;
        if (lost) port_->apply(test::pod("intruder").cpu("1").on("n1").build());
        restart();
        port_->writes_left = second;
        port_->run_instant();
        port_->stop_evicted();
        port_->run_instant();
        port_->die();
        restart();
        settle();
        port_->stop_evicted();
        settle();
        EXPECT_EQ(placed(4), lost ? 0U : 4U);
        EXPECT_EQ(shared().allocation.has_value(), !lost);
        EXPECT_EQ(shared().reserved_for.size(), lost ? 0U : 1U);
        EXPECT_NE(intent(), "True");
      }
    }
  }
}

}  // namespace
}  // namespace tutti::plugins
