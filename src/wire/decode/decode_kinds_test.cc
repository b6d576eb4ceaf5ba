// What each kind but Pod says, and what it may not say.
#include <gtest/gtest.h>

#include "model/apps.h"
#include "model/cluster.h"
#include "model/group.h"
#include "model/job.h"
#include "model/node.h"
#include "model/storage.h"
#include "support/wire_text.h"

namespace tutti::wire {
namespace {

TEST(DecodeNode, readsSpecAndStatus) {
  const auto node = decode_as<model::Node>(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
spec: {unschedulable: true, taints: [{key: k, value: v, effect: NoSchedule}]}
status:
  capacity: {cpu: "8", memory: 32Gi}
  allocatable: {cpu: 7500m}
  conditions: [{type: Ready, status: "False", reason: r, lastHeartbeatTime: "2026-01-01T00:00:00Z"}]
  images: [{names: [a, b], sizeBytes: 12345678901}]
  declaredFeatures: [F]
)");
  EXPECT_TRUE(node->unschedulable);
  EXPECT_EQ(node->taints, (std::vector<model::Taint>{{"k", "v", "NoSchedule"}}));
  EXPECT_EQ(model::find(node->capacity, "memory")->units(), std::int64_t{32} << 30);
  EXPECT_EQ(node->allocatable.size(), 1U);
  EXPECT_EQ(model::find(node->allocatable, "cpu")->milli(), 7500);
  EXPECT_EQ(model::find(node->conditions, "Ready")->reason, "r");
  EXPECT_EQ(node->images, (std::vector<model::NodeImage>{{{"a", "b"}, 12345678901}}));
  EXPECT_EQ(node->declared_features, (std::vector<std::string>{"F"}));
}

TEST(DecodeNode, takesCapacityForAllocatableThatIsNotGiven) {
  const auto node = decode_as<model::Node>(
      "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 8}}}");
  EXPECT_EQ(node->allocatable, node->capacity);
  EXPECT_EQ(node->allocatable.size(), 1U);
}

TEST(DecodeStorage, readsAClaim) {
  const auto claim = decode_as<model::PersistentVolumeClaim>(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: ""
  volumeName: v
  volumeMode: Block
  resources: {requests: {storage: 1Gi}}
  selector: {matchLabels: {a: b}}
status: {phase: Bound}
)");
  EXPECT_EQ(claim->access_modes, (std::vector<std::string>{"ReadWriteOnce"}));
  EXPECT_EQ(claim->storage_class, "");
  EXPECT_EQ(claim->volume_name, "v");
  EXPECT_EQ(claim->volume_mode, "Block");
  EXPECT_EQ(claim->storage_request.text(), "1Gi");
  EXPECT_EQ(claim->selector, (model::LabelSelector{{{"a", "b"}}, {}}));
  EXPECT_EQ(claim->phase, "Bound");
}

TEST(DecodeStorage, readsAVolume) {
  const auto volume = decode_as<model::PersistentVolume>(R"(
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadOnlyMany]
  storageClassName: fast
  volumeMode: Filesystem
  claimRef: {namespace: t, name: c, uid: u}
  csi: {driver: d, volumeHandle: h}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: z, operator: Exists}]}]}}
status: {phase: Available}
)");
  EXPECT_EQ(volume->capacity.text(), "1Gi");
  EXPECT_EQ(volume->access_modes, (std::vector<std::string>{"ReadOnlyMany"}));
  EXPECT_EQ(volume->storage_class, "fast");
  EXPECT_EQ(volume->volume_mode, "Filesystem");
  EXPECT_EQ(volume->claim_namespace, "t");
  EXPECT_EQ(volume->claim_name, "c");
  EXPECT_EQ(volume->claim_uid, "u");
  EXPECT_EQ(volume->csi_driver, "d");
  EXPECT_EQ(volume->csi_handle, "h");
  EXPECT_EQ(volume->node_affinity, (std::vector<model::NodeSelectorTerm>{
                                       {{{"z", model::Requirement::Operator::exists, {}}}, {}}}));
  EXPECT_EQ(volume->phase, "Available");
}

TEST(DecodeStorage, readsAClass) {
  const auto storage = decode_as<model::StorageClass>(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: s, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: p
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: z, values: [a, b]}]}]
)");
  EXPECT_EQ(storage->provisioner, "p");
  EXPECT_TRUE(storage->wait_for_first_consumer);
  EXPECT_TRUE(storage->is_default);
  EXPECT_EQ(storage->allowed_topologies,
            (std::vector<model::NodeSelectorTerm>{
                {{{"z", model::Requirement::Operator::in, {"a", "b"}}}, {}}}));
}

