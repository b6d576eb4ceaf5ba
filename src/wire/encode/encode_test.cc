#include "wire/encode/encode.h"

#include <gtest/gtest.h>

#include "model/cluster.h"
#include "model/group.h"
#include "model/node.h"
#include "model/storage.h"
#include "support/wire_text.h"

namespace tutti::wire {
namespace {

Instant at(std::string_view text) { return *parse_rfc3339(text); }

// Equal as documents: the order of members does not count.
void expect_document(const model::Object& object, std::string_view expected) {
  const std::string text = encode_text(object);
  const Document actual = document_of(text);
  const Document wanted = document_of(expected);
  EXPECT_TRUE(actual.root() == wanted.root()) << "got  " << text << "\nwant " << expected;
}

TEST(Encode, handsAnUntouchedDocumentBack) {
  const char* const documents[] = {
      R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"},"x":1.50})",
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","creationTimestamp":null,)"
      R"("labels":{"b":"1","a":"2"},"managedFields":[{"manager":"m"}]},"spec":{"finalizers":["k"]}})",
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","generation":0},"spec":)"
      R"({"unschedulable":false,"taints":[{"key":"k","effect":"NoSchedule","timeAdded":"t"}]},)"
      R"("status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":)"
      R"("2026-01-01T01:00:00+01:00","lastHeartbeatTime":"x","odd":1}]}})",
      R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":)"
      R"({"claimRef":{"namespace":"t","name":"c","resourceVersion":"7"}}})",
      R"({"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"Workload","metadata":{"name":"w"},)"
      R"("spec":{"podGroupTemplates":[{"name":"a","schedulingPolicy":{"basic":{"odd":1}},"x":[]}]}})",
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":)"
      R"({"renewTime":"2026-01-01T00:00:00.123456Z","strategy":"s"}})",
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":)"
      R"({"fieldPath":"f"},"reportingComponent":"","source":{"component":"c"},"eventTime":null})",
  };
  for (const char* text : documents) {
    SCOPED_TRACE(text);
    Decoder decoder;
    const auto object = try_decode(text, decoder);
    ASSERT_TRUE(object.ok()) << object.error().message;
    EXPECT_EQ(encode_text(**object), text);
  }
}

TEST(Encode, writesMetadataOverTheDocument) {
  const auto object = decode_as<model::Namespace>(
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","uid":"old","finalizers":["x"],)"
      R"("generateName":"g-","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"1",)"
      R"("extra":true}]}})");
  object->meta.uid = "new";
  object->meta.resource_version = 12;
  object->meta.generation = 2;
  object->meta.created = at("2026-01-01T00:00:00Z");
  object->meta.deletion = at("2026-01-01T00:00:30Z");
  object->meta.deletion_grace_seconds = 30;
  object->meta.finalizers.clear();
  object->meta.annotations = {{"tutti.dev/a", "b"}};
  object->meta.owners.push_back({"v1", "K", "p", "2", true, true});
  expect_document(
      *object,
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","uid":"new",)"
      R"("resourceVersion":"12","generation":2,"creationTimestamp":"2026-01-01T00:00:00Z",)"
      R"("deletionTimestamp":"2026-01-01T00:00:30Z","deletionGracePeriodSeconds":30,)"
      R"("annotations":{"tutti.dev/a":"b"},"generateName":"g-","ownerReferences":[)"
      R"({"apiVersion":"v1","kind":"K","name":"o","uid":"1","extra":true},)"
      R"({"apiVersion":"v1","kind":"K","name":"p","uid":"2","controller":true,)"
      R"("blockOwnerDeletion":true}]}})");
}

TEST(Encode, writesAPodsBindingAndStatus) {
  const auto pod = decode_as<model::Pod>(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"image":"i"}]},)"
      R"("status":{"podIP":"1.2.3.4","conditions":[{"type":"Ready","status":"False","odd":1},)"
      R"({"type":"Gone","status":"True"}]}})");
  pod->node_name = "n";
  pod->priority = 5;
  pod->preemption_policy = model::PreemptionPolicy::preempt_lower_priority;
  pod->status.phase = model::PodPhase::running;
  pod->status.start_time = at("2026-01-01T00:00:00Z");
  pod->status.conditions = {{"PodScheduled", "True", "", "", at("2026-01-01T00:00:00Z"), 2},
                            {"Ready", "True", "r", "m", at("2026-01-01T00:00:01Z"), 0}};
  expect_document(
      *pod,
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"image":"i"}],)"
      R"("nodeName":"n","priority":5,"preemptionPolicy":"PreemptLowerPriority",)"
      R"("schedulerName":"default-scheduler"},"status":{"podIP":"1.2.3.4","phase":"Running",)"
      R"("startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"PodScheduled","status":"True",)"
      R"("lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":2},)"
      R"({"type":"Ready","status":"True","reason":"r","message":"m","lastProbeTime":null,)"
      R"("lastTransitionTime":"2026-01-01T00:00:01Z","odd":1}]}})");
}

