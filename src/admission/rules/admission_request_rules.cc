// Rules of Kueue's Workload, and what may change in one.
#include <fmt/format.h>

#include <algorithm>

#include "admission/checks/checks.h"
#include "admission/rules/kind_rules.h"
#include "admission/rules/update_rules.h"
#include "expr/integer.h"

namespace tutti::admission {
namespace {

using model::AdmissionRequest;

constexpr std::size_t kPodSetsMax = 18;
constexpr std::size_t kGatesMax = 8;
constexpr std::size_t kStatusItemsMax = 8;
constexpr std::size_t kSliceLayersMax = 3;
constexpr std::string_view kPods = "pods";
constexpr std::string_view kBoost = "kueue.x-k8s.io/priority-boost";
constexpr std::string_view kElastic = "kueue.x-k8s.io/elastic-job";

bool is_elastic(const AdmissionRequest& request) {
  const std::string* elastic = model::find(request.meta.annotations, kElastic);
  return elastic != nullptr && *elastic == "true";
}

const model::PodSet* find_pod_set(const AdmissionRequest& request, std::string_view name) {
  const auto& sets = request.spec.pod_sets;
  const auto at = std::ranges::find(sets, name, &model::PodSet::name);
  return at != sets.end() ? &*at : nullptr;
}

void check_pod_set_name(const AdmissionRequest& request, std::string_view name, const Path& path,
                        Findings& findings) {
  if (find_pod_set(request, name) != nullptr) return;
  findings.add(path, "must be one of spec.podSets, is '{}'", name);
}

// Kueue counts pods itself, under this name.
void check_no_pods_resource(const std::vector<model::Container>& containers, std::string_view list,
                            const Path& spec, Findings& findings) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Path resources = spec.item(list, i);
    if (model::find(containers[i].requests, kPods) == nullptr) continue;
    findings.add(resources.field("resources.requests[pods]"), "must be absent: pods are counted");
  }
}

void check_pods(const model::PodTemplate& pods, const Path& path, Findings& findings) {
  const Path meta = path.field("metadata");
  check_labels(pods.labels, "labels", meta, findings);
  if (pods.spec == nullptr) return;
  const Path spec = path.field("spec");
  check_no_pods_resource(pods.spec->init_containers, "initContainers", spec, findings);
  check_no_pods_resource(pods.spec->containers, "containers", spec, findings);
}

void check_topology_request(const model::PodSetTopologyRequest& request, const Path& path,
                            Findings& findings) {
  if (request.sub_group_count) {
    check_at_least(*request.sub_group_count, 0, path.field("subGroupCount"), findings);
  }
  if (request.slice_size) {
    check_at_least(*request.slice_size, 1, path.field("podSetSliceSize"), findings);
  }
  constexpr std::string_view kLayers = "podsetSliceRequiredTopologyConstraints";
  check_at_most_items(request.slice_layers.size(), kSliceLayersMax, path.field(kLayers), findings);
  for (std::size_t i = 0; i < request.slice_layers.size(); ++i) {
    const Path layer = path.item(kLayers, i);
    if (request.slice_layers[i].topology.empty()) {
      findings.add(layer.field("topology"), "is required");
    }
    check_at_least(request.slice_layers[i].size, 1, layer.field("size"), findings);
  }
}

void check_pod_set(const model::PodSet& set, const Path& path, Findings& findings) {
  check_dns_label(set.name, path.field("name"), findings);
  check_at_least(set.count, 0, path.field("count"), findings);
  if (set.min_count && (*set.min_count < 1 || *set.min_count > set.count)) {
    findings.add(path.field("minCount"), "must be between 1 and count, which is {}, is {}",
                 set.count, *set.min_count);
  }
  check_pods(set.pods, path.field("template"), findings);
  if (set.topology) check_topology_request(*set.topology, path.field("topologyRequest"), findings);
}