TEST(DecodeStorage, readsTheCsiKinds) {
  const auto node = decode_as<model::CsiNode>(
      "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: "
      "[{name: "
      "d, "
      "nodeID: i, topologyKeys: [z], allocatable: {count: 25}}]}}");
  EXPECT_EQ(node->drivers, (std::vector<model::CsiNodeDriver>{{"d", "i", {"z"}, 25}}));
  const auto driver = decode_as<model::CsiDriver>(
      "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d}, spec: "
      "{storageCapacity: "
      "true}}");
  EXPECT_TRUE(driver->storage_capacity);
  const auto capacity = decode_as<model::CsiStorageCapacity>(
      "{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: c}, "
      "storageClassName: s, nodeTopology: {matchLabels: {z: a}}, capacity: 1Gi}");
  EXPECT_EQ(capacity->storage_class, "s");
  EXPECT_EQ(capacity->node_topology, (model::LabelSelector{{{"z", "a"}}, {}}));
  EXPECT_EQ(capacity->capacity->text(), "1Gi");
  EXPECT_FALSE(capacity->maximum_volume_size.has_value());
  const auto attachment = decode_as<model::VolumeAttachment>(
      "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: "
      "{attacher: "
      "d, nodeName: n1, source: {persistentVolumeName: v}}}");
  EXPECT_EQ(attachment->attacher, "d");
  EXPECT_EQ(attachment->node_name, "n1");
  EXPECT_EQ(attachment->volume_name, "v");
}

TEST(DecodeApps, readsSelectors) {
  EXPECT_EQ(decode_as<model::Service>(
                "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {a: b}}}")
                ->selector,
            (model::Labels{{"a", "b"}}));
  EXPECT_EQ(
      decode_as<model::ReplicationController>("{apiVersion: v1, kind: ReplicationController, "
                                              "metadata: {name: s}, spec: {selector: {a: b}}}")
          ->selector,
      (model::Labels{{"a", "b"}}));
  const model::LabelSelector selector{{{"a", "b"}}, {}};
  EXPECT_EQ(
      decode_as<model::ReplicaSet>("{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: s}, "
                                   "spec: {selector: {matchLabels: {a: b}}}}")
          ->selector,
      selector);
  EXPECT_EQ(
      decode_as<model::StatefulSet>("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: "
                                    "s}, spec: {selector: {matchLabels: {a: b}}}}")
          ->selector,
      selector);
}

TEST(DecodeJob, readsSpecTemplateAndStatus) {
  const auto job = decode_as<model::Job>(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  parallelism: 3
  completions: 4
  completionMode: Indexed
  suspend: true
  backoffLimit: 2
  activeDeadlineSeconds: 60
  ttlSecondsAfterFinished: 5
  podReplacementPolicy: Failed
  managedBy: example.com/x
  podFailurePolicy:
    rules:
    - {action: FailJob, onExitCodes: {operator: In, values: [3]}}
    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}
  scheduling:
    schedulingPolicy: {gang: {minCount: 2}}
    schedulingConstraints: {topology: [{key: rack}]}
    disruptionMode: {all: {}}
    resourceClaims: [{name: c, resourceClaimName: d}]
  template:
    metadata: {labels: {a: b}, annotations: {x: z}}
    spec: {priorityClassName: high, containers: [{name: c}]}
status: {active: 1, succeeded: 2, failed: 3, completedIndexes: 0-1, ready: 1}
)");
  EXPECT_EQ(job->parallelism, 3);
  EXPECT_EQ(job->completions, 4);
  EXPECT_TRUE(job->indexed && job->suspend && job->replaces_failed_only);
  EXPECT_EQ(job->backoff_limit, 2);
  EXPECT_EQ(job->active_deadline_seconds, 60);
  EXPECT_EQ(job->ttl_seconds, 5);
  EXPECT_EQ(job->managed_by, "example.com/x");
  ASSERT_EQ(job->failure_rules.size(), 2U);
  EXPECT_TRUE(job->failure_rules[0].conditions.empty());
  EXPECT_EQ(job->failure_rules[1].action, model::PodFailureRule::Action::ignore);
  EXPECT_EQ(job->failure_rules[1].conditions[0].status, "True");
  ASSERT_TRUE(job->scheduling);
  EXPECT_TRUE(job->scheduling->gang);
  EXPECT_EQ(job->scheduling->minimum, 2);
  EXPECT_EQ(job->scheduling->topology_key, "rack");
  EXPECT_EQ(job->scheduling->disruption, model::DisruptionMode::all);
  EXPECT_EQ(job->scheduling->resource_claims.size(), 1U);
  EXPECT_EQ(job->pods.spec->priority_class_name, "high");
  EXPECT_EQ(*model::find(job->pods.labels, "a"), "b");
  EXPECT_EQ(job->status.succeeded, 2);
  EXPECT_EQ(job->status.completed_indexes, "0-1");
  EXPECT_EQ(job->status.terminating, std::nullopt);
}