TEST(Encode, takesBackWhatAPodNoLongerHas) {
  const auto pod = decode_as<model::Pod>(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n",)"
      R"("schedulerName":"s"},"status":{"phase":"Pending","nominatedNodeName":"m","reason":"r"}})");
  pod->node_name.clear();
  pod->status.nominated_node.clear();
  pod->status.reason.clear();
  expect_document(*pod, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},)"
                        R"("spec":{"schedulerName":"s"},"status":{"phase":"Pending"}})");
}

TEST(Encode, leavesOutAModeThatNobodyWrote) {
  for (const char* version : {"v1alpha2", "v1alpha3", "v1beta1"}) {
    SCOPED_TRACE(version);
    const std::string head = std::string(R"({"apiVersion":"scheduling.k8s.io/)") + version +
                             R"(","kind":"PodGroup","metadata":{"name":"g"},"spec":{)";
    const auto group =
        decode_as<model::PodGroup>(head + R"("schedulingPolicy":{"gang":{"minCount":4,"x":1}}}})");
    group->spec.policy.minimum = 3;
    group->spec.priority = 7;
    group->spec.priority_class_name = "high";
    group->conditions = {{std::string(model::scheduled_condition_type(*group)), "True", "Scheduled",
                          "", at("2026-01-01T00:00:00Z"), 1}};
    group->claim_statuses = {{"a", "b"}};
    expect_document(*group,
                    head +
                        R"("schedulingPolicy":{"gang":{"minCount":3,"x":1}},"priority":7,)"
                        R"("priorityClassName":"high"},"status":{"conditions":[{"type":")" +
                        group->conditions[0].type +
                        R"(","status":"True","reason":"Scheduled","message":"",)"
                        R"("lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":1}],)"
                        R"("resourceClaimStatuses":[{"name":"a","resourceClaimName":"b"}]}})");
  }
}

TEST(Encode, keepsASingleModeThatSomebodyWrote) {
  struct Case {
    const char* version;
    const char* mode;
  };
  for (const Case& c : {Case{"v1alpha2", R"("Pod")"}, Case{"v1alpha3", R"({"single":{}})"},
                        Case{"v1beta1", R"({"single":{}})"}}) {
    SCOPED_TRACE(c.version);
    const std::string text = std::string(R"({"apiVersion":"scheduling.k8s.io/)") + c.version +
                             R"(","kind":"PodGroup","metadata":{"name":"g"},"spec":{)" +
                             R"("schedulingPolicy":{"gang":{"minCount":4}},"disruptionMode":)" +
                             c.mode + "}}";
    const auto group = decode_as<model::PodGroup>(text);
    EXPECT_EQ(group->spec.disruption, model::DisruptionMode::single);
    expect_document(*group, text);
  }
}

TEST(Encode, buildsAGroupThatHasNoDocument) {
  model::PodGroup group;
  group.api_version = model::kSchedulingV1Alpha2;
  group.meta.name = "g";
  group.meta.ns = "t";
  group.spec.policy = {true, 2};
  group.spec.topology_key = "rack";
  group.spec.disruption = model::DisruptionMode::all;
  group.spec.resource_claims = {{"a", "", "b"}};
  group.workload = model::WorkloadReference{"w", "m"};
  const std::string head = R"(,"kind":"PodGroup","metadata":{"name":"g","namespace":"t"},"spec":{)"
                           R"("schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":)"
                           R"({"topology":[{"key":"rack"}]},"resourceClaims":[{"name":"a",)"
                           R"("resourceClaimTemplateName":"b"}],)";
  expect_document(group, R"({"apiVersion":"scheduling.k8s.io/v1alpha2")" + head +
                             R"("disruptionMode":"PodGroup","podGroupTemplateRef":{"workload":)"
                             R"({"workloadName":"w","podGroupTemplateName":"m"}}}})");
  group.api_version.clear();
  group.parent = "c";
  expect_document(group, R"({"apiVersion":"scheduling.k8s.io/v1beta1")" + head +
                             R"("disruptionMode":{"all":{}},"workloadRef":{"workloadName":"w",)"
                             R"("templateName":"m"},"parentCompositePodGroupName":"c"}})");
}

