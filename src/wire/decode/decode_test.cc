#include "wire/decode/decode.h"

#include <gtest/gtest.h>

#include "model/apps.h"
#include "model/cluster.h"
#include "model/group.h"
#include "model/node.h"
#include "model/storage.h"
#include "support/wire_text.h"

namespace tutti::wire {
namespace {

TEST(Decode, knowsEveryKindInEveryVersionItIsServedIn) {
  struct Case {
    const char* api_version;
    model::Kind kind;
    const char* spec = "{}";
  };
  constexpr const char* kPolicy = "{schedulingPolicy: {basic: {}}}";
  const Case cases[] = {
      {"v1", model::Kind::node},
      {"v1", model::Kind::pod},
      {"v1", model::Kind::ns},
      {"v1", model::Kind::service},
      {"v1", model::Kind::replication_controller},
      {"v1", model::Kind::persistent_volume_claim},
      {"v1", model::Kind::persistent_volume},
      {"v1", model::Kind::event},
      {"apps/v1", model::Kind::replica_set},
      {"apps/v1", model::Kind::stateful_set},
      {"apps/v1", model::Kind::deployment},
      {"batch/v1", model::Kind::job, "{template: {spec: {containers: []}}}"},
      {"storage.k8s.io/v1", model::Kind::storage_class},
      {"storage.k8s.io/v1", model::Kind::csi_node},
      {"storage.k8s.io/v1", model::Kind::csi_driver},
      {"storage.k8s.io/v1", model::Kind::csi_storage_capacity},
      {"storage.k8s.io/v1", model::Kind::volume_attachment},
      {"policy/v1", model::Kind::pod_disruption_budget},
      {"coordination.k8s.io/v1", model::Kind::lease},
      {"scheduling.k8s.io/v1", model::Kind::priority_class},
      {"scheduling.k8s.io/v1alpha2", model::Kind::workload},
      {"scheduling.k8s.io/v1alpha3", model::Kind::workload},
      {"scheduling.k8s.io/v1beta1", model::Kind::workload},
      {"scheduling.k8s.io/v1alpha2", model::Kind::pod_group, kPolicy},
      {"scheduling.k8s.io/v1alpha3", model::Kind::pod_group, kPolicy},
      {"scheduling.k8s.io/v1beta1", model::Kind::pod_group, kPolicy},
      {"scheduling.k8s.io/v1alpha3", model::Kind::composite_pod_group, kPolicy},
  };
  for (const Case& c : cases) {
    const std::string text = std::string("{apiVersion: ") + c.api_version +
                             ", kind: " + std::string(model::facts(c.kind).name) +
                             ", metadata: {name: x}, spec: " + c.spec + "}";
    SCOPED_TRACE(text);
    Decoder decoder;
    const auto object = try_decode(text, decoder);
    ASSERT_TRUE(object.ok()) << object.error().message;
    EXPECT_EQ((*object)->kind, c.kind);
    EXPECT_EQ((*object)->api_version, c.api_version);
    EXPECT_EQ((*object)->meta.name, "x");
  }
}

TEST(Decode, keepsAKindItDoesNotKnow) {
  const auto object = decode_as<model::OtherObject>(R"(
apiVersion: example.com/v2
kind: Gadget
metadata: {name: g, namespace: t, labels: {a: b}}
spec: {size: 1.50, parts: [x, null]}
)");
  EXPECT_EQ(object->kind_name, "Gadget");
  EXPECT_EQ(model::describe(*object), "Gadget t/g");
  EXPECT_EQ(*object->document,
            R"({"apiVersion":"example.com/v2","kind":"Gadget","metadata":{"name":"g",)"
            R"("namespace":"t","labels":{"a":"b"}},"spec":{"size":1.50,"parts":["x",null]}})");
}

TEST(Decode, treatsAnotherGroupsNamesakeAsUnknown) {
  const auto object =
      decode_as<model::OtherObject>("{apiVersion: metrics.k8s.io/v1beta1, kind: Node}");
  EXPECT_EQ(object->kind_name, "Node");
}

TEST(Decode, keepsTheDocumentUnlessToldNotTo) {
  constexpr const char* kText = "{apiVersion: v1, kind: Node, metadata: {name: x}, odd: 1}";
  Decoder keeping;
  EXPECT_EQ(*(*try_decode(kText, keeping))->document,
            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"x"},"odd":1})");
  Decoder dropping(Decoder::Documents::dropped);
  EXPECT_EQ((*try_decode(kText, dropping))->document, nullptr);
}

