#include "sim/nodes/device_taint_eviction.h"

#include <gtest/gtest.h>

#include <chrono>

#include "sim/nodes/rule_condition.h"
#include "support/device_build.h"
#include "support/scene.h"

namespace tutti::sim {
namespace {

using model::DeviceTaintRule;
using std::chrono::minutes;
using std::chrono::seconds;
using test::Scene;
using test::Stage;

model::Toleration tolerates_for(std::optional<std::int64_t> time) {
  model::Toleration toleration;
  toleration.op = model::Toleration::Operator::exists;
  toleration.toleration_seconds = time;
  return toleration;
}

// Runs on node n and uses a claim of its own name, which holds the device.
void add_user(Scene& scene, const std::string& name, const std::string& device,
              std::vector<model::Toleration> tolerations = {}) {
  const auto uses = [&](model::PodSpec& spec) { spec.resource_claims = {{"g", name, {}}}; };
  auto pod = std::make_shared<model::Pod>(*test::pod(name).on("n").with(uses).build());
  pod->status.phase = model::PodPhase::running;
  pod->meta.uid = "uid-" + name;
  auto claim = std::make_shared<model::ResourceClaim>(
      *test::claim(name).request("r", test::wish("gpu")).build());
  model::DeviceResult result;
  result.request = "r";
  result.driver = test::kDriver;
  result.pool = "p";
  result.device = device;
  result.tolerations = std::move(tolerations);
  claim->allocation.emplace().results = {result};
  claim->reserved_for = {{{}, "pods", name, pod->meta.uid}};
  scene.add(claim).add(pod);
}

std::shared_ptr<DeviceTaintRule> rule(std::string name, std::string effect,
                                      std::optional<std::string> device = {}) {
  auto made = std::make_shared<DeviceTaintRule>();
  made->api_version = model::kResourceV1;
  made->meta.name = std::move(name);
  made->selector.emplace().device = std::move(device);
  made->taint = {"example.com/ecc", "", std::move(effect), {}};
  return made;
}

Scene cluster() {
  Scene scene;
  scene.add(test::node("n").build());
  scene.add(test::slice("s", "p", "n", {test::device("g0"), test::device("g1")}));
  return scene;
}

bool leaves(const Stage& stage, const std::string& name) {
  return stage.pod(name)->meta.deletion.has_value();
}

std::string condition_of(const Stage& stage, const std::string& name) {
  const auto found = stage.world->store().find<DeviceTaintRule>({}, name);
  const auto* said = model::find(found->conditions, kEvictionInProgress);
  return said ? said->status + " " + said->reason + ": " + said->message : "";
}

TEST(DeviceTaintEviction, endsUsersOfTheTaintedDeviceOnly) {
  Scene scene = cluster();
  add_user(scene, "a", "g0");
  add_user(scene, "b", "g1");
  scene.add(rule("broken", "NoExecute", "g0"), {{"at", "5m"}});
  Stage stage(scene);
  (void)stage.run(minutes(5) - Millis(1));
  EXPECT_FALSE(leaves(stage, "a"));
  (void)stage.run(minutes(5));
  EXPECT_TRUE(leaves(stage, "a"));
  EXPECT_FALSE(leaves(stage, "b"));
  const auto* said = model::find(stage.pod("a")->status.conditions, "DisruptionTarget");
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->reason, "DeletionByDeviceTaintManager");
  EXPECT_EQ(condition_of(stage, "broken"), "False Completed: 1 pod evicted");
}

TEST(DeviceTaintEviction, waitsAsLongAsTheAllocationToleratesIt) {
  Scene scene = cluster();
  add_user(scene, "a", "g0", {tolerates_for(120), tolerates_for(60)});
  add_user(scene, "b", "g1", {tolerates_for(60), tolerates_for({})});
  scene.add(rule("broken", "NoExecute"), {{"at", "5m"}});
  Stage stage(scene);
  (void)stage.run(minutes(6) - Millis(1));
  EXPECT_FALSE(leaves(stage, "a"));
  EXPECT_EQ(condition_of(stage, "broken"),
            "True PodsPendingEviction: 1 pod in 1 namespace to go, 0 pods evicted");
  (void)stage.run(minutes(6));
  EXPECT_TRUE(leaves(stage, "a"));
  (void)stage.run();
  EXPECT_FALSE(leaves(stage, "b")) << "one toleration is for ever";
}

TEST(DeviceTaintEviction, countsFromWhenTheTaintWasAdded) {
  Scene scene = cluster();
  add_user(scene, "a", "g0", {tolerates_for(120)});
  auto old = rule("broken", "NoExecute");
  old->taint.added = kEpoch + minutes(4);
  scene.add(old, {{"at", "5m"}});
  Stage stage(scene);
  (void)stage.run(minutes(6) - Millis(1));
  EXPECT_FALSE(leaves(stage, "a"));
  (void)stage.run(minutes(6));
  EXPECT_TRUE(leaves(stage, "a"));
}

TEST(DeviceTaintEviction, sparesThoseWhoseTaintGoesInTime) {
  Scene scene = cluster();
  add_user(scene, "a", "g0", {tolerates_for(120)});
  scene.add(rule("broken", "NoExecute"), {{"at", "5m"}, {"delete-at", "6m"}});
  Stage stage(scene);
  (void)stage.run();
  EXPECT_FALSE(leaves(stage, "a"));
}

TEST(DeviceTaintEviction, ofARuleWithoutEffectIsOnlyCounted) {
  Scene scene = cluster();
  add_user(scene, "a", "g0");
  add_user(scene, "b", "g1", {tolerates_for({})});
  scene.add(rule("rehearsal", "None"), {{"at", "5m"}});
  scene.add(rule("closed", "NoSchedule"), {{"at", "5m"}});
  Stage stage(scene);
  (void)stage.run();
  EXPECT_FALSE(leaves(stage, "a"));
  EXPECT_EQ(condition_of(stage, "rehearsal"),
            "False NoEffect: selects 2 devices on offer; with NoExecute, 1 pod in 1 namespace "
            "would have to go");
  EXPECT_EQ(condition_of(stage, "closed"), "False OtherEffect: only NoExecute ends pods");
}

TEST(DeviceTaintEviction, knowsTaintsOfTheNewestGenerationOfAPool) {
  Scene scene = cluster();
  add_user(scene, "a", "g0");
  auto stale = std::make_shared<model::ResourceSlice>(
      *test::slice("old", "p", "n", {test::device("g0").taint("k", "NoExecute")}));
  stale->generation = 0;
  scene.add(stale);
  auto fresh = std::make_shared<model::ResourceSlice>(*test::slice(
      "s", "p", "n", {test::device("g0").taint("k", "NoExecute"), test::device("g1")}));
  scene.add(fresh, {{"at", "5m"}});
  Stage stage(scene);
  (void)stage.run(minutes(5) - Millis(1));
  EXPECT_FALSE(leaves(stage, "a"));
  (void)stage.run(minutes(5));
  EXPECT_TRUE(leaves(stage, "a"));
}

}  // namespace
}  // namespace tutti::sim
