#include "sim/world.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "model/apps.h"
#include "model/cluster.h"
#include "model/storage.h"
#include "sim/controllers/volume_binder.h"
#include "sim/run.h"
#include "support/scene.h"

namespace tutti::sim {
namespace {

using model::PodPhase;
using std::chrono::minutes;
using std::chrono::seconds;
using test::node;
using test::pod;
using test::pod_group;
using test::Scene;
using test::Stage;

std::string status_of(const std::vector<model::Condition>& conditions, std::string_view type) {
  const auto* found = model::find(conditions, type);
  return found ? found->status : "";
}

template <typename Edit>
std::shared_ptr<model::Pod> edited(const std::shared_ptr<const model::Pod>& built, Edit edit) {
  auto made = std::make_shared<model::Pod>(*built);
  edit(*made);
  return made;
}

// --- life of a pod -------------------------------------------------------------------------------

TEST(World, runsABoundPodAtOnce) {
  Stage stage(Scene().add(node("n").build()).add(pod("a").cpu("1").build()));
  EXPECT_EQ(stage.run().ending, RunResult::Ending::quiet);
  const auto a = stage.pod("a");
  EXPECT_EQ(a->node_name, "n");
  EXPECT_EQ(a->status.phase, PodPhase::running);
  EXPECT_EQ(a->status.start_time, kEpoch);
  for (const auto* type : {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
    EXPECT_EQ(status_of(a->status.conditions, type), "True") << type;
  }
}

TEST(World, endsPodsWhenTheirAnnotationsOrDeadlineSaySo) {
  const auto deadline = [](model::PodSpec& spec) { spec.active_deadline_seconds = 60; };
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(pod("done").build(), {{"runs-for", "10m"}})
                  .add(pod("broken").build(), {{"fails-after", "5m"}, {"runs-for", "10m"}})
                  .add(pod("slow").with(deadline).build(), {{"runs-for", "10m"}}));
  EXPECT_EQ(stage.run().ended_at, kEpoch + minutes(10));
  EXPECT_EQ(stage.pod("done")->status.phase, PodPhase::succeeded);
  EXPECT_EQ(status_of(stage.pod("done")->status.conditions, "Ready"), "False");
  EXPECT_EQ(stage.pod("broken")->status.phase, PodPhase::failed);
  EXPECT_EQ(stage.pod("slow")->status.reason, "DeadlineExceeded");
}

TEST(World, deletesARunningPodAfterItsGracePeriodAndAPendingOneAtOnce) {
  const auto grace = [](model::PodSpec& spec) { spec.termination_grace_seconds = 20; };
  Stage stage(Scene()
                  .add(node("n").cpu("1").build())
                  .add(pod("a").cpu("1").with(grace).build(), {{"delete-at", "1m"}})
                  .add(pod("b").cpu("9").build(), {{"delete-at", "1m"}}));
  (void)stage.run(minutes(1));
  EXPECT_EQ(stage.pod("b"), nullptr);
  ASSERT_NE(stage.pod("a"), nullptr);
  EXPECT_EQ(stage.pod("a")->meta.deletion, kEpoch + seconds(80));
  EXPECT_EQ(stage.run().ended_at, kEpoch + seconds(80));
  EXPECT_EQ(stage.pod("a"), nullptr);
}

TEST(World, keepsTheStatusOfBoundPodsAndDropsThatOfOthersThatHaveNotEnded) {
  auto running = std::make_shared<model::Pod>(*pod("old").on("n").build());
  running->status.phase = PodPhase::running;
  running->status.start_time = kEpoch - minutes(5);
  auto refused = std::make_shared<model::Pod>(*pod("new").cpu("99").gate("wait").build());
  refused->status.nominated_node = "n";
  Stage stage(Scene().add(node("n").build()).add(running).add(refused));
  (void)stage.run();
  EXPECT_EQ(stage.pod("old")->status.start_time, kEpoch - minutes(5));
  EXPECT_EQ(stage.pod("new")->status.nominated_node, "");
}

TEST(World, countsWhatPodsOfACopyHaveRunAlready) {
  const Instant taken = kEpoch + std::chrono::hours(7000);
  const auto started = [&](model::Pod& pod) {
    pod.status.phase = PodPhase::running;
    pod.status.start_time = taken - minutes(50);
  };
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(edited(pod("a").on("n").build(), started), {{"runs-for", "1h"}})
                  .taken(taken));
  EXPECT_EQ(stage.run().ended_at, taken + minutes(10));
  EXPECT_EQ(stage.pod("a")->status.phase, PodPhase::succeeded);
}

TEST(World, endsPodsWhenTheyAreExpectedToUnlessTheySayOtherwise) {
  const auto deadline = [](model::PodSpec& spec) { spec.active_deadline_seconds = 60; };
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(pod("silent").build())
                  .add(pod("bounded").with(deadline).build())
                  .add(pod("long").build(), {{"runs-for", "10m"}})
                  .add(pod("late").build(), {{"at", "2m"}})
                  .add(pod("unknown").build()));
  (void)stage.run(minutes(1) - Millis(1));
  stage.world->expect_ends([](const model::Pod& pod, Instant begin) -> std::optional<Instant> {
    if (pod.meta.name == "unknown") return std::nullopt;
    return begin + minutes(4);
  });
  (void)stage.run(minutes(4));
  EXPECT_EQ(stage.pod("silent")->status.phase, PodPhase::succeeded);
  EXPECT_EQ(stage.pod("bounded")->status.reason, "DeadlineExceeded");
  EXPECT_EQ(stage.pod("late")->status.phase, PodPhase::running);
  (void)stage.run(minutes(6));
  EXPECT_EQ(stage.pod("late")->status.phase, PodPhase::succeeded);
  EXPECT_EQ(stage.pod("long")->status.phase, PodPhase::running);
  (void)stage.run();
  EXPECT_EQ(stage.pod("unknown")->status.phase, PodPhase::running);
}

