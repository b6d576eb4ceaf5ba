// Properties of reading and writing together, over documents grown from one full example per kind
// and version: members left out, list items left out or repeated, unknown members put in.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "model/admission_request.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/group.h"
#include "model/node.h"
#include "model/quota.h"
#include "model/storage.h"
#include "support/wire_text.h"

namespace tutti::wire {
namespace {

constexpr std::string_view kMeta =
    R"("metadata":{"name":"x","namespace":"t","uid":"u","resourceVersion":"5","generation":3,
    "creationTimestamp":"2026-01-01T02:00:00+02:00","deletionTimestamp":"2026-01-01T00:00:00.5Z",
    "deletionGracePeriodSeconds":30,"labels":{"b":"1","a":""},"annotations":{"k":null},
    "finalizers":["f"],"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"1",
    "controller":true}],"managedFields":[{"manager":"m"}]})";
constexpr std::string_view kConditions =
    R"("conditions":[{"type":"A","status":"True","reason":"r","message":"m",
    "lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":4},
    {"type":"B","status":"False","lastProbeTime":null}])";

struct Example {
  std::string_view api_version;
  std::string_view kind;
  std::string_view body;  // CONDITIONS stands for kConditions
};

constexpr std::string_view kGroupStatus =
    R"("status":{CONDITIONS,"resourceClaimStatuses":[{"name":"a","resourceClaimName":"b"}]})";
constexpr std::string_view kLaterGroup =
    R"("spec":{"schedulingPolicy":{"gang":{"minCount":3}},"schedulingConstraints":{"topology":
    [{"key":"rack"}]},"resourceClaims":[{"name":"a","resourceClaimName":"b"},{"name":"c",
    "resourceClaimTemplateName":"d"}],"disruptionMode":{"all":{}},"priorityClassName":"high",
    "priority":9,"preemptionPolicy":"Never","workloadRef":{"workloadName":"w","templateName":"m"},
    "parentCompositePodGroupName":"c"})";
constexpr std::string_view kLaterWorkload =
    R"("spec":{"controllerRef":{"apiGroup":"batch","kind":"Job","name":"j"},"podGroupTemplates":
    [{"name":"a","schedulingPolicy":{"basic":{}},"disruptionMode":{"single":{}}}],
    "compositePodGroupTemplates":[{"name":"b","schedulingPolicy":{"gang":{"minGroupCount":2}},
    "podGroupTemplates":[{"name":"c","schedulingPolicy":{"gang":{"minCount":2}},"priority":1}]}]})";

constexpr std::string_view kQuota =
    R"("resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":
    "cpu","nominalQuota":"4","borrowingLimit":2}]}]}])";
constexpr std::string_view kQueueCounts =
    R"("pendingWorkloads":0,"reservingWorkloads":1,"admittedWorkloads":1,"flavorsReservation":[
    {"name":"f","resources":[{"name":"cpu","total":"3"}]}])";
constexpr std::string_view kPodSets =
    R"("queueName":"q","podSets":[{"count":3,"minCount":2,"template":{"metadata":{"labels":{"a":
    "b"}},"spec":{"containers":[{"name":"c","command":["z"]}]}},"topologyRequest":{"required":
    "rack"}}])";
constexpr std::string_view kWorkloadStatus =
    R"(CONDITIONS,"requeueState":{"count":1,"requeueAt":"2026-01-01T00:00:00Z"},"reclaimablePods":
    [{"name":"main","count":1}],"admissionChecks":[{"name":"a","state":"Later","message":"m",
    "retryCount":1,"podSetUpdates":[{"name":"main","labels":{"a":"b"},"tolerations":[{"key":"k",
    "operator":"Exists"}]}]}],"resourceRequests":[{"name":"main","resources":{"cpu":"1500m"}}],
    "schedulingStats":{"evictions":[{"reason":"Preempted","underlyingCause":"","count":2}]},
    "unhealthyNodes":[{"name":"n1"}],"nominatedClusterNames":["a","b"])";

