#include <gtest/gtest.h>

#include "model/pod.h"
#include "support/wire_text.h"

namespace tutti::wire {
namespace {

std::string pod(std::string_view spec, std::string_view labels = "{}") {
  return "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: t, labels: " +
         std::string(labels) + "}, spec: " + std::string(spec) + "}";
}

model::PodSpec spec_of(std::string_view spec) { return *decode_as<model::Pod>(pod(spec))->spec; }

model::ResourceList amounts(std::initializer_list<std::pair<const char*, const char*>> entries) {
  model::ResourceList list;
  for (const auto& [name, text] : entries) list.emplace_back(name, *Quantity::parse(text));
  return list;
}

TEST(DecodePod, readsWhatIsItsOwn) {
  const auto object = decode_as<model::Pod>(R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {nodeName: n1, priority: -5, preemptionPolicy: Never}
status:
  phase: Running
  nominatedNodeName: n2
  reason: r
  message: m
  startTime: "2026-01-01T00:00:00Z"
  conditions:
  - {type: PodScheduled, status: "True", lastProbeTime: null, observedGeneration: 3}
  containerStatuses:
  - {name: a, allocatedResources: {cpu: 1}, resources: {requests: {cpu: 2}}}
  - {name: b, ready: true}
)");
  EXPECT_EQ(object->node_name, "n1");
  EXPECT_EQ(object->priority, -5);
  EXPECT_EQ(object->preemption_policy, model::PreemptionPolicy::never);
  EXPECT_EQ(object->status.phase, model::PodPhase::running);
  EXPECT_EQ(object->status.nominated_node, "n2");
  EXPECT_EQ(object->status.reason, "r");
  EXPECT_EQ(object->status.message, "m");
  EXPECT_EQ(object->status.start_time, *parse_rfc3339("2026-01-01T00:00:00Z"));
  ASSERT_EQ(object->status.conditions.size(), 1U);
  EXPECT_EQ(object->status.conditions[0].observed_generation, 3);
  EXPECT_EQ(object->status.container_resources,
            (std::vector<model::ContainerResources>{
                {"a", amounts({{"cpu", "1"}}), amounts({{"cpu", "2"}})}}));
}

TEST(DecodePod, fillsMissingRequestsFromLimits) {
  const model::PodSpec spec = spec_of(
      "{containers: [{resources: {requests: {memory: 1Gi}, limits: {memory: 2Gi, cpu: 500m, "
      "example.com/gpu: 1}}}]}");
  EXPECT_EQ(spec.containers[0].requests,
            amounts({{"cpu", "500m"}, {"example.com/gpu", "1"}, {"memory", "1Gi"}}));
}

TEST(DecodePod, fillsPodLevelRequestsFromPodLevelLimitsThatNobodyAsksFor) {
  const model::PodSpec spec = spec_of(
      "{resources: {limits: {cpu: 4, memory: 8Gi}}, containers: [{resources: {requests: {cpu: "
      "1}}}]}");
  EXPECT_EQ(spec.pod_requests, amounts({{"memory", "8Gi"}}));
}

TEST(DecodePod, publishesThePortsOfAPodOnTheHostNetwork) {
  const model::PodSpec spec = spec_of(
      "{hostNetwork: true, containers: [{ports: [{containerPort: 80}, "
      "{containerPort: 81, hostPort: 81, protocol: UDP, hostIP: 10.0.0.1}]}]}");
  EXPECT_EQ(spec.containers[0].ports,
            (std::vector<model::ContainerPort>{{80, 80, "", model::Protocol::tcp},
                                               {81, 81, "10.0.0.1", model::Protocol::udp}}));
  EXPECT_EQ(
      spec_of("{containers: [{ports: [{containerPort: 80}]}]}").containers[0].ports[0].host_port,
      0);
}

TEST(DecodePod, readsWhereItMayRun) {
  using Operator = model::Requirement::Operator;
  const model::PodSpec spec = spec_of(R"({
    "nodeSelector": {"disk": "ssd"},
    "affinity": {
      "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["3"]}],
           "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 5, "preference": {"matchExpressions": [{"key": "b", "operator": "Exists"}]}}]},
      "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"x": "y"}}, "namespaces": ["u"], "namespaceSelector": {},
         "topologyKey": "zone"}]},
      "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 9, "podAffinityTerm": {"topologyKey": "host"}}]}},
    "tolerations": [{"operator": "Exists"},
                    {"key": "k", "value": "v", "effect": "NoExecute", "tolerationSeconds": 60}],
    "topologySpreadConstraints": [{"maxSkew": 2, "topologyKey": "zone", "minDomains": 3,
      "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}, "nodeAffinityPolicy": "Ignore",
      "nodeTaintsPolicy": "Honor", "matchLabelKeys": ["h"]}],
    "schedulingGates": [{"name": "g"}]
  })");
  EXPECT_EQ(spec.node_selector, (model::Labels{{"disk", "ssd"}}));
  EXPECT_EQ(spec.node_affinity.required,
            (std::vector<model::NodeSelectorTerm>{
                {{{"a", Operator::gt, {"3"}}}, {{"metadata.name", Operator::in, {"n"}}}}}));
  EXPECT_EQ(spec.node_affinity.preferred,
            (std::vector<model::PreferredNodeTerm>{{5, {{{"b", Operator::exists, {}}}, {}}}}));
  EXPECT_EQ(spec.affinity.required,
            (std::vector<model::PodAffinityTerm>{{model::LabelSelector{{{"x", "y"}}, {}},
                                                  {"u"},
                                                  model::LabelSelector{},
                                                  "zone",
                                                  {},
                                                  {}}}));
  EXPECT_EQ(spec.anti_affinity.preferred,
            (std::vector<model::WeightedPodAffinityTerm>{{9, {{}, {}, {}, "host", {}, {}}}}));
  EXPECT_EQ(spec.tolerations,
            (std::vector<model::Toleration>{
                {"", model::Toleration::Operator::exists, "", "", {}},
                {"k", model::Toleration::Operator::equal, "v", "NoExecute", 60}}));
  EXPECT_EQ(spec.spread, (std::vector<model::TopologySpreadConstraint>{
                             {2, "zone", false, model::LabelSelector{}, 3, false, true, {"h"}}}));
  EXPECT_EQ(spec.scheduling_gates, (std::vector<std::string>{"g"}));
}

