// Preemption for devices: the devices of a victim come back after the victim is gone.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/claim_patch.h"
#include "core/scheduler/scheduler.h"
#include "plugins/devices/dynamic_resources.h"
#include "support/build.h"
#include "support/device_build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::plugins {
namespace {

using test::pod;

std::vector<core::Profile> one_profile() {
  std::vector<core::Profile> made;
  made.push_back(test::small_profile());
  core::Profile& profile = made.front();
  test::enable(profile, std::make_unique<DynamicResources>(), profile.pre_enqueue, profile.filters,
               profile.reserve, profile.pre_bind);
  return made;
}

// Evicted pods stay until the test lets them go, and so do the allocations of their claims.
class SlowPort : public test::FakePort {
 public:
  void evict(const core::PodReference& pod, const model::Condition&) override {
    evictions.push_back(pod);
  }
  void patch_claim(const core::ClaimPatch& patch) override { patches_.push_back(patch); }
  void answer() {
    for (const auto& patch : std::exchange(patches_, {})) {
      auto next =
          std::make_shared<model::ResourceClaim>(*find<model::ResourceClaim>(patch.ns, patch.name));
      core::apply(*next, patch, now());
      ++next->meta.resource_version;
      apply(std::shared_ptr<const model::ResourceClaim>(next));
    }
  }

 private:
  std::vector<core::ClaimPatch> patches_;
};

class TwoUsers : public testing::Test {
 protected:
  TwoUsers() {
    port_.serve(scheduler_);
    port_.apply(test::node("n1").cpu("64").build());
    put(test::slice("n1", "n1", "n1", {test::device("g0"), test::device("g1")}));
    put(test::device_class("gpu"));
    run("low", 1, "g0");
    run("middle", 5, "g1");
    port_.apply(test::claim("high").request("r", test::wish("gpu")).build());
  }

  template <typename T>
  void put(std::shared_ptr<T> object) {
    port_.apply(std::shared_ptr<const T>(std::move(object)));
  }
  static test::PodBuilder wanting(const std::string& name, std::int32_t priority) {
    auto made = pod(name);
    made.cpu("1").priority(priority).with([&](model::PodSpec& spec) {
      spec.resource_claims.push_back({.name = "gpu", .claim_name = name, .template_name = {}});
    });
    return made;
  }
  void run(const std::string& name, std::int32_t priority, const std::string& device) {
    auto running = std::make_shared<model::Pod>(*wanting(name, priority).on("n1").build());
    running->status.phase = model::PodPhase::running;
    auto claim = std::make_shared<model::ResourceClaim>(
        *test::claim(name).request("r", test::wish("gpu")).build());
    model::DeviceResult result;
    result.request = "r";
    result.driver = test::kDriver;
    result.pool = "n1";
    result.device = device;
    claim->allocation.emplace().results.push_back(std::move(result));
    claim->reserved_for.push_back({{}, "pods", name, running->meta.uid});
    put(std::move(claim));
    put(std::move(running));
  }
  void tidy_up(const std::string& name) {
    port_.apply(test::claim(name).request("r", test::wish("gpu")).version(9).build());
  }

  SlowPort port_;
  core::Scheduler scheduler_{core::SchedulerOptions{}, one_profile(), port_};
};

class VictimsDevices : public TwoUsers {
 protected:
  VictimsDevices() {
    port_.apply(wanting("high", 10).build());
    port_.run_instant();
  }
};

TEST_F(VictimsDevices, areWaitedForWhenTheVictimIsGone) {
  ASSERT_EQ(port_.evictions.size(), 1U);
  ASSERT_EQ(port_.evictions.front().name, "low");
  port_.remove(model::Kind::pod, "t", "low");
  port_.run_instant();
  EXPECT_EQ(port_.evictions.size(), 1U) << "evicted " << port_.evictions.back().name << ", too";
  EXPECT_EQ(port_.node_of("high"), "");

  tidy_up("low");
  port_.advance(std::chrono::seconds(30));  // beyond its backoff
  port_.run_instant();
  port_.answer();
  port_.run_instant();
  EXPECT_EQ(port_.node_of("high"), "n1");
  EXPECT_EQ(port_.evictions.size(), 1U);
}

TEST_F(VictimsDevices, areNotWaitedForWithoutEnd) {
  port_.remove(model::Kind::pod, "t", "low");
  port_.run_instant();
  port_.advance(std::chrono::minutes(10));
  port_.run_instant();
  ASSERT_EQ(port_.evictions.size(), 2U);
  EXPECT_EQ(port_.evictions.back().name, "middle");
}

// A predecessor evicted "low" for "high" and died; nobody has tidied up the claim yet.
class AfterARestart : public TwoUsers {
 protected:
  AfterARestart() {
    port_.remove(model::Kind::pod, "t", "low");
    auto high = std::make_shared<model::Pod>(*wanting("high", 10).build());
    high->status.nominated_node = "n1";
    put(std::move(high));
    port_.run_instant();
  }
};

TEST_F(AfterARestart, theDevicesOfVictimsThatAreGoneAreWaitedFor) {
  EXPECT_TRUE(port_.evictions.empty()) << "evicted " << port_.evictions.front().name << ", too";
  tidy_up("low");
  port_.advance(std::chrono::seconds(30));
  port_.run_instant();
  port_.answer();
  port_.run_instant();
  EXPECT_EQ(port_.node_of("high"), "n1");
  EXPECT_TRUE(port_.evictions.empty());
}

TEST_F(AfterARestart, theDevicesOfVictimsThatAreGoneAreNotWaitedForWithoutEnd) {
  port_.advance(std::chrono::minutes(10));
  port_.run_instant();
  ASSERT_EQ(port_.evictions.size(), 1U);
  EXPECT_EQ(port_.evictions.back().name, "middle");
}

}  // namespace
}  // namespace tutti::plugins