const std::array kExamples = {
    Example{"example.com/v1", "Gadget",
            R"("spec":{"n":1.500,"big":123456789012345678901234567890})"},
    Example{"v1", "Namespace", R"("status":{"phase":"Active"})"},
    Example{"v1", "Node", R"("spec":{"unschedulable":true,"taints":[{"key":"k","value":"v",
        "effect":"NoSchedule"},{"key":"l","effect":"NoExecute","timeAdded":"t"}]},
        "status":{"capacity":{"cpu":"8","memory":"1.5Gi"},"allocatable":{"cpu":7.5},CONDITIONS,
        "images":[{"names":["i"],"sizeBytes":5}],"declaredFeatures":["F"]})"},
    Example{"v1", "Pod", R"("spec":{"nodeName":"m","priority":5,"preemptionPolicy":"Never",
        "schedulerName":"s","priorityClassName":"c","containers":[{"name":"a","image":"i","resources":
        {"requests":{"cpu":"1e3"},"limits":{"memory":"1Gi"}},"ports":[{"containerPort":80}]}],
        "hostNetwork":true,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
        [{"labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":["b"],"topologyKey":"z"}]}},
        "tolerations":[{"operator":"Exists"}],"volumes":[{"name":"v","csi":{"driver":"d"}}]},
        "status":{"phase":"Running",CONDITIONS,"nominatedNodeName":"q","reason":"r","message":"m",
        "startTime":"2026-01-01T00:00:00Z","podIP":"1.1.1.1","containerStatuses":[{"name":"a",
        "allocatedResources":{"cpu":"1"}}],"extendedResourceClaimStatus":{"requestMappings":[
        {"containerName":"a","resourceName":"x/y","requestName":"r","z":1}],
        "resourceClaimName":"c"}})"},
    Example{"v1", "Service", R"("spec":{"selector":{"a":"b"}})"},
    Example{"v1", "ReplicationController", R"("spec":{"selector":{"a":"b"},"replicas":3})"},
    Example{"apps/v1", "ReplicaSet", R"("spec":{"selector":{"matchLabels":{"a":"b"}}})"},
    Example{"apps/v1", "StatefulSet", R"("spec":{"selector":{"matchExpressions":[{"key":"a",
        "operator":"In","values":["b"]}]}})"},
    Example{"apps/v1", "Deployment", R"("spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
        "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}},
        "strategy":{"type":"Recreate"}},"status":{"replicas":2,"readyReplicas":1,
        "availableReplicas":1})"},
    Example{"batch/v1", "Job", R"("spec":{"parallelism":2,"completions":2,"backoffLimit":1,
        "completionMode":"Indexed","suspend":true,"selector":{"matchLabels":{"u":"1"}},
        "scheduling":{"schedulingPolicy":{"gang":{"minCount":1}},"disruptionMode":{"all":{}}},
        "podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"D"}]}]},
        "template":{"metadata":{"annotations":{"x":"y"}},"spec":{"restartPolicy":"Never",
        "containers":[{"name":"c","command":["z"]}]}}},"status":{"active":1,"ready":0,
        "terminating":0,"uncountedTerminatedPods":{},"completedIndexes":"0",
        "startTime":"2026-01-01T00:00:00Z"})"},
    Example{"v1", "PersistentVolumeClaim", R"("spec":{"accessModes":["ReadWriteOnce"],
        "storageClassName":"","volumeName":"v","volumeMode":"Block","resources":{"requests":
        {"storage":"1Gi"}},"selector":{}},"status":{"phase":"Bound"})"},
    Example{"v1", "PersistentVolume",
            R"("spec":{"capacity":{"storage":"1Gi"},"claimRef":{"name":"c",
        "namespace":"t","uid":"u"},"csi":{"driver":"d","volumeHandle":"h"},"storageClassName":"s",
        "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchFields":[]}]}}},
        "status":{"phase":"Bound"})"},
    Example{"storage.k8s.io/v1", "StorageClass", R"("provisioner":"p",
        "volumeBindingMode":"WaitForFirstConsumer","allowedTopologies":[{"matchLabelExpressions":
        [{"key":"z","values":["a"]}]}])"},
    Example{"storage.k8s.io/v1", "CSINode", R"("spec":{"drivers":[{"name":"d","nodeID":"i",
        "topologyKeys":["z"],"allocatable":{"count":5}}]})"},
    Example{"storage.k8s.io/v1", "CSIDriver", R"("spec":{"storageCapacity":true})"},
    Example{"storage.k8s.io/v1", "CSIStorageCapacity", R"("storageClassName":"s","nodeTopology":{},
        "capacity":"1Gi","maximumVolumeSize":1024)"},
    Example{"storage.k8s.io/v1", "VolumeAttachment", R"("spec":{"attacher":"a","nodeName":"m",
        "source":{"persistentVolumeName":"v"}})"},
    Example{"policy/v1", "PodDisruptionBudget", R"("spec":{"selector":{"matchLabels":{"a":"b"}}},
        "status":{"disruptionsAllowed":1})"},
    Example{"v1", "Event", R"("involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":"t",
        "name":"p","uid":"u","fieldPath":"f"},"type":"Warning","reason":"r","action":"a",
        "message":"m","reportingComponent":"c","firstTimestamp":"2026-01-01T00:00:00Z",
        "lastTimestamp":"2026-01-01T00:00:00Z","count":3,"eventTime":null)"},
    Example{"coordination.k8s.io/v1", "Lease", R"("spec":{"holderIdentity":"h",
        "leaseDurationSeconds":15,"acquireTime":"2026-01-01T00:00:00.123456Z",
        "renewTime":"2026-01-01T00:00:00.000001Z","leaseTransitions":2})"},
    Example{"scheduling.k8s.io/v1", "PriorityClass", R"("value":5,"globalDefault":true,
        "preemptionPolicy":"Never","description":"d")"},
    Example{"scheduling.k8s.io/v1alpha2", "PodGroup", R"("spec":{"schedulingPolicy":{"gang":
        {"minCount":3}},"disruptionMode":"PodGroup","priority":9,"podGroupTemplateRef":{"workload":
        {"workloadName":"w","podGroupTemplateName":"m"}}},GROUP_STATUS)"},
    Example{"scheduling.k8s.io/v1alpha3", "PodGroup", "LATER_GROUP,GROUP_STATUS"},
    Example{"scheduling.k8s.io/v1beta1", "PodGroup", "LATER_GROUP,GROUP_STATUS"},
    Example{"scheduling.k8s.io/v1alpha3", "CompositePodGroup",
            R"("spec":{"schedulingPolicy":{"gang":
        {"minGroupCount":3}},"disruptionMode":{"single":{}},"workloadRef":{"workloadName":"w",
        "templateName":"m"},"parentCompositePodGroupName":"c"},"status":{CONDITIONS})"},
    Example{"scheduling.k8s.io/v1alpha2", "Workload", R"("spec":{"podGroupTemplates":[{"name":"a",
        "schedulingPolicy":{"gang":{"minCount":3}},"disruptionMode":"Pod"}]})"},
    Example{"scheduling.k8s.io/v1alpha3", "Workload", "LATER_WORKLOAD"},
    Example{"scheduling.k8s.io/v1beta1", "Workload", "LATER_WORKLOAD"},
    Example{"resource.k8s.io/v1", "DeviceClass",
            R"("spec":{"selectors":[{"cel":{"expression":"true"}}],
        "config":[{"opaque":{"driver":"d","parameters":{"a":[1,null]}}}],"extendedResourceName":"x/y"})"},
    Example{"resource.k8s.io/v1", "ResourceClaim",
            R"("spec":{"devices":{"requests":[{"name":"a","exactly":
        {"deviceClassName":"c","selectors":[{"cel":{"expression":"true"}}],"allocationMode":"ExactCount",
        "count":2,"tolerations":[{"operator":"Exists"}],"capacity":{"requests":{"m":"1Gi"}}}},{"name":"b",
        "firstAvailable":[{"name":"x","deviceClassName":"c"}]}],"constraints":[{"matchAttribute":"d/a"}]}},
        "status":{"allocation":{"devices":{"results":[{"request":"a","driver":"d","pool":"p","device":"g",
        "shareID":"s","consumedCapacity":{"m":"1024Mi"},"extra":1}],"config":[{"source":"FromClaim",
        "opaque":{"driver":"d","parameters":{"k":"v"}}}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":
        [{"key":"metadata.name","operator":"In","values":["n"]}]}]},"allocationTimestamp":
        "2026-01-01T00:00:00Z"},"reservedFor":[{"resource":"pods","name":"p","uid":"u"}],"devices":[{"driver":
        "d","pool":"p","device":"g","data":{"x":1}}]})"},
    Example{"resource.k8s.io/v1beta1", "ResourceClaim",
            R"("spec":{"devices":{"requests":[{"name":"a",
        "deviceClassName":"c","count":2}]}})"},
    Example{"resource.k8s.io/v1beta2", "ResourceClaimTemplate",
            R"("spec":{"metadata":{"labels":{"a":"b"}},
        "spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c"}}]}}})"},
    Example{"resource.k8s.io/v1", "ResourceSlice",
            R"("spec":{"driver":"d","pool":{"name":"p","generation":3,
        "resourceSliceCount":2},"nodeName":"n","devices":[{"name":"g","attributes":{"a":{"int":1},"b":{"version":
        "1.0.0"}},"capacity":{"m":{"value":"1Gi","requestPolicy":{"default":"1","validRange":{"min":"1"}}}},
        "consumesCounters":[{"counterSet":"s","counters":{"x":{"value":"1"}}}],"taints":[{"key":"k","effect":
        "NoExecute"}]}]})"},
    Example{"resource.k8s.io/v1", "DeviceTaintRule",
            R"("spec":{"deviceSelector":{"driver":"d"},"taint":{"key":
        "k","effect":"NoSchedule"}},"status":{CONDITIONS})"},
    Example{"kueue.x-k8s.io/v1beta2", "ResourceFlavor", R"("spec":{"nodeLabels":{"a":"b"},
        "nodeTaints":[{"key":"k","effect":"NoSchedule"}],"tolerations":[{"operator":"Exists"}],
        "topologyName":"t"})"},
    Example{"kueue.x-k8s.io/v1beta2", "ClusterQueue",
            R"("spec":{"cohortName":"c","stopPolicy":"Hold",QUOTA,"namespaceSelector":{}},
        "status":{CONDITIONS,QUEUE_COUNTS,"flavorsUsage":[{"name":"f","resources":[{"name":"cpu",
        "total":"1.5","borrowed":"500m"}]}],"fairSharing":{"weightedShare":7}})"},
    Example{"kueue.x-k8s.io/v1beta1", "ClusterQueue",
            R"("spec":{"cohort":"c","flavorFungibility":{"whenCanBorrow":"Borrow"},QUOTA,
        "admissionChecks":["a"]},"status":{CONDITIONS,QUEUE_COUNTS,
        "pendingWorkloadsStatus":{"lastChangeTime":"2026-01-01T00:00:00Z"}})"},
    Example{"kueue.x-k8s.io/v1beta2", "Cohort",
            R"("spec":{"parentName":"p",QUOTA},"status":{"fairSharing":{"weightedShare":0}})"},
    Example{"kueue.x-k8s.io/v1alpha1", "Cohort", R"("spec":{"parent":"p"})"},
    Example{"kueue.x-k8s.io/v1beta2", "LocalQueue",
            R"("spec":{"clusterQueue":"c","fairSharing":{"weight":"2"}},"status":{CONDITIONS,
        QUEUE_COUNTS,"flavorsUsage":[{"name":"f","resources":[{"name":"cpu","total":2}]}],
        "fairSharing":{"weightedShare":1,"admissionFairSharingStatus":{"consumedResources":
        {"cpu":1.50},"lastUpdate":"2026-01-01T00:00:00Z"}}})"},
    Example{"kueue.x-k8s.io/v1beta1", "LocalQueue",
            R"("spec":{"clusterQueue":"c"},"status":{QUEUE_COUNTS,"flavorUsage":[{"name":"f",
        "resources":[{"name":"cpu","total":"2"}]}],"flavors":[{"name":"f"}]})"},
    Example{"kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass", R"("value":5,"description":"d")"},
    Example{"kueue.x-k8s.io/v1beta2", "AdmissionCheck",
            R"("spec":{"controllerName":"c","parameters":{"apiGroup":"g","kind":"K","name":"n"}},
        "status":{CONDITIONS})"},
    Example{"kueue.x-k8s.io/v1beta2", "Workload",
            R"("spec":{POD_SETS,"priority":5,"priorityClassRef":{"group":"kueue.x-k8s.io","kind":
        "WorkloadPriorityClass","name":"high"},"preemptionGates":[{"name":"g"}]},"status":{
        "admission":{"clusterQueue":"c","podSetAssignments":[{"name":"main","flavors":{"cpu":"f"},
        "resourceUsage":{"cpu":3},"count":3,"topologyAssignment":{"levels":["rack"],"slices":[
        {"domainCount":2,"valuesPerLevel":[{"individual":{"prefix":"r","roots":["1","2"]}}],
        "podCounts":{"individual":[1,2]}}]}}]},WORKLOAD_STATUS,
        "accumulatedPastExecutionTimeSeconds":9,"preemptionGates":[{"name":"g","position":"Ajar"}]})"},
    Example{"kueue.x-k8s.io/v1beta1", "Workload",
            R"("spec":{POD_SETS,"priority":5,"priorityClassName":"high","priorityClassSource":
        "kueue.x-k8s.io/workloadpriorityclass","active":false},"status":{"admission":{
        "clusterQueue":"c","podSetAssignments":[{"name":"main","topologyAssignment":{"levels":
        ["rack"],"domains":[{"values":["r1"],"count":3}]}}]},WORKLOAD_STATUS,
        "accumulatedPastExexcutionTimeSeconds":9})"},
};

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
  if (const auto where = text.find(mark); where != std::string::npos) {
    text.replace(where, mark.size(), by);
  }
  return text;
}