TEST(World, leavesAPodThatHasEndedAsItIs) {
  const auto ended = [](model::Pod& pod) { pod.status.phase = PodPhase::succeeded; };
  Stage stage(Scene().add(node("n").build()).add(edited(pod("a").build(), ended)));
  (void)stage.run();
  EXPECT_EQ(stage.pod("a")->status.phase, PodPhase::succeeded);
  EXPECT_EQ(stage.pod("a")->node_name, "");
}

TEST(World, keepsACreationTimeAndCountsRunningTimeFromTheArrival) {
  const auto old = [](model::Pod& pod) { pod.meta.created = kEpoch - minutes(60); };
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(edited(pod("a").on("n").build(), old), {{"at", "1m"}, {"runs-for", "5m"}}));
  EXPECT_EQ(stage.run().ended_at, kEpoch + minutes(6));
  EXPECT_EQ(stage.pod("a")->meta.created, kEpoch - minutes(60));
}

TEST(World, takesTheLongestTimesForEver) {
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto patient = [](model::PodSpec& spec) {
    spec.termination_grace_seconds = kMost;
    spec.tolerations.push_back({"", model::Toleration::Operator::exists, "", "NoExecute", kMost});
  };
  Stage stage(Scene()
                  .add(node("n").build(), {{"down-at", "5s"}, {"up-at", "1h"}})
                  .add(pod("stays").with(patient).build())
                  .add(pod("leaves").with(patient).build(), {{"delete-at", "1m"}}));
  EXPECT_EQ(stage.run().ending, RunResult::Ending::quiet);
  EXPECT_EQ(stage.pod("stays")->status.phase, PodPhase::running);
  EXPECT_FALSE(stage.pod("stays")->meta.deletion);
  ASSERT_TRUE(stage.pod("leaves"));
  EXPECT_EQ(stage.pod("leaves")->meta.deletion, kEndOfTime);
}

TEST(World, createsAnObjectAgainWhenItsPredecessorIsGone) {
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(pod("a").cpu("1").build(), {{"delete-at", "1m"}})
                  .add(pod("a").cpu("2").build(), {{"at", "1m10s"}}));
  (void)stage.run();
  EXPECT_EQ(stage.pod("a")->meta.created, kEpoch + seconds(90));
  EXPECT_EQ(stage.pod("a")->status.phase, PodPhase::running);
}

TEST(World, createsNamespacesThatAreOnlyReferredTo) {
  Stage stage(Scene().add(pod("a").build()));
  (void)stage.run();
  const auto made = stage.world->store().find<model::Namespace>("", "t");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(*model::find(made->meta.labels, "kubernetes.io/metadata.name"), "t");
}

// --- changes -------------------------------------------------------------------------------------