TEST(DecodeApps, readsReplicasAndTemplate) {
  constexpr std::string_view kText =
      "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {replicas: 2, "
      "podManagementPolicy: Parallel, ordinals: {start: 3}, selector: {}, template: {spec: "
      "{containers: [{name: c}]}}}}";
  const auto set = decode_as<model::StatefulSet>(kText);
  EXPECT_EQ(set->replicas, 2);
  EXPECT_TRUE(set->parallel);
  EXPECT_EQ(set->first_ordinal, 3);
  EXPECT_NE(set->pods.spec, nullptr);
}

TEST(DecodeApps, readsADisruptionBudget) {
  const auto budget = decode_as<model::PodDisruptionBudget>(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b}
spec: {selector: {}, minAvailable: 50%}
status: {disruptionsAllowed: 2, disruptedPods: {p: "2026-01-01T00:00:00Z"}}
)");
  EXPECT_EQ(budget->selector, model::LabelSelector{});
  EXPECT_EQ(budget->min_available, (model::CountOrPercent{50, true}));
  EXPECT_EQ(budget->max_unavailable, std::nullopt);
  EXPECT_EQ(budget->disruptions_allowed, 2);
  EXPECT_EQ(budget->disrupted_pods, (std::vector<std::string>{"p"}));
}

TEST(DecodeCluster, readsPriorityClassEventAndLease) {
  const auto priority = decode_as<model::PriorityClass>(
      "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: -7, "
      "globalDefault: true, preemptionPolicy: Never}");
  EXPECT_EQ(priority->value, -7);
  EXPECT_TRUE(priority->global_default);
  EXPECT_EQ(priority->preemption_policy, model::PreemptionPolicy::never);

  const auto event = decode_as<model::Event>(
      "{apiVersion: v1, kind: Event, metadata: {name: e}, involvedObject: {apiVersion: v1, kind: "
      "Pod, "
      "namespace: t, name: p, uid: u}, type: Warning, reason: FailedScheduling, action: "
      "Scheduling, "
      "message: m, reportingComponent: tutti, firstTimestamp: '2026-01-01T00:00:00Z', count: 4}");
  EXPECT_EQ(event->involved.kind, "Pod");
  EXPECT_EQ(event->involved.ns, "t");
  EXPECT_EQ(event->reason, "FailedScheduling");
  EXPECT_EQ(event->reporting_controller, "tutti");
  EXPECT_TRUE(event->first_seen.has_value());
  EXPECT_FALSE(event->last_seen.has_value());
  EXPECT_EQ(event->count, 4);

  const auto lease = decode_as<model::Lease>(
      "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: "
      "{holderIdentity: h, "
      "leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.123456Z', leaseTransitions: 3}}");
  EXPECT_EQ(lease->holder, "h");
  EXPECT_EQ(lease->duration_seconds, 15);
  EXPECT_EQ(lease->renewed, *parse_rfc3339("2026-01-01T00:00:00.123Z"));
  EXPECT_EQ(lease->transitions, 3);
}

std::string group(std::string_view version, std::string_view spec,
                  std::string_view kind = "PodGroup") {
  return "{apiVersion: scheduling.k8s.io/" + std::string(version) + ", kind: " + std::string(kind) +
         ", metadata: {name: g, namespace: t}, spec: " + std::string(spec) + "}";
}

TEST(DecodeGroup, readsEveryVersionIntoOneForm) {
  model::GroupSpec expected;
  expected.policy = {true, 4};
  expected.topology_key = "rack";
  expected.resource_claims = {{"a", "b", ""}};
  expected.disruption = model::DisruptionMode::all;
  expected.priority_class_name = "high";
  expected.priority = 10;
  const std::string common =
      "schedulingPolicy: {gang: {minCount: 4}}, schedulingConstraints: {topology: [{key: rack}]}, "
      "resourceClaims: [{name: a, resourceClaimName: b}], priorityClassName: high, priority: 10, ";

  const auto old = decode_as<model::PodGroup>(
      group("v1alpha2", "{" + common +
                            "disruptionMode: PodGroup, podGroupTemplateRef: {workload: "
                            "{workloadName: w, podGroupTemplateName: m}}}"));
  EXPECT_EQ(old->spec, expected);
  EXPECT_EQ(old->workload, (model::WorkloadReference{"w", "m"}));

  expected.preemption_policy = model::PreemptionPolicy::never;
  for (const char* version : {"v1alpha3", "v1beta1"}) {
    SCOPED_TRACE(version);
    const auto later = decode_as<model::PodGroup>(
        group(version, "{" + common +
                           "disruptionMode: {all: {}}, preemptionPolicy: Never, workloadRef: "
                           "{workloadName: w, templateName: m}, parentCompositePodGroupName: c}"));
    EXPECT_EQ(later->spec, expected);
    EXPECT_EQ(later->workload, (model::WorkloadReference{"w", "m"}));
    EXPECT_EQ(later->parent, "c");
  }
}

