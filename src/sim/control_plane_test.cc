#include "sim/control_plane.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "model/cluster.h"
#include "model/group.h"
#include "model/job.h"
#include "support/scene.h"
#include "wire/decode/decode.h"
#include "wire/reader.h"

namespace tutti::sim {
namespace {

using model::Kind;
using std::chrono::minutes;
using test::node;
using test::Scene;
using test::Stage;

Scene& add_documents(Scene& scene, std::string_view yaml) {
  wire::Decoder decoder;
  const Status status = wire::read_documents(yaml, [&](wire::Document&& document) -> Status {
    TUTTI_ASSIGN(auto object, wire::decode(document.root(), decoder));
    scene.add(object);
    return ok_status();
  });
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return scene;
}

constexpr std::string_view kGang = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: t, annotations: {tutti.dev/delete-at: 1m}}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}
)";

std::size_t count(const Stage& stage, Kind kind) {
  return stage.world->store().objects(kind).size();
}

TEST(ControlPlane, letsAJobTakeItsObjectsWithIt) {
  Scene scene;
  scene.add(node("n").cpu("2").build());
  Stage stage(add_documents(scene, kGang));
  (void)stage.run(minutes(1) - Millis(1));
  EXPECT_EQ(count(stage, Kind::pod), 2U);
  EXPECT_EQ(count(stage, Kind::workload), 1U);
  EXPECT_EQ(count(stage, Kind::pod_group), 1U);
  // The group waits for its pods, which have thirty seconds to end.
  (void)stage.run(minutes(1));
  EXPECT_EQ(count(stage, Kind::workload), 0U);
  EXPECT_EQ(count(stage, Kind::pod_group), 1U);
  EXPECT_EQ(stage.run().ended_at, kEpoch + std::chrono::seconds(90));
  EXPECT_EQ(count(stage, Kind::pod), 0U);
  EXPECT_EQ(count(stage, Kind::pod_group), 0U);
}

std::set<std::pair<std::string, std::string>> made_names(const Stage& stage) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Kind kind : {Kind::pod, Kind::workload, Kind::pod_group, Kind::event}) {
    for (const auto& object : stage.world->store().objects(kind)) {
      names.emplace(object->meta.name, object->meta.uid);
    }
  }
  return names;
}

TEST(ControlPlane, namesWhatItMakesAlikeWhateverElseThereIs) {
  Scene alone;
  alone.add(node("n").cpu("2").build());
  add_documents(alone, kGang);
  Scene crowded = alone;
  add_documents(crowded, "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: a}}");
  Stage first(alone);
  Stage second(crowded);
  (void)first.run(minutes(1) - Millis(1));
  (void)second.run(minutes(1) - Millis(1));
  EXPECT_GT(made_names(first).size(), 4U);
  EXPECT_EQ(made_names(first), made_names(second));
}

TEST(ControlPlane, emptiesANamespaceThatIsDeleted) {
  Scene scene;
  scene.add(node("n").cpu("2").build());
  add_documents(scene,
                "{apiVersion: v1, kind: Namespace, metadata: {name: t, annotations: "
                "{tutti.dev/delete-at: 30s}}}");
  Stage stage(add_documents(scene, kGang));
  (void)stage.run(std::chrono::seconds(40));
  EXPECT_EQ(count(stage, Kind::job), 0U);
  ASSERT_EQ(count(stage, Kind::ns), 1U);
  EXPECT_TRUE((*stage.world->store().objects(Kind::ns).begin())->meta.deletion);
  (void)stage.run();
  EXPECT_EQ(count(stage, Kind::pod), 0U);
  EXPECT_EQ(count(stage, Kind::pod_group), 0U);
  EXPECT_EQ(count(stage, Kind::ns), 0U);
}

TEST(ControlPlane, makesPodsWhenTheirPriorityClassComes) {
  Scene scene;
  scene.add(node("n").cpu("2").build());
  add_documents(scene, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: t}
spec: {template: {spec: {priorityClassName: high, containers: [{name: c}]}}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high, annotations: {tutti.dev/at: 1m}}
value: 7
)");
  Stage stage(scene);
  (void)stage.run(std::chrono::seconds(30));
  EXPECT_EQ(count(stage, Kind::pod), 0U);
  EXPECT_EQ(count(stage, Kind::event), 1U);
  (void)stage.run();
  ASSERT_EQ(count(stage, Kind::pod), 1U);
  const auto& made = model::as<model::Pod>(**stage.world->store().objects(Kind::pod).begin());
  EXPECT_EQ(made.priority, 7);
  EXPECT_EQ(made.spec->restart_policy, "Never");
}

TEST(ControlPlane, refusesTimesInTemplatesWhosePodsAreReplaced) {
  Scene scene;
  add_documents(scene, R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: t}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}, annotations: {tutti.dev/runs-for: 5m}}
    spec: {containers: [{name: c}]}
)");
  const auto script = scene.script();
  ASSERT_FALSE(script.ok());
  EXPECT_EQ(script.error().message,
            "scene.yaml:1: Deployment t/d: "
            "spec.template.metadata.annotations[tutti.dev/runs-for]: is for pods that end; these "
            "are replaced whenever one does");
}

TEST(ControlPlane, refusesNumbersOfPodsThatNoRunMakes) {
  Scene scene;
  add_documents(scene, R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: t}
spec:
  replicas: 2000000000
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: many-completions, namespace: t}
spec: {parallelism: 1, completions: 2000000000, template: {spec: {containers: [{name: c}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: small, namespace: t}
spec: {parallelism: 2000000000, completions: 3, template: {spec: {containers: [{name: c}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: wide, namespace: t}
spec: {parallelism: 1000001, template: {spec: {containers: [{name: c}]}}}
)");
  const auto script = scene.script();
  ASSERT_FALSE(script.ok());
  EXPECT_EQ(script.error().message,
            "scene.yaml:1: Deployment t/d: spec.replicas: 2000000000 pods are more than the "
            "1000000 that a run makes\n"
            "scene.yaml:4: Job t/wide: spec.parallelism: 1000001 pods are more than the 1000000 "
            "that a run makes");
}

TEST(ControlPlane, haltsARunThatMakesPodsWithoutEnd) {
  Scene scene;
  scene.add(node("n").cpu("2").build());
  add_documents(scene, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: t}
spec:
  completions: 2000000000
  template:
    metadata: {annotations: {tutti.dev/runs-for: 1s}}
    spec: {containers: [{name: c}]}
)");
  Stage stage(scene, {.pods_made_max = 10});
  EXPECT_EQ(stage.run(std::chrono::seconds(5)).ending, RunResult::Ending::until);
  const auto result = stage.run();
  EXPECT_EQ(result.ending, RunResult::Ending::halted);
  EXPECT_EQ(result.problem,
            "controllers have made 10 pods, as many as a run makes, and Job t/j wants more; "
            "--until ends the run earlier");
  EXPECT_EQ(result.ended_at, kEpoch + std::chrono::seconds(10));
}

}  // namespace
}  // namespace tutti::sim