TEST(World, appliesLaterDocumentsAndKeepsBindingAndStatus) {
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(pod("a").cpu("1").build())
                  .add(pod("a").cpu("1").label("x", "y").build(), {{"at", "1m"}}));
  (void)stage.run();
  EXPECT_EQ(*model::find(stage.pod("a")->meta.labels, "x"), "y");
  EXPECT_EQ(stage.pod("a")->node_name, "n");
  EXPECT_EQ(stage.pod("a")->status.phase, PodPhase::running);
  EXPECT_EQ(stage.pod("a")->status.start_time, kEpoch);
}

TEST(World, takesWhatANodeOffersFromALaterDocument) {
  Stage stage(Scene()
                  .add(node("n").cpu("1").build())
                  .add(pod("a").cpu("3").build())
                  .add(node("n").cpu("4").build(), {{"at", "1m"}}));
  (void)stage.run();
  EXPECT_EQ(stage.node_of("a"), "n");
  EXPECT_EQ(stage.pod("a")->status.start_time, kEpoch + minutes(1));
  EXPECT_EQ(status_of(stage.node("n")->conditions, "Ready"), "True");
}

// --- nodes ---------------------------------------------------------------------------------------

TEST(World, taintsANodeWhileItIsDown) {
  Stage stage(
      Scene().add(node("n").build(), {{"down-at", "1m"}, {"up-at", "3m"}}).add(pod("a").build()));
  (void)stage.run(minutes(2));
  EXPECT_EQ(status_of(stage.node("n")->conditions, "Ready"), "Unknown");
  EXPECT_EQ(stage.node("n")->taints,
            (std::vector<model::Taint>{{"node.kubernetes.io/unreachable", "", "NoSchedule"},
                                       {"node.kubernetes.io/unreachable", "", "NoExecute"}}));
  (void)stage.run();
  EXPECT_EQ(status_of(stage.node("n")->conditions, "Ready"), "True");
  EXPECT_TRUE(stage.node("n")->taints.empty());
  EXPECT_EQ(stage.pod("a")->meta.deletion, std::nullopt) << "back within the 300 s of tolerance";
}

TEST(World, evictsPodsFromADeadNodeAfterTheirTolerationAndLosesThemWhenItReturns) {
  Stage stage(
      Scene().add(node("n").build(), {{"down-at", "1m"}, {"up-at", "20m"}}).add(pod("a").build()));
  (void)stage.run(minutes(19));
  ASSERT_NE(stage.pod("a"), nullptr) << "nobody on the node can confirm the end";
  EXPECT_EQ(stage.pod("a")->meta.deletion, kEpoch + minutes(6) + seconds(30));
  EXPECT_EQ(status_of(stage.pod("a")->status.conditions, "DisruptionTarget"), "True");
  (void)stage.run();
  EXPECT_EQ(stage.pod("a"), nullptr);
}

TEST(World, startsANodeDownWhenItOnlyComesUp) {
  Stage stage(Scene().add(node("n").build(), {{"up-at", "1m"}}).add(pod("a").build()));
  (void)stage.run();
  EXPECT_EQ(stage.pod("a")->status.start_time, kEpoch + minutes(1));
}

TEST(World, evictsAtOnceWhoeverDoesNotTolerateANewTaint) {
  const model::Toleration tolerates{.key = "drain",
                                    .op = model::Toleration::Operator::exists,
                                    .value = {},
                                    .effect = {},
                                    .toleration_seconds = {}};
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(pod("goes").build())
                  .add(pod("stays").toleration(tolerates).build())
                  .add(node("n").taint("drain", "", "NoExecute").build(), {{"at", "1m"}}));
  EXPECT_EQ(stage.run().ended_at, kEpoch + seconds(90));
  EXPECT_EQ(stage.pod("goes"), nullptr);
  EXPECT_NE(stage.pod("stays"), nullptr);
}

TEST(World, collectsThePodsOfADeletedNode) {
  Stage stage(Scene().add(node("n").build(), {{"delete-at", "1m"}}).add(pod("a").build()));
  EXPECT_EQ(stage.run().ended_at, kEpoch + seconds(100));
  EXPECT_EQ(stage.pod("a"), nullptr);
}

// --- groups --------------------------------------------------------------------------------------

TEST(World, keepsADeletedGroupUntilItsLastPodEnds) {
  Stage stage(Scene()
                  .add(node("n").build())
                  .add(pod_group("g").gang(2).build(), {{"delete-at", "1m"}})
                  .add(pod("a").group("g").build(), {{"runs-for", "2m"}})
                  .add(pod("b").group("g").build(), {{"runs-for", "3m"}}));
  (void)stage.run(minutes(2));
  const auto group = stage.world->store().find<model::PodGroup>("t", "g");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->meta.deletion, kEpoch + minutes(1));
  (void)stage.run();
  EXPECT_EQ(stage.world->store().find<model::PodGroup>("t", "g"), nullptr);
}