TEST(DecodeGroup, doesNotReadFieldsOfAnotherVersion) {
  const auto old = decode_as<model::PodGroup>(
      group("v1alpha2",
            "{schedulingPolicy: {basic: {}}, workloadRef: {workloadName: w}, "
            "parentCompositePodGroupName: c, preemptionPolicy: 5}"));
  EXPECT_FALSE(old->workload.has_value());
  EXPECT_EQ(old->parent, "");
  EXPECT_EQ(old->spec, model::GroupSpec{});
}

TEST(DecodeGroup, readsStatus) {
  const auto object = decode_as<model::PodGroup>(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g}
spec: {schedulingPolicy: {basic: {}}}
status:
  conditions: [{type: PodGroupInitiallyScheduled, status: "True", observedGeneration: 2}]
  resourceClaimStatuses: [{name: a, resourceClaimName: b}]
)");
  EXPECT_EQ(object->conditions.size(), 1U);
  EXPECT_EQ(object->claim_statuses, (std::vector<model::ClaimStatus>{{"a", "b"}}));
}

TEST(DecodeGroup, readsACompositeGroup) {
  const auto composite = decode_as<model::CompositePodGroup>(group(
      "v1alpha3",
      "{schedulingPolicy: {gang: {minGroupCount: 2}}, disruptionMode: {single: {}}, workloadRef: "
      "{workloadName: w, templateName: m}, parentCompositePodGroupName: r}",
      "CompositePodGroup"));
  EXPECT_EQ(composite->spec.policy, (model::SchedulingPolicy{true, 2}));
  EXPECT_EQ(composite->parent, "r");
}

TEST(DecodeGroup, readsTheTemplatesOfAWorkload) {
  const auto workload = decode_as<model::Workload>(R"(
apiVersion: scheduling.k8s.io/v1beta1
kind: Workload
metadata: {name: w}
spec:
  controllerRef: {apiGroup: batch, kind: Job, name: j}
  compositePodGroupTemplates:
  - name: top
    schedulingPolicy: {gang: {minGroupCount: 2}}
    podGroupTemplates:
    - {name: leaf, schedulingPolicy: {gang: {minCount: 3}}}
    compositePodGroupTemplates:
    - {name: inner, schedulingPolicy: {basic: {}}}
)");
  EXPECT_EQ(workload->controller, (model::ControllerReference{"batch", "Job", "j"}));
  ASSERT_EQ(workload->composites.size(), 1U);
  const model::GroupTemplate& top = workload->composites[0];
  EXPECT_EQ(top.spec.policy, (model::SchedulingPolicy{true, 2}));
  ASSERT_EQ(top.pod_groups.size(), 1U);
  EXPECT_EQ(top.pod_groups[0].spec.policy, (model::SchedulingPolicy{true, 3}));
  ASSERT_EQ(top.composites.size(), 1U);
  EXPECT_EQ(top.composites[0].name, "inner");
}