TEST(DecodePod, tellsNoNodeTermsFromNoNodeAffinity) {
  EXPECT_FALSE(spec_of("{affinity: {nodeAffinity: {}}}").node_affinity.required.has_value());
  const model::PodSpec spec = spec_of(
      "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: []}}}}");
  ASSERT_TRUE(spec.node_affinity.required.has_value());
  EXPECT_TRUE(spec.node_affinity.required->empty());
}

TEST(DecodePod, readsVolumesBySource) {
  using Source = model::Volume::Source;
  struct Case {
    const char* volume;
    model::Volume expected;
  };
  const Case cases[] = {
      {"{name: v, emptyDir: {}}", {"v", Source::other, "", {}, "", "", false}},
      {"{name: v, persistentVolumeClaim: {claimName: c, readOnly: true}}",
       {"v", Source::claim, "c", {}, "", "", true}},
      {"{name: v, ephemeral: {volumeClaimTemplate: {}}}",
       {"v", Source::ephemeral, "", {}, "", "", false}},
      {"{name: v, gcePersistentDisk: {pdName: d}}",
       {"v", Source::gce_disk, "d", {}, "", "", false}},
      {"{name: v, awsElasticBlockStore: {volumeID: i}}",
       {"v", Source::aws_disk, "i", {}, "", "", false}},
      {"{name: v, iscsi: {targetPortal: h, iqn: q, lun: 0}}",
       {"v", Source::iscsi, "q", {}, "", "", false}},
      {"{name: v, rbd: {monitors: [m], image: i}}",
       {"v", Source::rbd, "i", {"m"}, "rbd", "", false}},
      {"{name: v, csi: {driver: d, readOnly: true}}", {"v", Source::csi, "", {}, "", "d", true}},
      {"{name: v, image: {reference: r}}", {"v", Source::image, "r", {}, "", "", false}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.volume);
    const model::PodSpec spec = spec_of(std::string("{volumes: [") + c.volume + "]}");
    EXPECT_EQ(spec.volumes, std::vector<model::Volume>{c.expected});
  }
}

TEST(DecodePod, readsWhichClaimsAContainerUses) {
  const model::PodSpec spec =
      spec_of("{containers: [{resources: {claims: [{name: a}, {name: b, request: r}]}}]}");
  EXPECT_EQ(spec.containers.at(0).claims,
            (std::vector<model::ContainerClaim>{{"a", ""}, {"b", "r"}}));
}