void check_pod_sets(const AdmissionRequest& request, Findings& findings) {
  const Path spec("spec");
  const Path list = spec.field("podSets");
  const auto& sets = request.spec.pod_sets;
  if (sets.empty() || sets.size() > kPodSetsMax) {
    findings.add(list, "must have 1 to {} entries, has {}", kPodSetsMax, sets.size());
  }
  Unique names;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Path place = spec.item("podSets", i);
    check_pod_set(sets[i], place, findings);
    names.see(sets[i].name, place.field("name"), findings);
  }
  const auto varying = std::ranges::count_if(
      sets, [](const model::PodSet& set) { return set.min_count.has_value(); });
  if (varying > 1) {
    findings.add(list, "must have at most one entry with minCount, has {}", varying);
  }
  if (varying > 0 && is_elastic(request)) {
    findings.add(list, "must have no minCount in an elastic job");
  }
}

void check_priority(const AdmissionRequest& request, Findings& findings) {
  const Path spec("spec");
  const auto& reference = request.spec.priority_class;
  const std::string* boost = model::find(request.meta.annotations, kBoost);
  const Path meta("metadata");
  if (boost != nullptr) check_integer(*boost, meta.entry("annotations", kBoost), findings);
  if (!reference) return;
  if (!request.spec.priority) {
    findings.add(spec.field("priority"), "is required with the name of a priority class");
  }
  const bool old = request.api_version == model::kKueueV1Beta1;
  const Path place = old ? spec : spec.field("priorityClassRef");
  check_dns_subdomain(reference->name, place.field(old ? "priorityClassName" : "name"), findings);
  check_one_of(reference->group, {"kueue.x-k8s.io", "scheduling.k8s.io"}, place.field("group"),
               findings);
  const bool of_workloads = reference->group == "kueue.x-k8s.io";
  const std::string_view kind = of_workloads ? "WorkloadPriorityClass" : "PriorityClass";
  if (reference->kind != kind) {
    findings.add(place.field("kind"), "must be {} for the group '{}', is '{}'", kind,
                 reference->group, reference->kind);
  }
}

void check_admission(const AdmissionRequest& request, Findings& findings) {
  if (!has_quota(request)) return;
  const Path path("status.admission");
  if (!request.status.admission) {
    findings.add(path, "is required while QuotaReserved is True");
    return;
  }
  const auto& assignments = request.status.admission->pod_sets;
  if (assignments.size() != request.spec.pod_sets.size()) {
    findings.add(path.field("podSetAssignments"), "must have one entry per podSet ({}), has {}",
                 request.spec.pod_sets.size(), assignments.size());
  }
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const Path place = path.item("podSetAssignments", i);
    check_pod_set_name(request, assignments[i].pod_set, place.field("name"), findings);
    if (assignments[i].count) {
      check_at_least(*assignments[i].count, 0, place.field("count"), findings);
    }
  }
}

void check_updates(const AdmissionRequest& request, const model::AdmissionCheckState& check,
                   const Path& path, Findings& findings) {
  for (std::size_t i = 0; i < check.updates.size(); ++i) {
    const model::PodSetUpdate& update = check.updates[i];
    const Path place = path.item("podSetUpdates", i);
    check_pod_set_name(request, update.pod_set, place.field("name"), findings);
    check_labels(update.labels, "labels", place, findings);
    check_labels(update.node_selector, "nodeSelector", place, findings);
    check_added_tolerations(update.tolerations, place, findings);
  }
}

void check_status(const AdmissionRequest& request, Findings& findings) {
  const Path status("status");
  const model::AdmissionRequestStatus& written = request.status;
  check_words(written.unknown_words, findings);
  check_admission(request, findings);
  for (std::size_t i = 0; i < written.reclaimable.size(); ++i) {
    const model::ReclaimablePods& pods = written.reclaimable[i];
    const Path place = status.item("reclaimablePods", i);
    check_pod_set_name(request, pods.pod_set, place.field("name"), findings);
    check_at_least(pods.count, 0, place.field("count"), findings);
    const model::PodSet* set = find_pod_set(request, pods.pod_set);
    if (set != nullptr && pods.count > set->count) {
      findings.add(place.field("count"), "must be at most the podSet's count, which is {}, is {}",
                   set->count, pods.count);
    }
  }
  check_at_most_items(written.checks.size(), kStatusItemsMax, status.field("admissionChecks"),
                      findings);
  for (std::size_t i = 0; i < written.checks.size(); ++i) {
    check_updates(request, written.checks[i], status.item("admissionChecks", i), findings);
  }
  check_at_most_items(written.unhealthy_nodes.size(), kStatusItemsMax,
                      status.field("unhealthyNodes"), findings);
  if (!written.cluster.empty() && !written.nominated_clusters.empty()) {
    findings.add(status.field("nominatedClusterNames"), "must be empty once clusterName is set");
  }
}