// --- the port ------------------------------------------------------------------------------------

struct PortCase : testing::Test {
  PortCase()
      : stage(
            Scene().add(node("n").build()).add(node("m").build()).add(pod("a").gate("x").build())) {
    stage.world->act();
  }
  Status bind(const std::string& name, const std::string& to, const std::string& uid = {}) {
    stage.world->bind({{"t", name, uid}, to, {}});
    EXPECT_TRUE(stage.world->take_completions().empty()) << "outcomes come later";
    stage.world->act();
    auto completions = stage.world->take_completions();
    EXPECT_EQ(completions.size(), 1U);
    return completions.at(0).outcome;
  }
  Stage stage;
};

TEST_F(PortCase, reportsBindsThatCannotBe) {
  EXPECT_EQ(bind("missing", "n").error().code, Error::Code::not_found);
  EXPECT_EQ(bind("a", "missing").error().code, Error::Code::not_found);
  EXPECT_EQ(bind("a", "n", "another uid").error().code, Error::Code::not_found);
  EXPECT_EQ(bind("a", "n").error().code, Error::Code::conflict) << "it is gated";
}

TEST(World, refusesToBindAPodElsewhere) {
  Stage stage(Scene().add(node("n").build()).add(node("m").build()).add(pod("a").build()));
  (void)stage.run();
  ASSERT_EQ(stage.node_of("a"), "m");
  stage.world->bind({{"t", "a", ""}, "n", {}});
  stage.world->bind({{"t", "a", ""}, "m", {}});
  stage.world->act();
  const auto completions = stage.world->take_completions();
  EXPECT_EQ(completions.at(0).outcome.error().code, Error::Code::conflict);
  EXPECT_TRUE(completions.at(1).outcome.ok()) << "it is there already";
}

TEST_F(PortCase, writesAConditionOnceAndMovesItsTimeOnlyWhenItFlips) {
  const auto patch = [&](const char* status, const char* message) {
    stage.world->patch_pod({.pod = {"t", "a", ""},
                            .condition = model::Condition{"X", status, "R", message, {}, 0},
                            .nominated_node = {}});
    return stage.world->store().version();
  };
  const auto first = patch("False", "one");
  EXPECT_EQ(patch("False", "one"), first);
  stage.world->clock().advance_to(kEpoch + seconds(5));
  patch("False", "two");
  EXPECT_EQ(model::find(stage.pod("a")->status.conditions, "X")->last_transition, kEpoch);
  patch("True", "two");
  EXPECT_EQ(model::find(stage.pod("a")->status.conditions, "X")->last_transition,
            kEpoch + seconds(5));
}

TEST_F(PortCase, countsRepeatedEvents) {
  const auto say = [&](const char* message) {
    stage.world->record({stage.pod("a"), "Warning", "FailedScheduling", "Scheduling", message,
                         "default-scheduler"});
  };
  say("no room");
  stage.world->clock().advance_to(kEpoch + seconds(3));
  say("no room");
  say("no node");
  const auto events = stage.world->store().list(model::Kind::event, "t");
  ASSERT_EQ(events.size(), 2U);
  const auto& first = model::as<model::Event>(*events[0]);
  const auto& second = model::as<model::Event>(*events[1]);
  const auto& repeated = first.count == 2 ? first : second;
  EXPECT_EQ(repeated.count, 2);
  EXPECT_EQ(repeated.message, "no room");
  EXPECT_EQ(repeated.first_seen, kEpoch);
  EXPECT_EQ(repeated.last_seen, kEpoch + seconds(3));
}

TEST(World, evictsWithAReasonAndTheGracePeriod) {
  Stage stage(Scene().add(node("n").build()).add(pod("a").build()));
  (void)stage.run();
  stage.world->evict(
      {"t", "a", ""},
      model::Condition{"DisruptionTarget", "True", "PreemptionByScheduler", "", {}, 0});
  EXPECT_EQ(stage.pod("a")->meta.deletion, kEpoch + seconds(30));
  EXPECT_EQ(status_of(stage.pod("a")->status.conditions, "DisruptionTarget"), "True");
  (void)stage.run();
  EXPECT_EQ(stage.pod("a"), nullptr);
}

// --- volumes -------------------------------------------------------------------------------------

