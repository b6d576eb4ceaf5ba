#include "sim/script/script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/cluster.h"
#include "model/job.h"
#include "support/scene.h"

namespace tutti::sim {
namespace {

using test::node;
using test::pod;
using test::pod_group;
using test::Scene;

std::vector<std::string> told(const Script& script) {
  static constexpr const char* kVerbs[] = {"remove", "create", "update"};
  std::vector<std::string> lines;
  for (const auto& action : script.actions) {
    lines.push_back(format_duration(action.at) + " " +
                    kVerbs[static_cast<std::size_t>(action.verb)] + " " +
                    model::describe(action.key));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Script, ordersByTimeKindAndNameAndNotByDocument) {
  Scene scene;
  scene.add(pod("b").group("g").build())
      .add(pod("a").build())
      .add(pod("late").build(), {{"at", "30s"}})
      .add(pod_group("g").gang(1).build())
      .add(node("n").build());
  const Lines expected = {"0s create Node n", "0s create PodGroup t/g", "0s create Pod t/a",
                          "0s create Pod t/b", "30s create Pod t/late"};
  EXPECT_EQ(told(*scene.script()), expected);
  std::ranges::reverse(scene.objects);
  EXPECT_EQ(told(*scene.script()), expected);
}

TEST(Script, makesUpdatesOfLaterDocumentsAndALifeAfterDeletion) {
  Scene scene;
  scene.add(pod("a").gate("x").build(), {{"delete-at", "2m"}})
      .add(pod("a").build(), {{"at", "1m"}})
      .add(pod("a").build(), {{"at", "2m"}});
  EXPECT_EQ(told(*scene.script()), (Lines{"0s create Pod t/a", "1m0s update Pod t/a",
                                          "2m0s remove Pod t/a", "2m0s create Pod t/a"}));
}

TEST(Script, admitsObjectsWithTheirDefaults) {
  const auto script = *Scene().add(pod("a").build()).add(pod_group("g").gang(2).build()).script();
  const auto& group = *script.actions[0].object;
  EXPECT_EQ(group.meta.finalizers,
            std::vector<std::string>{"scheduling.k8s.io/podgroup-protection"});
  const auto& made = model::as<model::Pod>(*script.actions[1].object);
  EXPECT_EQ(made.spec->scheduler_name, "default-scheduler");
  EXPECT_EQ(made.priority, 0);
}

TEST(Script, putsNamespacedObjectsWithoutANamespaceIntoDefault) {
  const auto script = *Scene().add(pod("a").in_namespace("").build()).script();
  EXPECT_EQ(script.actions[0].key.ns, "default");
}

std::string message_of(const Scene& scene) {
  const auto script = scene.script();
  return script.ok() ? "(accepted)" : script.error().message;
}

model::ObjectPtr elastic_job() {
  auto job = std::make_shared<model::Job>();
  job->api_version = "batch/v1";
  job->meta.ns = "t";
  job->meta.name = "j";
  job->parallelism = 4;
  job->pods.spec = pod("a").build()->spec;
  return job;
}

TEST(Script, namesFileLineObjectAndFieldOfWhatIsWrong) {
  struct Case {
    const char* name;
    Scene scene;
    const char* message;
  };
  const Case cases[] = {
      {"bad duration", Scene().add(pod("a").build(), {{"at", "soon"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/at]: must be a duration such as 30s "
       "or 1h30m, is 'soon'"},
      {"negative duration", Scene().add(pod("a").build(), {{"runs-for", "-1s"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/runs-for]: must be a duration such "
       "as 30s or 1h30m, is '-1s'"},
      {"wrong kind", Scene().add(node("n").build(), {{"runs-for", "1s"}}),
       "scene.yaml:1: Node n: metadata.annotations[tutti.dev/runs-for]: is for a Pod only"},
      {"unknown annotation", Scene().add(pod("a").build(), {{"run-for", "1s"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/run-for]: is no annotation of "
       "Tutti's; did you mean tutti.dev/runs-for?"},
      {"annotation unlike any", Scene().add(node("n").build(), {{"something", "1s"}}),
       "scene.yaml:1: Node n: metadata.annotations[tutti.dev/something]: is no annotation of "
       "Tutti's"},
      {"twice at one time", Scene().add(pod("a").build()).add(pod("a").build()),
       "scene.yaml:2: Pod t/a: metadata.name: is taken at the same time by scene.yaml:1"},
      {"deleted before it is created",
       Scene().add(pod("a").build(), {{"at", "2m"}, {"delete-at", "1m"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/delete-at]: must be later than "
       "tutti.dev/at"},
      {"quiet creation", Scene().add(pod("a").build(), {{"quiet", "true"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/quiet]: needs an earlier document of "
       "the same object to change"},
      {"not a count", Scene().add(pod("a").build(), {{"bind-fails", "many"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/bind-fails]: must be a whole number, "
       "is 'many'"},
      {"neither true nor false", Scene().add(pod("a").build(), {{"opportunistic", "yes"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/opportunistic]: must be true or "
       "false, is 'yes'"},
      {"no replicas", Scene().add(pod("a").build(), {{"guaranteed-replicas", "1"}}),
       "scene.yaml:1: Pod t/a: metadata.annotations[tutti.dev/guaranteed-replicas]: is for sets of "
       "replicas: Deployment, StatefulSet, LeaderWorkerSet, InferenceService"},
      {"more than all", Scene().add(elastic_job(), {{"min-parallelism", "5"}}),
       "scene.yaml:1: Job t/j: metadata.annotations[tutti.dev/min-parallelism]: must be from 1 to "
       "the parallelism, 4, is '5'"},
  };
  for (const auto& [name, scene, message] : cases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(message_of(scene), message);
  }
}

TEST(Script, refusesTwoObjectsWithOneUid) {
  const auto with_uid = [](std::string_view name) {
    auto made = std::make_shared<model::Pod>(*pod(std::string(name)).build());
    made->meta.uid = "u-1";
    return made;
  };
  EXPECT_EQ(message_of(Scene().add(with_uid("a")).add(with_uid("b"))),
            "scene.yaml:2: Pod t/b: metadata.uid: is also that of Pod t/a (scene.yaml:1)");
  EXPECT_EQ(message_of(Scene().add(with_uid("a")).add(with_uid("a"), {{"at", "1m"}})),
            "(accepted)");
}

TEST(Script, saysWhatIsWrongOnOneShortLine) {
  const auto text = message_of(Scene().add(pod(std::string(100'000, 'x') + "\x1b\n").build()));
  EXPECT_LT(text.size(), 2000U);
  EXPECT_EQ(text.find_first_of("\x1b\n"), std::string::npos) << text;
  EXPECT_TRUE(
      message_of(Scene().add(pod("").build())).starts_with("scene.yaml:1: Pod t/(no name)"));
}

TEST(Script, refusesUnknownPriorityClassesAndAcceptsThemOnceTheyExist) {
  const auto classed = pod("a").with([](auto& spec) { spec.priority_class_name = "high"; }).build();
  EXPECT_TRUE(message_of(Scene().add(classed)).starts_with("scene.yaml:1: Pod t/a: spec."));
  auto high = std::make_shared<model::PriorityClass>();
  high->api_version = "scheduling.k8s.io/v1";
  high->meta.name = "high";
  high->value = 7;
  const auto script = *Scene().add(classed).add(high).script();
  EXPECT_EQ(model::as<model::Pod>(*script.actions[1].object).priority, 7);
  EXPECT_NE(message_of(Scene().add(classed).add(high, {{"at", "1s"}})), "(accepted)");
}

TEST(Script, looksUpNothingForAPodThatHasEnded) {
  model::Pod ended =
      *pod("a").on("gone").with([](auto& spec) { spec.priority_class_name = "gone"; }).build();
  ended.status.phase = model::PodPhase::succeeded;
  EXPECT_EQ(message_of(Scene().add(std::make_shared<model::Pod>(ended))), "(accepted)");
}

TEST(Script, refusesChangesOfImmutableFields) {
  Scene scene;
  scene.add(pod("a").cpu("1").build()).add(pod("a").cpu("2").build(), {{"at", "1m"}});
  EXPECT_TRUE(message_of(scene).starts_with("scene.yaml:2: Pod t/a: spec")) << message_of(scene);
}

TEST(Script, notesPodsOfNodesThatNeverExist) {
  Scene scene;
  scene.add(pod("early").on("n").build())
      .add(node("n").build(), {{"at", "1s"}})
      .add(pod("lost").on("gone").build());
  const auto script = scene.script();
  ASSERT_TRUE(script.ok());
  EXPECT_EQ(script->notes, Lines{"scene.yaml:3: Pod t/lost: spec.nodeName: there is no Node gone; "
                                 "the pod is kept, but runs nowhere"});
}

TEST(Script, addsToTheProblemsOfReadingOnlyWhatNeedsNoOthers) {
  Scene scene;
  scene.add(pod("a").with([](auto& spec) { spec.priority_class_name = "unread"; }).build())
      .add(pod("B").build());
  Input input{scene.objects, {{"scene.yaml", 1, "scene.yaml:1: PriorityClass unread: value: x"}}};
  const auto script = build_script(input);
  ASSERT_FALSE(script.ok());
  const std::string& text = script.error().message;
  EXPECT_TRUE(
      text.starts_with("scene.yaml:1: PriorityClass unread: value: x\n"
                       "scene.yaml:2: Pod t/B: metadata.name: "))
      << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
}

TEST(Script, listsEveryProblemInDocumentOrder) {
  Scene scene;
  scene.add(pod("b").priority(1).build(), {{"at", "x"}}).add(pod("a").build(), {{"at", "y"}});
  const auto text = message_of(scene);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_TRUE(text.starts_with("scene.yaml:1: Pod t/b"));
}

}  // namespace
}  // namespace tutti::sim
