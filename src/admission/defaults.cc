#include "admission/defaults.h"

#include <algorithm>

#include "model/apps.h"
#include "model/cluster.h"
#include "model/device.h"
#include "model/group.h"
#include "model/job.h"
#include "model/node.h"

namespace tutti::admission {
namespace {

using model::Labels;
using model::PodSpec;
using model::Requirement;
using model::Toleration;

constexpr std::int64_t kGraceSeconds = 30;
constexpr std::int64_t kNodeLossSeconds = 300;
constexpr std::int32_t kBackoffLimit = 6;
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kNamespaceLabel = "kubernetes.io/metadata.name";

template <typename Value>
void put_if_absent(std::vector<std::pair<std::string, Value>>& sorted, std::string_view key,
                   const Value& value) {
  const auto at = std::ranges::lower_bound(
      sorted, key, {}, [](const auto& entry) -> std::string_view { return entry.first; });
  if (at != sorted.end() && at->first == key) return;
  sorted.emplace(at, std::string(key), value);
}

void default_container(model::Container& container, bool host_network) {
  for (const auto& [name, limit] : container.limits) put_if_absent(container.requests, name, limit);
  if (!host_network) return;
  for (model::ContainerPort& port : container.ports) {
    if (port.host_port == 0) port.host_port = port.container_port;
  }
}

bool outlasts(const Toleration& toleration, std::string_view taint) {
  return (toleration.key.empty() || toleration.key == taint) &&
         (toleration.effect.empty() || toleration.effect == "NoExecute");
}

// A pod survives the loss of its node for five minutes unless it says otherwise.
void default_toleration(std::vector<Toleration>& tolerations, std::string_view taint) {
  const auto covers = [&](const Toleration& toleration) { return outlasts(toleration, taint); };
  if (std::ranges::any_of(tolerations, covers)) return;
  tolerations.push_back(
      {std::string(taint), Toleration::Operator::exists, "", "NoExecute", kNodeLossSeconds});
}

// Keys of labels that the pod lacks are ignored.
void merge_label_keys(const std::vector<std::string>& keys, Requirement::Operator op,
                      const Labels& labels, std::optional<model::LabelSelector>& selector) {
  if (!selector) return;
  for (const std::string& key : keys) {
    const std::string* const value = model::find(labels, key);
    if (value == nullptr) continue;
    Requirement merged{key, op, {*value}};
    auto& expressions = selector->match_expressions;
    if (std::ranges::find(expressions, merged) == expressions.end()) {
      expressions.push_back(std::move(merged));
    }
  }
}

// Calls `visit` with every affinity term, constant or not as the spec is.
template <typename Spec, typename Visit>
void for_each_affinity_term(Spec& spec, Visit visit) {
  for (auto* affinity : {&spec.affinity, &spec.anti_affinity}) {
    for (auto& term : affinity->required) visit(term);
    for (auto& weighted : affinity->preferred) visit(weighted.term);
  }
}

// Spread constraints keep their keys apart: the scheduler adds them when it counts.
void merge_affinity_keys(PodSpec& spec, const Labels& labels) {
  for_each_affinity_term(spec, [&](model::PodAffinityTerm& term) {
    merge_label_keys(term.match_label_keys, Requirement::Operator::in, labels, term.selector);
    merge_label_keys(term.mismatch_label_keys, Requirement::Operator::not_in, labels,
                     term.selector);
  });
}

void default_spec(PodSpec& spec, const Labels& labels) {
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  if (spec.restart_policy.empty()) spec.restart_policy = "Always";
  if (!spec.termination_grace_seconds) spec.termination_grace_seconds = kGraceSeconds;
  for (auto& container : spec.init_containers) default_container(container, spec.host_network);
  for (auto& container : spec.containers) default_container(container, spec.host_network);
  default_toleration(spec.tolerations, kNotReady);
  default_toleration(spec.tolerations, kUnreachable);
  merge_affinity_keys(spec, labels);
}

// Names the edit and the labels it reads: pods whose labels differ elsewhere share the result.
std::string variant_of(const PodSpec& spec, const Labels& labels) {
  std::string variant = "defaults";
  const auto add = [&](const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      const std::string* const value = model::find(labels, key);
      variant += value != nullptr ? "\n=" + *value : "\n";
    }
  };
  for_each_affinity_term(spec, [&](const model::PodAffinityTerm& term) {
    add(term.match_label_keys);
    add(term.mismatch_label_keys);
  });
  return variant;
}

void mark_gated(model::Pod& pod) {
  if (pod.spec->scheduling_gates.empty()) return;
  if (model::find(pod.status.conditions, "PodScheduled") != nullptr) return;
  model::Condition gated;
  gated.type = "PodScheduled";
  gated.status = "False";
  gated.reason = "SchedulingGated";
  gated.message = "held until its scheduling gates are removed";
  pod.status.conditions.push_back(std::move(gated));
}

void fill_in(model::Pod& pod, SpecRewrites& rewrites) {
  if (pod.spec == nullptr) return;
  pod.spec = rewrites.rewritten(pod.spec, variant_of(*pod.spec, pod.meta.labels),
                                [&](PodSpec& spec) { default_spec(spec, pod.meta.labels); });
  mark_gated(pod);
}

void fill_in(model::Node& node) {
  if (node.allocatable.empty()) node.allocatable = node.capacity;
}

void fill_in(model::GroupSpec& spec) {
  if (!spec.policy.gang) spec.policy.minimum = 1;
}

void fill_in(model::ClaimSpec& spec) {
  for (auto& request : spec.requests) {
    for (auto& wish : request.wishes) {
      if (wish.mode.empty()) wish.mode = "ExactCount";
      if (wish.mode == "ExactCount" && wish.count == 0) wish.count = 1;
    }
  }
}

// One pod that ends, unless the Job says how many run at once: then whoever ends first ends it.
void fill_in(model::Job& job) {
  if (!job.parallelism && !job.completions) job.completions = 1;
  if (!job.parallelism) job.parallelism = 1;
  if (!job.backoff_limit) job.backoff_limit = kBackoffLimit;
}

void fill_in(model::ReplicaKeeper& keeper) {
  if (keeper.pods.spec && !keeper.replicas) keeper.replicas = 1;
}

void fill_in_volume_mode(std::string& mode) {
  if (mode.empty()) mode = "Filesystem";
}

// The kind was tested by the caller's switch.
template <typename T>
T& as_mutable(model::Object& object) {
  TUTTI_CHECK(object.kind == T::kKind);
  return static_cast<T&>(object);
}

bool preferred_before(const model::StorageClass& a, const model::StorageClass& b) {
  if (a.meta.created != b.meta.created) return a.meta.created > b.meta.created;
  return a.meta.name < b.meta.name;
}

}  // namespace