// The size of an elastic job may change while it runs.
bool same_pod_sets(const AdmissionRequest& before, const AdmissionRequest& after) {
  if (!is_elastic(after)) return before.spec.pod_sets == after.spec.pod_sets;
  return std::ranges::equal(before.spec.pod_sets, after.spec.pod_sets,
                            [](model::PodSet a, const model::PodSet& b) {
                              a.count = b.count;
                              return a == b;
                            });
}

void check_class_change(const AdmissionRequest& before, const AdmissionRequest& after,
                        Findings& findings) {
  const auto& old = before.spec.priority_class;
  const auto& now = after.spec.priority_class;
  const Path path("spec.priorityClassRef");
  if (old.has_value() != now.has_value()) {
    findings.add(path, "is immutable while quota is reserved");
  } else if (old && (old->group != now->group ||
                     (old->group != "kueue.x-k8s.io" && old->name != now->name))) {
    findings.add(path, "may only name another WorkloadPriorityClass while quota is reserved");
  }
}

// Where the pods go may be said later than which flavors they use.
void check_admission_change(const AdmissionRequest& before, const AdmissionRequest& after,
                            Findings& findings) {
  if (!before.status.admission || !after.status.admission) return;
  model::Admission old = *before.status.admission;
  const model::Admission& now = *after.status.admission;
  if (old.pod_sets.size() == now.pod_sets.size()) {
    for (std::size_t i = 0; i < old.pod_sets.size(); ++i) {
      old.pod_sets[i].topology = now.pod_sets[i].topology;
      old.pod_sets[i].delayed_topology = now.pod_sets[i].delayed_topology;
    }
  }
  check_frozen(old, now, Path("status.admission"), findings);
}

void check_reclaimable_change(const AdmissionRequest& before, const AdmissionRequest& after,
                              Findings& findings) {
  if (is_elastic(after)) return;
  for (const model::ReclaimablePods& old : before.status.reclaimable) {
    const auto& now = after.status.reclaimable;
    const auto at = std::ranges::find(now, old.pod_set, &model::ReclaimablePods::pod_set);
    const std::int32_t count = at != now.end() ? at->count : 0;
    if (count >= old.count) continue;
    findings.add(Path("status.reclaimablePods"), "must not shrink for podSet '{}': was {}, is {}",
                 old.pod_set, old.count, count);
  }
}

}  // namespace

void check_kind(const AdmissionRequest& request, Findings& findings) {
  const Path spec("spec");
  check_pod_sets(request, findings);
  check_optional_name(request.spec.queue, spec.field("queueName"), findings);
  check_priority(request, findings);
  if (request.spec.max_execution_seconds) {
    check_at_least(*request.spec.max_execution_seconds, 1,
                   spec.field("maximumExecutionTimeSeconds"), findings);
  }
  check_at_most_items(request.spec.preemption_gates.size(), kGatesMax,
                      spec.field("preemptionGates"), findings);
  check_status(request, findings);
}

void check_change(const AdmissionRequest& before, const AdmissionRequest& after,
                  Findings& findings) {
  const Path spec("spec");
  if (has_quota(before)) {
    if (!same_pod_sets(before, after)) {
      findings.add(spec.field("podSets"), "is immutable while quota is reserved");
    }
    check_class_change(before, after, findings);
  }
  if (has_quota(before) && has_quota(after)) {
    check_frozen_text(before.spec.queue, after.spec.queue, spec.field("queueName"), findings);
    check_reclaimable_change(before, after, findings);
  }
  if (has_condition(before, "Admitted") && has_condition(after, "Admitted")) {
    check_frozen(before.spec.max_execution_seconds, after.spec.max_execution_seconds,
                 spec.field("maximumExecutionTimeSeconds"), findings);
  }
  check_admission_change(before, after, findings);
  if (!before.status.cluster.empty() && !after.status.cluster.empty()) {
    check_frozen_text(before.status.cluster, after.status.cluster, Path("status.clusterName"),
                      findings);
  }
}

}  // namespace tutti::admission