TEST(DecodePod, readsWhenTheLastContainerEnded) {
  const auto read = decode_as<model::Pod>(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "p"}, "spec": {}, "status": {"containerStatuses": [
      {"name": "a", "state": {"terminated": {"finishedAt": "2026-11-17T10:00:30Z"}}},
      {"name": "b", "state": {"terminated": {"finishedAt": "2026-11-17T10:00:10Z"}}},
      {"name": "c", "state": {"running": {}}}]}})");
  EXPECT_EQ(read->status.finished, *parse_rfc3339("2026-11-17T10:00:30Z"));
}

TEST(DecodePod, readsTheRestOfTheSpec) {
  const model::PodSpec spec = spec_of(R"({
    "initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always"}],
    "overhead": {"cpu": "10m"}, "schedulerName": "tutti", "priorityClassName": "high",
    "schedulingGroup": {"podGroupName": "g"}, "restartPolicy": "Never",
    "activeDeadlineSeconds": 10, "terminationGracePeriodSeconds": 0,
    "resourceClaims": [{"name": "a", "resourceClaimName": "b"},
                       {"name": "c", "resourceClaimTemplateName": "d"}]})");
  ASSERT_EQ(spec.init_containers.size(), 1U);
  EXPECT_TRUE(spec.init_containers[0].restart_always);
  EXPECT_EQ(spec.init_containers[0].image, "i");
  EXPECT_EQ(spec.overhead, amounts({{"cpu", "10m"}}));
  EXPECT_EQ(spec.scheduler_name, "tutti");
  EXPECT_EQ(spec.priority_class_name, "high");
  EXPECT_EQ(spec.scheduling_group, "g");
  EXPECT_EQ(spec.restart_policy, "Never");
  EXPECT_EQ(spec.active_deadline_seconds, 10);
  EXPECT_EQ(spec.termination_grace_seconds, 0);
  EXPECT_EQ(spec.resource_claims,
            (std::vector<model::ClaimReference>{{"a", "b", ""}, {"c", "", "d"}}));
}

TEST(DecodePod, rejectsFieldsOfTheWrongType) {
  struct Case {
    const char* spec;
    const char* error;
  };
  const Case cases[] = {
      {"null", "spec: required"},
      {"{resources: {claims: [{name: gpu}]}}",
       "spec.resources.claims: is not allowed for a whole pod: each container says which claims it "
       "uses"},
      {"[]", "spec: expected an object, found an array"},
      {"{priority: '5'}", "spec.priority: expected an integer, found a string"},
      {"{priority: 3000000000}", "spec.priority: 3000000000 does not fit in 32 bits"},
      {"{preemptionPolicy: Maybe}",
       "spec.preemptionPolicy: unknown value 'Maybe', expected one of PreemptLowerPriority, Never"},
      {"{containers: [{image: 5}]}",
       "spec.containers[0].image: expected a string, found an integer"},
      {"{containers: [null]}", "spec.containers[0]: expected an object, found null"},
      {"{containers: [{resources: {requests: {cpu: -1m}}}]}",
       "spec.containers[0].resources.requests.cpu: -1m is negative"},
      {"{containers: [{ports: [{containerPort: http}]}]}",
       "spec.containers[0].ports[0].containerPort: expected an integer, found a string"},
      {"{containers: [{ports: [{protocol: tcp}]}]}",
       "spec.containers[0].ports[0].protocol: unknown value 'tcp', expected one of TCP, UDP, SCTP"},
      {"{nodeSelector: {gpu: true}}", "spec.nodeSelector.gpu: expected a string, found a boolean"},
      {"{tolerations: [{operator: Is}]}",
       "spec.tolerations[0].operator: unknown value 'Is', expected one of Equal, Exists, Lt, Gt"},
      {"{topologySpreadConstraints: [{maxSkew: 1}]}",
       "spec.topologySpreadConstraints[0].whenUnsatisfiable: required"},
      {"{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{labelSelector: {matchExpressions: [{key: a, operator: ''}]}}]}}}",
       "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector."
       "matchExpressions[0].operator: required"},
      {"{volumes: [{rbd: {monitors: m}}]}",
       "spec.volumes[0].rbd.monitors: expected an array, found a string"},
      {"{schedulingGates: [gate]}", "spec.schedulingGates[0]: expected an object, found a string"},
      {"{terminationGracePeriodSeconds: 1.5}",
       "spec.terminationGracePeriodSeconds: expected an integer, found a number"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.spec);
    EXPECT_EQ(decode_error(pod(c.spec)), std::string("line 1: Pod t/p: ") + c.error);
  }
}