TEST(DecodeGroup, rejectsUnionsThatDoNotChooseOne) {
  struct Case {
    const char* version;
    const char* spec;
    const char* error;
  };
  const Case cases[] = {
      {"v1beta1", "null", "spec: required"},
      {"v1beta1", "{}", "spec.schedulingPolicy: required"},
      {"v1beta1", "{schedulingPolicy: {}}",
       "spec.schedulingPolicy: exactly one of basic, gang must be set, found none"},
      {"v1alpha2", "{schedulingPolicy: {basic: {}, gang: {minCount: 1}}}",
       "spec.schedulingPolicy: exactly one of basic, gang must be set, found several"},
      {"v1alpha3", "{schedulingPolicy: {gang: {}}}",
       "spec.schedulingPolicy.gang.minCount: required"},
      {"v1alpha3", "{schedulingPolicy: {gang: {minCount: '3'}}}",
       "spec.schedulingPolicy.gang.minCount: expected an integer, found a string"},
      {"v1beta1", "{schedulingPolicy: {basic: true}}",
       "spec.schedulingPolicy.basic: expected an object, found a boolean"},
      {"v1beta1", "{schedulingPolicy: {basic: {}}, disruptionMode: {single: {}, all: {}}}",
       "spec.disruptionMode: exactly one of single, all must be set, found several"},
      {"v1beta1", "{schedulingPolicy: {basic: {}}, disruptionMode: {}}",
       "spec.disruptionMode: exactly one of single, all must be set, found none"},
      {"v1beta1", "{schedulingPolicy: {basic: {}}, disruptionMode: Pod}",
       "spec.disruptionMode: expected an object, found a string"},
      {"v1alpha2", "{schedulingPolicy: {basic: {}}, disruptionMode: {single: {}}}",
       "spec.disruptionMode: expected a string, found an object"},
      {"v1alpha2", "{schedulingPolicy: {basic: {}}, disruptionMode: All}",
       "spec.disruptionMode: unknown value 'All', expected one of Pod, PodGroup"},
      {"v1alpha2", "{schedulingPolicy: {basic: {}}, podGroupTemplateRef: {}}",
       "spec.podGroupTemplateRef.workload: required"},
      {"v1beta1",
       "{schedulingPolicy: {basic: {}}, schedulingConstraints: {topology: [{key: a}, {key: b}]}}",
       "spec.schedulingConstraints.topology: at most one entry is allowed"},
      {"v1beta1", "{schedulingPolicy: {basic: {}}, schedulingConstraints: {topology: [{}]}}",
       "spec.schedulingConstraints.topology[0].key: required"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.spec);
    EXPECT_EQ(decode_error(group(c.version, c.spec)),
              std::string("line 1: PodGroup t/g: ") + c.error);
  }
}

TEST(DecodeGroup, pointsIntoNestedTemplates) {
  EXPECT_EQ(decode_error(group(
                "v1alpha3",
                "{compositePodGroupTemplates: [{name: a, schedulingPolicy: {basic: {}}, "
                "podGroupTemplates: [{name: b, schedulingPolicy: {gang: {minCount: 1}, basic: "
                "{}}}]}]}",
                "Workload")),
            "line 1: Workload t/g: "
            "spec.compositePodGroupTemplates[0].podGroupTemplates[0].schedulingPolicy: "
            "exactly one of basic, gang must be set, found several");
}

TEST(DecodeKinds, rejectFieldsOfTheWrongType) {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x}, spec: {resources: "
       "{requests: {storage: -1Gi}}}}",
       "PersistentVolumeClaim x: spec.resources.requests.storage: -1Gi is negative"},
      {"{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {csi: {driver: 1}}}",
       "PersistentVolume x: spec.csi.driver: expected a string, found an integer"},
      {"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: x}, "
       "volumeBindingMode: "
       "Later}",
       "StorageClass x: volumeBindingMode: unknown value 'Later', expected one of Immediate, "
       "WaitForFirstConsumer"},
      {"{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: x}, spec: {drivers: "
       "[{allocatable: {count: many}}]}}",
       "CSINode x: spec.drivers[0].allocatable.count: expected an integer, found a string"},
      {"{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: x}, spec: "
       "{storageCapacity: "
       "1}}",
       "CSIDriver x: spec.storageCapacity: expected a boolean, found an integer"},
      {"{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: x}, capacity: "
       "{}}",
       "CSIStorageCapacity x: capacity: expected a quantity, found an object"},
      {"{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: x}, spec: "
       "{source: a}}",
       "VolumeAttachment x: spec.source: expected an object, found a string"},
      {"{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {selector: [a]}}",
       "Service x: spec.selector: expected an object, found an array"},
      {"{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: x}, spec: {selector: "
       "{matchLabels: "
       "{a: 1}}}}",
       "ReplicaSet x: spec.selector.matchLabels.a: expected a string, found an integer"},
      {"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x}, status: "
       "{disruptionsAllowed: 9999999999}}",
       "PodDisruptionBudget x: status.disruptionsAllowed: 9999999999 does not fit in 32 bits"},
      {"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x}, spec: "
       "{maxUnavailable: half}}",
       "PodDisruptionBudget x: spec.maxUnavailable: expected a number or a percentage such as "
       "50%, found 'half'"},
      {"{apiVersion: v1, kind: Event, metadata: {name: x}, count: '1'}",
       "Event x: count: expected an integer, found a string"},
      {"{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: x}, spec: "
       "{holderIdentity: "
       "7}}",
       "Lease x: spec.holderIdentity: expected a string, found an integer"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(decode_error(c.text), std::string("line 1: ") + c.error);
  }
}

}  // namespace
}  // namespace tutti::wire