void apply_defaults(model::Object& object, SpecRewrites& rewrites) {
  using model::Kind;
  switch (object.kind) {
    case Kind::pod:
      return fill_in(as_mutable<model::Pod>(object), rewrites);
    case Kind::node:
      return fill_in(as_mutable<model::Node>(object));
    case Kind::ns:
      return put_if_absent(object.meta.labels.edit(), kNamespaceLabel, object.meta.name);
    case Kind::persistent_volume_claim:
      return fill_in_volume_mode(as_mutable<model::PersistentVolumeClaim>(object).volume_mode);
    case Kind::persistent_volume:
      return fill_in_volume_mode(as_mutable<model::PersistentVolume>(object).volume_mode);
    case Kind::job:
      return fill_in(as_mutable<model::Job>(object));
    case Kind::deployment:
      return fill_in(as_mutable<model::Deployment>(object));
    case Kind::replica_set:
      return fill_in(as_mutable<model::ReplicaSet>(object));
    case Kind::stateful_set:
      return fill_in(as_mutable<model::StatefulSet>(object));
    case Kind::pod_group:
      return fill_in(as_mutable<model::PodGroup>(object).spec);
    case Kind::composite_pod_group:
      return fill_in(as_mutable<model::CompositePodGroup>(object).spec);
    case Kind::resource_claim:
      return fill_in(as_mutable<model::ResourceClaim>(object).spec);
    case Kind::resource_claim_template:
      return fill_in(as_mutable<model::ResourceClaimTemplate>(object).spec);
    default:
      return;
  }
}

void apply_default_class(model::PersistentVolumeClaim& claim,
                         std::span<const model::StorageClass* const> classes) {
  if (claim.storage_class) return;
  const model::StorageClass* chosen = nullptr;
  for (const model::StorageClass* const candidate : classes) {
    if (!candidate->is_default) continue;
    if (chosen == nullptr || preferred_before(*candidate, *chosen)) chosen = candidate;
  }
  if (chosen != nullptr) claim.storage_class = chosen->meta.name;
}

}  // namespace tutti::admission
