// Kueue's Workload. The versions differ in names and in two forms:
//
//   v1beta1                                          v1beta2
//   spec.priorityClassName, priorityClassSource      spec.priorityClassRef.{group, kind, name}
//   topologyAssignment.domains                       topologyAssignment.slices
//   status.accumulatedPastExexcutionTimeSeconds      status.accumulatedPastExecutionTimeSeconds
#include <fmt/format.h>

#include "wire/decode/decode_parts.h"
#include "wire/decode/decode_template.h"
#include "wire/decode/priority_class_source.h"
#include "wire/decode/quota_words.h"
#include "wire/decode/topology_assignment.h"

namespace tutti::wire {
namespace {

void read_request(const Field& at, model::PodSetTopologyRequest& out) {
  at("required", out.required);
  at("preferred", out.preferred);
  at("unconstrained", out.unconstrained);
  at("podIndexLabel", out.pod_index_label);
  at("subGroupIndexLabel", out.sub_group_index_label);
  at("subGroupCount", out.sub_group_count);
  at("podSetGroupName", out.group);
  at("podSetSliceRequiredTopology", out.slice_topology);
  at("podSetSliceSize", out.slice_size);
  at.list("podsetSliceRequiredTopologyConstraints", [&](const Field& item) {
    model::SliceLayer& layer = out.slice_layers.emplace_back();
    item("topology", layer.topology);
    item("size", layer.size);
  });
}

void read_pod_set(const Field& at, PodSpecPool* specs, model::PodSet& out) {
  at("name", out.name);
  at("count", out.count);
  at("minCount", out.min_count);
  at.member("topologyRequest",
            [&](const Field& request) { read_request(request, out.topology.emplace()); });
  if (specs == nullptr) return;
  at.member("template", [&](const Field& pods) { read_template(pods, *specs, out.pods); });
}

void read_priority_class(const Field& spec, bool old,
                         std::optional<model::PriorityClassReference>& out) {
  if (!old) {
    spec.member("priorityClassRef", [&](const Field& reference) {
      out.emplace();
      reference("group", out->group);
      reference("kind", out->kind);
      reference("name", out->name);
    });
    return;
  }
  std::string name;
  bool of_workloads = false;
  spec("priorityClassName", name);
  spec("priorityClassSource", of_workloads, kPriorityClassSources);
  if (!name.empty()) out = class_reference(of_workloads, std::move(name));
}

void read_spec(const Field& at, PodSpecPool* specs, bool old, model::AdmissionRequestSpec& out) {
  at.list("podSets",
          [&](const Field& item) { read_pod_set(item, specs, out.pod_sets.emplace_back()); });
  at("queueName", out.queue);
  read_priority_class(at, old, out.priority_class);
  at("priority", out.priority);
  at("active", out.active);
  at("maximumExecutionTimeSeconds", out.max_execution_seconds);
  at.list("preemptionGates",
          [&](const Field& item) { item("name", out.preemption_gates.emplace_back()); });
}

void read_assignment(const Field& at, bool old, model::PodSetAssignment& out) {
  at("name", out.pod_set);
  at("flavors", out.flavors);
  at("resourceUsage", out.usage);
  at("count", out.count);
  at.member("topologyAssignment", [&](const Field& topology) {
    read_topology_assignment(topology, old, out.topology.emplace());
  });
  at("delayedTopologyRequest", out.delayed_topology);
}

void read_update(const Field& at, model::PodSetUpdate& out) {
  at("name", out.pod_set);
  at("labels", out.labels);
  at("annotations", out.annotations);
  at("nodeSelector", out.node_selector);
  at("tolerations", out.tolerations);
}

void read_check(const Field& at, std::string state, model::AdmissionCheckState& out,
                model::UnknownWords& unknown) {
  at("name", out.check);
  read_choice(at, "state", std::move(state), out.state, model::CheckState::pending, kCheckStates,
              unknown);
  at("lastTransitionTime", out.last_transition);
  at("message", out.message);
  at("requeueAfterSeconds", out.requeue_after_seconds);
  at("retryCount", out.retries);
  at.list("podSetUpdates",
          [&](const Field& item) { read_update(item, out.updates.emplace_back()); });
}

void read_gates(const Field& status, model::AdmissionRequestStatus& out) {
  status.list("preemptionGates", [&](const Field& item) {
    const std::string place =
        fmt::format("status.preemptionGates[{}].position", out.preemption_gates.size());
    model::PreemptionGateState& gate = out.preemption_gates.emplace_back();
    item("name", gate.gate);
    read_choice(item, "position", place, gate.open, false, kGatePositions, out.unknown_words);
    item("lastTransitionTime", gate.last_transition);
  });
}

void read_counts(const Field& status, model::AdmissionRequestStatus& out) {
  status.list("reclaimablePods", [&](const Field& item) {
    model::ReclaimablePods& pods = out.reclaimable.emplace_back();
    item("name", pods.pod_set);
    item("count", pods.count);
  });
  status.list("resourceRequests", [&](const Field& item) {
    model::PodSetRequest& request = out.requests.emplace_back();
    item("name", request.pod_set);
    item("resources", request.amounts);
  });
  status.member("schedulingStats", [&](const Field& stats) {
    stats.list("evictions", [&](const Field& item) {
      model::EvictionCount& eviction = out.evictions.emplace_back();
      item("reason", eviction.reason);
      item("underlyingCause", eviction.cause);
      item("count", eviction.count);
    });
  });
}

void read_admission(const Field& at, bool old, model::Admission& out) {
  at("clusterQueue", out.cluster_queue);
  at.list("podSetAssignments",
          [&](const Field& item) { read_assignment(item, old, out.pod_sets.emplace_back()); });
}

void read_status(const Field& at, const model::Object& object, model::AdmissionRequestStatus& out) {
  at("conditions", out.conditions);
  at.member("admission", [&](const Field& admission) {
    read_admission(admission, is_kueue_v1beta1(object), out.admission.emplace());
  });
  at.member("requeueState", [&](const Field& state) {
    out.requeue.emplace();
    state("count", out.requeue->count);
    state("requeueAt", out.requeue->at);
  });
  at.list("admissionChecks", [&](const Field& item) {
    const std::string place = fmt::format("status.admissionChecks[{}].state", out.checks.size());
    read_check(item, place, out.checks.emplace_back(), out.unknown_words);
  });
  read_counts(at, out);
  at(past_execution_member(object), out.past_execution_seconds);
  at.list("unhealthyNodes",
          [&](const Field& item) { item("name", out.unhealthy_nodes.emplace_back()); });
  read_gates(at, out);
  at("nominatedClusterNames", out.nominated_clusters);
  at("clusterName", out.cluster);
}

}  // namespace

void read_kind(const Field& at, PodSpecPool* specs, model::AdmissionRequest& out) {
  at.required_member(
      "spec", [&](const Field& spec) { read_spec(spec, specs, is_kueue_v1beta1(out), out.spec); });
  at.member("status", [&](const Field& status) { read_status(status, out, out.status); });
}

}  // namespace tutti::wire
