#include "wire/schema/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/reader.h"

namespace tutti::wire {
namespace {

// "3: metadata.lables: unknown field, did you mean labels?", one for each stray of the document.
std::vector<std::string> strays(const std::string& text, const Schema& schema) {
  std::vector<std::string> lines;
  const Status status = read_documents(text, [&](Document&& document) {
    for (const Stray& stray : schema.strays_in(document.root())) {
      lines.push_back(fmt::format("{}: {}: {}", stray.line, stray.path, stray.message));
    }
    return ok_status();
  });
  EXPECT_TRUE(status.ok());
  return lines;
}
std::vector<std::string> strays(const std::string& text) {
  return strays(text, Schema::of_the_api());
}
using Lines = std::vector<std::string>;

TEST(Schema, namesMisspeltFieldsWithTheirLineAndWhatWasMeant) {
  EXPECT_EQ(strays("apiVersion: v1\nkind: Node\nmetadata: {name: n1,\n  lables: {gpu: h100}}"),
            Lines{"4: metadata.lables: unknown field, did you mean labels?"});
  EXPECT_EQ(strays(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g}
spec:
  schedulingPolicy: {gang: {minCont: 3}}
  schedulingConstraint: {topology: [{key: rack}]}
)"),
            (Lines{"6: spec.schedulingPolicy.gang.minCont: unknown field, did you mean minCount?",
                   "7: spec.schedulingConstraint: unknown field, did you mean "
                   "schedulingConstraints?"}));
  EXPECT_EQ(strays(R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  schedulngGroup: {podGroupName: g}
  toleration: [{operator: Exists}]
  containers:
  - {name: c, resources: {requests: {cpu: "1"}}}
  - {name: d, resources: {request: {cpu: "9"}}}
)"),
            (Lines{"6: spec.schedulngGroup: unknown field, did you mean schedulingGroup?",
                   "7: spec.toleration: unknown field, did you mean tolerations?",
                   "10: spec.containers[1].resources.request: unknown field, did you mean "
                   "requests?"}));
}

TEST(Schema, findsAFieldThatIsOneLevelTooDeep) {
  EXPECT_EQ(strays(R"({apiVersion: v1, kind: Pod, metadata: {name: p},
                      spec: {containers: [{name: c, nodeSelector: {a: b}}]}})"),
            Lines{"2: spec.containers[0].nodeSelector: unknown field; did you mean "
                  "spec.nodeSelector?"});
  EXPECT_EQ(strays("{apiVersion: v1, kind: Pod, spec: {zzz: 1}}"),
            Lines{"1: spec.zzz: unknown field"});
}

TEST(Schema, looksIntoTemplatesOfAllKinds) {
  const std::string pod = "{spec: {containers: [{name: c, imagee: i}]}}";
  const struct {
    std::string type;
    std::string path;
    std::string spec;
  } cases[] = {
      {"batch/v1, kind: Job", "spec.template", "template: " + pod},
      {"batch/v1, kind: CronJob", "spec.jobTemplate.spec.template",
       "jobTemplate: {spec: {template: " + pod + "}}"},
      {"apps/v1, kind: DaemonSet", "spec.template", "template: " + pod},
      {"jobset.x-k8s.io/v1alpha2, kind: JobSet", "spec.replicatedJobs[0].template.spec.template",
       "replicatedJobs: [{new: 1, template: {spec: {template: " + pod + "}}}]"},
      {"kubeflow.org/v1, kind: PyTorchJob", "spec.pytorchReplicaSpecs.Worker.template",
       "new: 1, pytorchReplicaSpecs: {Worker: {template: " + pod + "}}"},
      {"ray.io/v1, kind: RayCluster", "spec.workerGroupSpecs[0].template",
       "workerGroupSpecs: [{template: " + pod + "}]"},
      {"batch.volcano.sh/v1alpha1, kind: Job", "spec.tasks[0].template",
       "tasks: [{template: " + pod + "}]"},
  };
  for (const auto& [type, path, spec] : cases) {
    SCOPED_TRACE(type);
    EXPECT_EQ(strays(fmt::format("{{apiVersion: {}, spec: {{{}}}}}", type, spec)),
              Lines{fmt::format("1: {}.spec.containers[0].imagee: unknown field, did you mean "
                                "image?",
                                path)});
  }
}

TEST(Schema, knowsTheKindsOfAGroup) {
  EXPECT_EQ(strays("{apiVersion: v1, kind: Nod}"),
            Lines{"1: kind: v1 has no kind Nod; did you mean Node?"});
  EXPECT_EQ(strays("{apiVersion: v1, kind: Ingress}"),
            Lines{"1: kind: v1 has no kind Ingress; extensions has one"});
  EXPECT_EQ(strays("{apiVersion: batch/v1, kind: Xyzzy}"),
            Lines{"1: kind: batch/v1 has no kind Xyzzy"});
  for (const auto* known :
       {"{apiVersion: v1, kind: ConfigMap, data: {a: b}}", "{apiVersion: v1, kind: SecretList}",
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {any: 1}}",
        "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, spec: {any: 1}}",
        "{apiVersion: example.com/v1, kind: Foo}", "{kind: Foo}", "{apiVersion: v1}", "[]"}) {
    EXPECT_EQ(strays(known), Lines{}) << known;
  }
}

TEST(Schema, leavesAloneWhatHasNoFieldsOfItsOwn) {
  EXPECT_EQ(strays(R"(
apiVersion: v1
kind: Pod
metadata:
  labels: {any: thing}
  managedFields: [{fieldsV1: {"f:metadata": {"f:labels": {}}}}]
spec:
  nodeSelector: {any: thing}
  overhead: {cpu: 1m}
  containers:
  - name: c
    resources: {limits: {example.com/gpu: 1}}
    livenessProbe: {httpGet: {port: http, httpHeaders: [{name: a, value: b}]}}
    securityContext: {capabilities: {add: [NET_ADMIN]}}
    env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
  volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: p}}]}}]
)"),
            Lines{});
}

TEST(Schema, readsTablesWithMapsAndOpenTypes) {
  constexpr std::string_view kTable = R"(
version v1
kinds A
A: b:*B open:Open
    opaque
B: c
Open: b:B ...
)";
  const Schema schema(std::vector{kTable});
  EXPECT_EQ(strays("{apiVersion: v1, kind: A}", schema).size(), 2U) << "it has no such fields";
  EXPECT_EQ(strays(R"({apiVersion: v1, kind: A, b: {x/y: {c: 1, d: 1}},
                      open: {any: 1, b: [{c: 1}, {d: 1}]}, opaque: {any: 1}})",
                   schema),
            (Lines{"1: apiVersion: unknown field", "1: kind: unknown field",
                   "1: b[x/y].d: unknown field", "2: open.b[1].d: unknown field"}));
}

}  // namespace
}  // namespace tutti::wire