TEST(Encode, changesAGroupsModeInPlace) {
  const auto group = decode_as<model::PodGroup>(
      R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"g"},"spec":)"
      R"({"schedulingPolicy":{"basic":{}},"disruptionMode":{"single":{}}}})");
  group->spec.policy = {true, 2};
  group->spec.disruption = model::DisruptionMode::all;
  expect_document(
      *group,
      R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"g"},"spec":)"
      R"({"schedulingPolicy":{"gang":{"minCount":2}},"disruptionMode":{"all":{}}}})");
}

TEST(Encode, buildsAWorkloadThatHasNoDocument) {
  model::Workload workload;
  workload.meta.name = "w";
  workload.controller = model::ControllerReference{"batch", "Job", "j"};
  model::GroupTemplate& main = workload.pod_groups.emplace_back();
  main.name = "main";
  main.spec.policy = {true, 8};
  expect_document(
      workload,
      R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"Workload","metadata":{"name":"w"},"spec":)"
      R"({"controllerRef":{"apiGroup":"batch","kind":"Job","name":"j"},"podGroupTemplates":)"
      R"([{"name":"main","schedulingPolicy":{"gang":{"minCount":8}}}]}})");
}

TEST(Encode, bindsAClaimAndItsVolume) {
  const auto claim = decode_as<model::PersistentVolumeClaim>(
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"x":1}})");
  claim->volume_name = "v";
  claim->storage_class = "";
  claim->phase = "Bound";
  claim->meta.annotations = {{"volume.kubernetes.io/selected-node", "n"}};
  expect_document(*claim,
                  R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c",)"
                  R"("annotations":{"volume.kubernetes.io/selected-node":"n"}},"spec":{"x":1,)"
                  R"("volumeName":"v","storageClassName":""},"status":{"phase":"Bound"}})");

  const char* const free =
      R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"x":1}})";
  const auto volume = decode_as<model::PersistentVolume>(free);
  volume->claim_namespace = "t";
  volume->claim_name = "c";
  volume->claim_uid = "u";
  volume->phase = "Bound";
  const std::string bound =
      R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"x":1,)"
      R"("claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"t","name":"c",)"
      R"("uid":"u"}},"status":{"phase":"Bound"}})";
  expect_document(*volume, bound);

  const auto again = decode_as<model::PersistentVolume>(bound);
  again->claim_namespace = again->claim_name = again->claim_uid = "";
  again->phase = "Released";
  expect_document(*again,
                  R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":)"
                  R"({"x":1},"status":{"phase":"Released"}})");
}

TEST(Encode, writesANodesTaintsAndConditions) {
  const auto node = decode_as<model::Node>(
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"capacity":{"cpu":"1"}}})");
  node->unschedulable = true;
  node->taints = {{"k", "", "NoExecute"}};
  node->conditions = {{"Ready", "False", "", "", at("2026-01-01T00:00:00Z"), 0}};
  expect_document(
      *node,
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"unschedulable":true,)"
      R"("taints":[{"key":"k","effect":"NoExecute"}]},"status":{"capacity":{"cpu":"1"},"conditions":)"
      R"([{"type":"Ready","status":"False","lastHeartbeatTime":null,)"
      R"("lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
}

TEST(Encode, buildsEventsAndLeases) {
  model::Event event;
  event.meta.name = "e";
  event.involved = {"v1", "Pod", "t", "p", "u"};
  event.type = "Normal";
  event.reason = "Scheduled";
  event.action = "Binding";
  event.message = "m";
  event.reporting_controller = "tutti";
  event.first_seen = event.last_seen = at("2026-01-01T00:00:00Z");
  expect_document(event,
                  R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":)"
                  R"({"apiVersion":"v1","kind":"Pod","namespace":"t","name":"p","uid":"u"},)"
                  R"("type":"Normal","reason":"Scheduled","action":"Binding","message":"m",)"
                  R"("reportingComponent":"tutti","firstTimestamp":"2026-01-01T00:00:00Z",)"
                  R"("lastTimestamp":"2026-01-01T00:00:00Z","count":1})");
  model::Lease lease;
  lease.meta.name = "l";
  lease.holder = "h";
  lease.duration_seconds = 15;
  lease.acquired = lease.renewed = at("2026-01-01T00:00:00.250Z");
  lease.transitions = 1;
  expect_document(
      lease, R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},)"
             R"("spec":{"holderIdentity":"h","leaseDurationSeconds":15,)"
             R"("acquireTime":"2026-01-01T00:00:00.250000Z",)"
             R"("renewTime":"2026-01-01T00:00:00.250000Z","leaseTransitions":1}})");
}

}  // namespace
}  // namespace tutti::wire