TEST(PodSpecPool, sharesTheSpecOfPodsThatDifferInWhatTheyOwn) {
  Decoder decoder;
  const auto one = decode_as<model::Pod>(pod("{nodeName: a, containers: [{image: i}]}"), decoder);
  const auto two = decode_as<model::Pod>(
      pod("{containers: [{image: i}], priority: 5, preemptionPolicy: Never}"), decoder);
  const auto other = decode_as<model::Pod>(pod("{containers: [{image: j}]}"), decoder);
  EXPECT_EQ(one->spec, two->spec);
  EXPECT_NE(one->spec, other->spec);
  EXPECT_EQ(decoder.pod_specs().size(), 2U);
}

TEST(PodSpecPool, isNotFooledByKeysThatLookLikeText) {
  Decoder decoder;
  const auto one = decode_as<model::Pod>(pod(R"({"a":1,"b":2,"hostNetwork":true})"), decoder);
  const auto two = decode_as<model::Pod>(pod(R"({"a:1,b":2,"hostNetwork":true})"), decoder);
  EXPECT_NE(one->spec, two->spec);
}

TEST(PodSpecPool, doesNotKeepASpecThatIsWrong) {
  Decoder decoder;
  EXPECT_FALSE(try_decode(pod("{hostNetwork: 1}"), decoder).ok());
  EXPECT_FALSE(try_decode(pod("{hostNetwork: 1}"), decoder).ok());
  EXPECT_EQ(decoder.pod_specs().size(), 0U);
}

TEST(PodSpecPool, forgetsTheTemplatesOfPodsThatAreGone) {
  const auto text = [](std::size_t i) {
    return "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c" +
           std::to_string(i) + "}]}}";
  };
  Decoder decoder;
  const auto kept = try_decode(text(0), decoder);
  std::size_t most = 0;
  for (std::size_t i = 1; i < 2000; ++i) {
    ASSERT_TRUE(try_decode(text(i), decoder).ok());
    most = std::max(most, decoder.pod_specs().size());
  }
  EXPECT_LT(most, 1000U);
  const auto again = try_decode(text(0), decoder);
  EXPECT_EQ(model::as<model::Pod>(**kept).spec, model::as<model::Pod>(**again).spec);
}

TEST(PodSpecPool, mergesLabelKeysOfAffinityTermsFromThePodsLabels) {
  constexpr const char* kSpec =
      "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, "
      "labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [hash, absent], "
      "mismatchLabelKeys: [tenant]}]}}}";
  using Operator = model::Requirement::Operator;
  Decoder decoder;
  const auto one = decode_as<model::Pod>(pod(kSpec, "{hash: h1, tenant: t}"), decoder);
  const auto same = decode_as<model::Pod>(pod(kSpec, "{hash: h1, tenant: t, x: z}"), decoder);
  const auto other = decode_as<model::Pod>(pod(kSpec, "{hash: h2, tenant: t}"), decoder);
  EXPECT_EQ(one->spec->affinity.required[0].selector->match_expressions,
            (std::vector<model::Requirement>{{"hash", Operator::in, {"h1"}},
                                             {"tenant", Operator::not_in, {"t"}}}));
  EXPECT_EQ(other->spec->affinity.required[0].selector->match_expressions[0].values,
            (std::vector<std::string>{"h2"}));
  EXPECT_EQ(one->spec, same->spec);
  EXPECT_NE(one->spec, other->spec);
}

TEST(PodSpecPool, doesNotMergeTwiceWhatTheServerMerged) {
  const auto object = decode_as<model::Pod>(pod(
      "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "z, labelSelector: {matchExpressions: [{key: hash, operator: In, values: [h1]}]}, "
      "matchLabelKeys: [hash]}]}}}",
      "{hash: h1}"));
  EXPECT_EQ(object->spec->affinity.required[0].selector->match_expressions.size(), 1U);
}

}  // namespace
}  // namespace tutti::wire