std::shared_ptr<model::StorageClass> storage_class(const char* name, bool waits) {
  auto made = std::make_shared<model::StorageClass>();
  made->api_version = "storage.k8s.io/v1";
  made->meta.name = name;
  made->provisioner = "disk.example.com";
  made->wait_for_first_consumer = waits;
  return made;
}
std::shared_ptr<model::PersistentVolumeClaim> claim(const char* name, const char* of_class) {
  auto made = std::make_shared<model::PersistentVolumeClaim>();
  made->api_version = "v1";
  made->meta.name = name;
  made->meta.ns = "t";
  made->access_modes = {"ReadWriteOnce"};
  made->storage_class = of_class;
  made->storage_request = test::quantity("10Gi");
  return made;
}
std::shared_ptr<model::PersistentVolume> volume(const char* name, const char* size) {
  auto made = std::make_shared<model::PersistentVolume>();
  made->api_version = "v1";
  made->meta.name = name;
  made->access_modes = {"ReadWriteOnce"};
  made->storage_class = "now";
  made->capacity = test::quantity(size);
  made->csi_driver = "disk.example.com";
  made->csi_handle = name;
  return made;
}
std::shared_ptr<const model::PersistentVolumeClaim> found_claim(const Stage& stage,
                                                                const char* name) {
  return stage.world->store().find<model::PersistentVolumeClaim>("t", name);
}

TEST(World, bindsAnImmediateClaimToTheSmallestVolumeThatFitsAndProvisionsElse) {
  Stage stage(Scene()
                  .add(storage_class("now", false))
                  .add(volume("large", "50Gi"))
                  .add(volume("small", "5Gi"))
                  .add(volume("fits", "20Gi"))
                  .add(claim("a", "now"))
                  .add(claim("b", "now"))
                  .add(claim("c", "now")));
  (void)stage.run();
  EXPECT_EQ(found_claim(stage, "a")->volume_name, "fits");
  EXPECT_EQ(found_claim(stage, "b")->volume_name, "large");
  const auto made = found_claim(stage, "c")->volume_name;
  EXPECT_EQ(made, "pvc-" + found_claim(stage, "c")->meta.uid);
  const auto provisioned = stage.world->store().find<model::PersistentVolume>("", made);
  EXPECT_EQ(provisioned->claim_name, "c");
  EXPECT_EQ(provisioned->phase, "Bound");
}

TEST(World, provisionsAWaitingClaimOnceANodeIsSelected) {
  Stage stage(Scene().add(storage_class("later", true)).add(claim("a", "later")));
  (void)stage.run();
  ASSERT_EQ(found_claim(stage, "a")->volume_name, "");
  auto selected = std::make_shared<model::PersistentVolumeClaim>(*found_claim(stage, "a"));
  selected->meta.annotations = {{std::string(kSelectedNode), "n"}};
  stage.world->update(selected);
  (void)stage.run();
  EXPECT_EQ(found_claim(stage, "a")->phase, "Bound");
}

TEST(World, completesAPairThatTheSchedulerChose) {
  auto waiting = volume("v", "20Gi");
  waiting->storage_class = "later";
  Stage stage(Scene().add(storage_class("later", true)).add(waiting).add(claim("a", "later")));
  (void)stage.run();
  ASSERT_EQ(found_claim(stage, "a")->volume_name, "");
  auto chosen = std::make_shared<model::PersistentVolume>(
      *stage.world->store().find<model::PersistentVolume>("", "v"));
  chosen->claim_namespace = "t";
  chosen->claim_name = "a";
  stage.world->update(chosen);
  (void)stage.run();
  EXPECT_EQ(found_claim(stage, "a")->volume_name, "v");
  EXPECT_EQ(found_claim(stage, "a")->phase, "Bound");
}

TEST(World, releasesAVolumeAndRemovesAProvisionedOneWithTheirClaims) {
  Stage stage(Scene()
                  .add(storage_class("now", false))
                  .add(volume("kept", "20Gi"))
                  .add(claim("a", "now"), {{"delete-at", "1m"}})
                  .add(claim("b", "now"), {{"delete-at", "1m"}}));
  (void)stage.run();
  const auto& volumes = stage.world->store().objects(model::Kind::persistent_volume);
  ASSERT_EQ(volumes.size(), 1U);
  EXPECT_EQ(model::as<model::PersistentVolume>(**volumes.begin()).phase, "Released");
}

}  // namespace
}  // namespace tutti::sim