TEST(Decode, readsMetadata) {
  const auto object = decode_as<model::Namespace>(R"(
apiVersion: v1
kind: Namespace
metadata:
  name: n1
  uid: u-1
  resourceVersion: "18446744073709551615"
  generation: 7
  creationTimestamp: 2026-11-15T22:30:00+01:00
  deletionTimestamp: "2026-11-15T21:31:00Z"
  deletionGracePeriodSeconds: 30
  labels: {zone: z, app: a}
  annotations: {k: v}
  finalizers: [f/one, f/two]
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: o, controller: true}
)");
  const model::ObjectMeta& meta = object->meta;
  EXPECT_EQ(meta.uid, "u-1");
  EXPECT_EQ(meta.resource_version, 18446744073709551615U);
  EXPECT_EQ(meta.generation, 7);
  EXPECT_EQ(meta.created, *parse_rfc3339("2026-11-15T21:30:00Z"));
  EXPECT_EQ(meta.deletion, *parse_rfc3339("2026-11-15T21:31:00Z"));
  EXPECT_EQ(meta.deletion_grace_seconds, 30);
  EXPECT_EQ(meta.labels, (model::Labels{{"app", "a"}, {"zone", "z"}}));
  EXPECT_EQ(meta.annotations, (model::Labels{{"k", "v"}}));
  EXPECT_EQ(meta.finalizers, (std::vector<std::string>{"f/one", "f/two"}));
  ASSERT_EQ(meta.owners.size(), 1U);
  EXPECT_EQ(meta.owners[0],
            (model::OwnerReference{"apps/v1", "ReplicaSet", "r", "o", true, false}));
}

TEST(Decode, takesNullForAbsent) {
  const auto object = decode_as<model::Namespace>(
      "{apiVersion: v1, kind: Namespace, metadata: {name: n1, creationTimestamp: null, labels: "
      "null}}");
  EXPECT_FALSE(object->meta.created.has_value());
  EXPECT_TRUE(object->meta.labels.empty());
}

TEST(Decode, namesLineObjectFieldAndProblem) {
  EXPECT_EQ(decode_error(R"(apiVersion: v1
kind: Pod
metadata: {name: a, namespace: t}
spec:
  containers:
  - name: main
    resources:
      requests:
        cpu: abc
)")
                .find("line 9: Pod t/a: spec.containers[0].resources.requests.cpu: "),
            0U);
}

TEST(Decode, rejectsWhatHasTheWrongType) {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"[1]", "line 1: expected an object, found an array"},
      {"{kind: Pod}", "line 1: Pod: apiVersion: required"},
      {"{apiVersion: v1}", "line 1: kind: required"},
      {"{apiVersion: 1, kind: Pod}",
       "line 1: Pod: apiVersion: expected a string, found an integer"},
      {"{apiVersion: v1, kind: Node, metadata: {name: 5}}",
       "line 1: Node: metadata.name: expected a string, found an integer"},
      {"{apiVersion: v1, kind: Node, metadata: []}",
       "line 1: Node: metadata: expected an object, found an array"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {a.b/c: true}}}",
       "line 1: Node n1: metadata.labels[a.b/c]: expected a string, found a boolean"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1, resourceVersion: '1x'}}",
       "line 1: Node n1: metadata.resourceVersion: resource version '1x' is not a number"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1, finalizers: [a, null]}}",
       "line 1: Node n1: metadata.finalizers[1]: expected a string, found null"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {unschedulable: 'true'}}",
       "line 1: Node n1: spec.unschedulable: expected a boolean, found a string"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: {key: a}}}",
       "line 1: Node n1: spec.taints: expected an array, found an object"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {images: [{sizeBytes: '1'}]}}",
       "line 1: Node n1: status.images[0].sizeBytes: expected an integer, found a string"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {images: [{sizeBytes: 1.0}]}}",
       "line 1: Node n1: status.images[0].sizeBytes: expected an integer, found a number"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: {cpu: [1]}}}",
       "line 1: Node n1: status.capacity.cpu: expected a quantity, found an array"},
      {"{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: -1}}}",
       "line 1: Node n1: status.allocatable.cpu: -1 is negative"},
      {"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, "
       "value: 2147483648}",
       "line 1: PriorityClass p: value: 2147483648 does not fit in 32 bits"},
      {"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, "
       "preemptionPolicy: Sometimes}",
       "line 1: PriorityClass p: preemptionPolicy: unknown value 'Sometimes', expected one of "
       "PreemptLowerPriority, Never"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(decode_error(c.text), c.error);
  }
}

TEST(Decode, rejectsTimesThatAreNone) {
  for (const char* time : {"yesterday", "''", "5"}) {
    const std::string text = std::string("{apiVersion: v1, kind: Node, metadata: {name: n1, ") +
                             "creationTimestamp: " + time + "}}";
    SCOPED_TRACE(text);
    EXPECT_EQ(decode_error(text).find("line 1: Node n1: metadata.creationTimestamp: "), 0U);
  }
}