std::string full_text(const Example& example) {
  std::string body(example.body);
  body = replaced(body, "LATER_GROUP", kLaterGroup);
  body = replaced(body, "LATER_WORKLOAD", kLaterWorkload);
  body = replaced(body, "GROUP_STATUS", kGroupStatus);
  body = replaced(body, "QUOTA", kQuota);
  body = replaced(body, "QUEUE_COUNTS", kQueueCounts);
  body = replaced(body, "POD_SETS", kPodSets);
  body = replaced(body, "WORKLOAD_STATUS", kWorkloadStatus);
  body = replaced(body, "CONDITIONS", kConditions);
  return "{\"apiVersion\":\"" + std::string(example.api_version) + "\",\"kind\":\"" +
         std::string(example.kind) + "\"," + std::string(kMeta) + "," + body + "}";
}

// Members without which a document is wrong.
bool needed(std::string_view name) {
  static constexpr std::array<std::string_view, 32> kNames = {"apiVersion",   "kind",
                                                              "spec",         "schedulingPolicy",
                                                              "basic",        "gang",
                                                              "minCount",     "single",
                                                              "all",          "minGroupCount",
                                                              "operator",     "key",
                                                              "workload",     "taint",
                                                              "template",     "action",
                                                              "expression",   "min",
                                                              "pool",         "value",
                                                              "nominalQuota", "slices",
                                                              "domainCount",  "valuesPerLevel",
                                                              "podCounts",    "individual",
                                                              "universal",    "roots",
                                                              "levels",       "topologyAssignment",
                                                              "domains",      "values"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool chance(int one_in) { return *rc::gen::inRange(0, one_in) == 0; }

// Members whose own members are entries of a map to objects.
bool maps_to_objects(std::string_view name) {
  return name == "attributes" || name == "capacity" || name == "counters";
}

bool in_column(std::string_view name) { return name == "valuesPerLevel" || name == "slices"; }

// A variation of `value`, the member of that name: what is left out, repeated or added is up to the
// generator. What is added reads as a string and as a quantity, so that it fits into maps as well.
Value varied(const Value& value, Arena& arena, std::string_view name = {}) {
  if (value.is_array()) {
    Value items = Value::array();
    for (const Value& item : value.items()) {
      // Columns of an assignment are as long as each other.
      const bool column = item.is_string() || item.is_integer() || in_column(name);
      if (column || !chance(8)) items.push_back(arena, varied(item, arena));
    }
    return items;
  }
  if (!value.is_object()) return value.clone(arena);
  Value members = Value::object();
  for (const Member& member : value.members()) {
    if (!needed(member.key) && chance(6)) continue;
    members.set_member(arena, member.key, varied(member.value, arena, member.key));
  }
  // Not into a union, where one more member could be one too many for a later version.
  if (chance(4) && !maps_to_objects(name)) {
    members.set_member(arena, "x-unknown", Value::string(arena, "1"));
  }
  return members;
}

auto fields(const model::ObjectMeta& meta) {
  return std::tie(meta.name, meta.ns, meta.uid, meta.resource_version, meta.generation,
                  meta.created, meta.deletion, meta.deletion_grace_seconds, meta.labels,
                  meta.annotations, meta.finalizers, meta.owners);
}
auto fields(const model::PodStatus& status) {
  return std::tie(status.phase, status.conditions, status.nominated_node, status.reason,
                  status.message, status.start_time, status.container_resources);
}

// A pod that names no scheduler is written with the name of the default one.
model::PodSpec complete(model::PodSpec spec) {
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  return spec;
}
bool same_fields(const model::Pod& a, const model::Pod& b) {
  return complete(*a.spec) == complete(*b.spec) && a.node_name == b.node_name &&
         a.priority == b.priority && a.preemption_policy == b.preemption_policy &&
         fields(a.status) == fields(b.status);
}
bool same_fields(const model::Node& a, const model::Node& b) {
  const auto all = [](const model::Node& n) {
    return std::tie(n.unschedulable, n.taints, n.capacity, n.allocatable, n.conditions, n.images,
                    n.declared_features);
  };
  return all(a) == all(b);
}
bool same_fields(const model::PodGroup& a, const model::PodGroup& b) {
  const auto all = [](const model::PodGroup& g) {
    return std::tie(g.spec, g.workload, g.parent, g.conditions, g.claim_statuses);
  };
  return all(a) == all(b);
}
bool same_fields(const model::CompositePodGroup& a, const model::CompositePodGroup& b) {
  const auto all = [](const model::CompositePodGroup& g) {
    return std::tie(g.spec, g.workload, g.parent, g.conditions);
  };
  return all(a) == all(b);
}
bool same_fields(const model::Workload& a, const model::Workload& b) {
  return a.controller == b.controller && a.pod_groups == b.pod_groups &&
         a.composites == b.composites;
}
bool same_fields(const model::PersistentVolumeClaim& a, const model::PersistentVolumeClaim& b) {
  const auto all = [](const model::PersistentVolumeClaim& c) {
    return std::tie(c.access_modes, c.storage_class, c.volume_name, c.volume_mode,
                    c.storage_request, c.selector, c.phase);
  };
  return all(a) == all(b);
}
bool same_fields(const model::PersistentVolume& a, const model::PersistentVolume& b) {
  const auto all = [](const model::PersistentVolume& v) {
    return std::tie(v.capacity, v.access_modes, v.storage_class, v.volume_mode, v.claim_namespace,
                    v.claim_name, v.claim_uid, v.node_affinity, v.csi_driver, v.csi_handle,
                    v.phase);
  };
  return all(a) == all(b);
}
bool same_fields(const model::Event& a, const model::Event& b) {
  const auto all = [](const model::Event& e) {
    return std::tie(e.involved.api_version, e.involved.kind, e.involved.ns, e.involved.name,
                    e.involved.uid, e.type, e.reason, e.action, e.message, e.reporting_controller,
                    e.first_seen, e.last_seen, e.count);
  };
  return all(a) == all(b);
}
bool same_fields(const model::Lease& a, const model::Lease& b) {
  const auto all = [](const model::Lease& l) {
    return std::tie(l.holder, l.duration_seconds, l.acquired, l.renewed, l.transitions);
  };
  return all(a) == all(b);
}

bool same_fields(const model::ClusterQueue& a, const model::ClusterQueue& b) {
  return a.spec == b.spec && a.status == b.status;
}
bool same_fields(const model::LocalQueue& a, const model::LocalQueue& b) {
  return a.spec == b.spec && a.status == b.status;
}
bool same_fields(const model::AdmissionRequest& a, const model::AdmissionRequest& b) {
  return a.spec == b.spec && a.status == b.status;
}

template <typename T>
bool same_as(const model::Object& a, const model::Object& b) {
  return same_fields(model::as<T>(a), model::as<T>(b));
}

// Whether all fields that encode writes are equal. Of other kinds the document says everything.
bool same(const model::Object& a, const model::Object& b) {
  if (a.kind != b.kind || a.api_version != b.api_version || fields(a.meta) != fields(b.meta)) {
    return false;
  }
  switch (a.kind) {
    case model::Kind::pod:
      return same_as<model::Pod>(a, b);
    case model::Kind::node:
      return same_as<model::Node>(a, b);
    case model::Kind::pod_group:
      return same_as<model::PodGroup>(a, b);
    case model::Kind::composite_pod_group:
      return same_as<model::CompositePodGroup>(a, b);
    case model::Kind::workload:
      return same_as<model::Workload>(a, b);
    case model::Kind::persistent_volume_claim:
      return same_as<model::PersistentVolumeClaim>(a, b);
    case model::Kind::persistent_volume:
      return same_as<model::PersistentVolume>(a, b);
    case model::Kind::event:
      return same_as<model::Event>(a, b);
    case model::Kind::lease:
      return same_as<model::Lease>(a, b);
    case model::Kind::cluster_queue:
      return same_as<model::ClusterQueue>(a, b);
    case model::Kind::local_queue:
      return same_as<model::LocalQueue>(a, b);
    case model::Kind::admission_request:
      return same_as<model::AdmissionRequest>(a, b);
    default:
      return true;
  }
}

// Whether `whole` says all that `part` says: more members are fine, other values are not.
bool includes(const Value& whole, const Value& part) {
  if (part.is_object() && whole.is_object()) {
    return std::ranges::all_of(part.members(), [&](const Member& member) {
      const Value* other = whole.find(member.key);
      return other != nullptr && includes(*other, member.value);
    });
  }
  if (part.is_array() && whole.is_array()) {
    return std::ranges::equal(whole.items(), part.items(), includes);
  }
  return whole == part;
}

std::shared_ptr<model::Object> decoded(const Value& value) {
  Decoder decoder;
  auto object = decode(value, decoder);
  if (!object.ok()) RC_FAIL(object.error().message + " in " + to_json(value));
  return *object;
}

TEST(RoundTrip, startsFromExamplesThatAreValid) {
  for (const Example& example : kExamples) {
    const std::string text = full_text(example);
    SCOPED_TRACE(text);
    EXPECT_EQ(decode_error(text), "");
  }
}

void demand_nothing_is_lost(const Example& example) {
  const Document full = document_of(full_text(example));
  Document document;
  const Value original = varied(full.root(), document.arena());
  RC_LOG() << to_json(original) << "\n";

  const auto first = decoded(original);
  const Value written = encode(*first, document);
  RC_LOG() << to_json(written) << "\n";
  RC_ASSERT(includes(written, original));

  const Document reread = document_of(to_json(written));
  const auto second = decoded(reread.root());
  RC_ASSERT(same(*first, *second));
  RC_ASSERT(encode_text(*second) == to_json(written));
}

RC_GTEST_PROP(RoundTrip, losesNothingOfAnyKindInAnyVersion, ()) {
  demand_nothing_is_lost(*rc::gen::elementOf(kExamples));
}

RC_GTEST_PROP(RoundTrip, losesNothingOfKueuesKinds, ()) {
  std::vector<Example> examples;
  for (const Example& example : kExamples) {
    if (example.api_version.starts_with("kueue")) examples.push_back(example);
  }
  demand_nothing_is_lost(*rc::gen::elementOf(examples));
}

std::string word() { return *rc::gen::element<std::string>("", "a", "b", "c-1"); }
std::optional<Instant> moment() {
  const auto seconds = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000);
  if (seconds % 5 == 0) return std::nullopt;
  return Instant(std::chrono::seconds(seconds));
}
std::vector<model::Condition> conditions() {
  std::vector<model::Condition> all;
  for (const char* type : {"A", "B", "C"}) {
    if (chance(2)) continue;
    all.push_back({type, word(), word(), word(), moment(), *rc::gen::inRange(0, 3)});
  }
  return all;
}
void change(model::ObjectMeta& meta) {
  meta.uid = word();
  meta.ns = word();
  meta.resource_version = *rc::gen::arbitrary<std::uint64_t>();
  meta.generation = *rc::gen::inRange(0, 3);
  meta.created = moment();
  meta.deletion = moment();
  meta.finalizers = *rc::gen::container<std::vector<std::string>>(rc::gen::exec(word));
  meta.labels = {{"a", word()}};
  meta.annotations.clear();
  meta.owners = {{"v1", "K", word(), word(), chance(2), chance(2)}};
}
void change(model::Pod& pod) {
  pod.node_name = word();
  pod.priority = *rc::gen::arbitrary<std::int32_t>();
  pod.preemption_policy.reset();
  pod.status.phase = static_cast<model::PodPhase>(*rc::gen::inRange(0, 5));
  pod.status.conditions = conditions();
  pod.status.nominated_node = word();
  pod.status.reason = word();
  pod.status.message = word();
  pod.status.start_time = moment();
}
template <typename Group>
void change_group(Group& group) {
  group.spec.policy.gang = chance(2);
  group.spec.policy.minimum = group.spec.policy.gang ? *rc::gen::inRange(1, 9) : 1;
  group.spec.topology_key = word();
  group.spec.disruption = chance(2) ? model::DisruptionMode::all : model::DisruptionMode::single;
  group.spec.priority_class_name = word();
  group.spec.priority = *rc::gen::arbitrary<std::int32_t>();
  group.workload = model::WorkloadReference{word(), word()};
  group.conditions = conditions();
}
void change(model::PodGroup& group) {
  change_group(group);
  group.spec.resource_claims = {{"n", word(), word()}};
  group.claim_statuses = {{"n", word()}};
}
void change(model::CompositePodGroup& group) {
  change_group(group);
  group.parent = word();
}
void change(model::Node& node) {
  node.unschedulable = chance(2);
  node.taints = {{"k", word(), word()}, {"l", word(), word()}};
  node.conditions = conditions();
}
void change(model::PersistentVolumeClaim& claim) {
  claim.storage_class = word();
  claim.volume_name = word();
  claim.phase = word();
}
void change(model::PersistentVolume& volume) {
  volume.claim_name = word();
  volume.claim_namespace = word();
  volume.claim_uid = word();
  volume.phase = word();
}
void change(model::Event& event) {
  event.involved = {word(), word(), word(), word(), word()};
  event.type = word();
  event.message = word();
  event.first_seen = moment();
  event.last_seen = moment();
  event.count = *rc::gen::inRange(0, 4);
}
void change(model::Lease& lease) {
  lease.holder = word();
  lease.duration_seconds = *rc::gen::inRange(0, 4);
  lease.renewed = moment();
  lease.transitions = *rc::gen::inRange(0, 4);
}

template <typename T>
void demand_changes_are_written(std::string_view text) {
  const auto object = decode_as<T>(text);
  if (chance(3)) object->document.reset();  // as if Tutti had made it
  change(object->meta);
  change(*object);
  const std::string written = encode_text(*object);
  RC_LOG() << written << "\n";
  const auto reread = decode_as<T>(written);
  RC_ASSERT(fields(reread->meta) == fields(object->meta));
  const bool complete_by_itself = T::kKind == model::Kind::pod_group ||
                                  T::kKind == model::Kind::composite_pod_group ||
                                  T::kKind == model::Kind::event || T::kKind == model::Kind::lease;
  if (object->document != nullptr || complete_by_itself) RC_ASSERT(same(*object, *reread));
}

RC_GTEST_PROP(RoundTrip, writesEveryChangeThatTuttiMayMake, ()) {
  const Example& example = *rc::gen::elementOf(kExamples);
  const std::string text = full_text(example);
  if (example.kind == "Pod") {
    // A pod's spec is never written from typed fields.
    const auto pod = decode_as<model::Pod>(text);
    change(pod->meta);
    pod->meta.labels = {{"a", ""}, {"b", "1"}};
    change(*pod);
    const std::string written = encode_text(*pod);
    RC_LOG() << written << "\n";
    RC_ASSERT(same(*pod, *decode_as<model::Pod>(written)));
  }
  if (example.kind == "Node") demand_changes_are_written<model::Node>(text);
  if (example.kind == "PodGroup") demand_changes_are_written<model::PodGroup>(text);
  if (example.kind == "CompositePodGroup") {
    demand_changes_are_written<model::CompositePodGroup>(text);
  }
  if (example.kind == "PersistentVolume") demand_changes_are_written<model::PersistentVolume>(text);
  if (example.kind == "PersistentVolumeClaim") {
    demand_changes_are_written<model::PersistentVolumeClaim>(text);
  }
  if (example.kind == "Event") demand_changes_are_written<model::Event>(text);
  if (example.kind == "Lease") demand_changes_are_written<model::Lease>(text);
}

}  // namespace
}  // namespace tutti::wire