TEST(Decode, saysWhichVersionsOfAKnownKindItUnderstands) {
  struct Case {
    const char* type;
    const char* error;
  };
  const Case cases[] = {
      {"apiVersion: scheduling.k8s.io/v1alpha1, kind: PodGroup",
       "line 1: PodGroup g: apiVersion: PodGroup is not understood in version "
       "scheduling.k8s.io/v1alpha1, only in v1alpha2, v1alpha3, v1beta1"},
      {"apiVersion: scheduling.k8s.io/v1beta1, kind: CompositePodGroup",
       "line 1: CompositePodGroup g: apiVersion: CompositePodGroup is not understood in version "
       "scheduling.k8s.io/v1beta1, only in v1alpha3"},
      {"apiVersion: v2, kind: Pod",
       "line 1: Pod g: apiVersion: Pod is not understood in version v2, only in v1"},
      {"apiVersion: apps/v1, kind: Pod",
       "line 1: Pod g: apiVersion: Pod is not understood in version apps/v1, only in v1"},
      {"apiVersion: storage.k8s.io/v1beta1, kind: StorageClass",
       "line 1: StorageClass g: apiVersion: StorageClass is not understood in version "
       "storage.k8s.io/v1beta1, only in v1"},
      {"apiVersion: scheduling.k8s.io/v1, kind: Workload",
       "line 1: Workload g: apiVersion: Workload is not understood in version "
       "scheduling.k8s.io/v1, only in v1alpha2, v1alpha3, v1beta1"},
      {"apiVersion: kueue.x-k8s.io/v1, kind: Workload",
       "line 1: Workload g: apiVersion: Workload is not understood in version "
       "kueue.x-k8s.io/v1, only in v1beta1, v1beta2"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    EXPECT_EQ(decode_error(std::string("{") + c.type + ", metadata: {name: g}}"), c.error);
  }
}

TEST(Decode, keepsKindsOfOtherGroupsThatHaveTheNameOfAKnownOne) {
  for (const char* version :
       {"scheduling.volcano.sh/v1beta1, kind: PodGroup", "serving.knative.dev/v1, kind: Service",
        "events.k8s.io/v1, kind: Event", "kueue.x-k8s.io/v1beta2, kind: Node"}) {
    SCOPED_TRACE(version);
    const std::string text = std::string("{apiVersion: ") + version + ", metadata: {name: g}}";
    EXPECT_EQ(decode_as<model::OtherObject>(text)->kind, model::Kind::other);
  }
}

TEST(Decode, namesAnObjectAsFarAsItHasAName) {
  EXPECT_EQ(decode_error("{apiVersion: v1, kind: Node, spec: 1}"),
            "line 1: Node: spec: expected an object, found an integer");
  EXPECT_EQ(decode_error("{apiVersion: v1, metadata: {name: x}}"), "line 1: x: kind: required");
}

TEST(Decode, quotesInputOnOneShortLine) {
  const std::string text = decode_error("{apiVersion: v1, kind: Node, metadata: {name: \"" +
                                        std::string(100'000, 'x') + "\\e\\n\"}, spec: 1}");
  EXPECT_LT(text.size(), 1000U);
  EXPECT_EQ(text.find_first_of("\x1b\n"), std::string::npos);
}

std::vector<std::string> names_in(std::string_view text) {
  Document document = document_of(text);
  Decoder decoder;
  std::vector<std::string> names;
  const Status status = for_each_object(document, [&](const Value& item) -> Status {
    TUTTI_ASSIGN(const auto object, decode(item, decoder));
    names.push_back(model::describe(*object));
    return ok_status();
  });
  if (!status.ok()) names.push_back(status.error().message);
  return names;
}

TEST(ForEachObject, unpacksListsInLists) {
  EXPECT_EQ(names_in(R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}}
- apiVersion: v1
  kind: List
  items: [{apiVersion: v1, kind: Node, metadata: {name: b}}]
)"),
            (std::vector<std::string>{"Node a", "Node b"}));
}

TEST(ForEachObject, givesTheItemsOfATypedListTheirType) {
  EXPECT_EQ(names_in("{apiVersion: v1, kind: NodeList, items: [{metadata: {name: a}}]}"),
            (std::vector<std::string>{"Node a"}));
}

TEST(ForEachObject, findsNothingInAnEmptyList) {
  EXPECT_TRUE(names_in("{apiVersion: v1, kind: PodList, items: null}").empty());
  EXPECT_TRUE(names_in("{apiVersion: v1, kind: List, items: []}").empty());
  EXPECT_TRUE(names_in("{apiVersion: v1, kind: List}").empty());
}

TEST(ForEachObject, refusesItemsThatAreNoList) {
  EXPECT_EQ(names_in("{apiVersion: v1, kind: List, items: foo}"),
            std::vector<std::string>{"line 1: List: items: expected an array, found a string"});
}

TEST(ForEachObject, stopsAtTheFirstErrorAndPointsAtItsLine) {
  EXPECT_EQ(names_in(R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}}
- {apiVersion: v1, kind: Node, metadata: {name: b}, spec: 1}
- {apiVersion: v1, kind: Node, metadata: {name: c}}
)"),
            (std::vector<std::string>{
                "Node a", "line 5: Node b: spec: expected an object, found an integer"}));
  EXPECT_EQ(names_in("{apiVersion: v1, kind: List, items: [null]}"),
            (std::vector<std::string>{"line 1: expected an object, found null"}));
}

}  // namespace
}  // namespace tutti::wire
