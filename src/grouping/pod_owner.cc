#include "grouping/pod_owner.h"

#include "controllers/dependents.h"
#include "controllers/workloads/conventions.h"

namespace tutti::grouping {
namespace {

constexpr std::string_view kKueueFast = "kueue.x-k8s.io/pod-group-fast-admission";
constexpr std::string_view kSetName = "leaderworkerset.sigs.k8s.io/name";

bool comes_one_by_one(const model::Pod& pod) {
  const std::string* fast = model::find(pod.meta.annotations, kKueueFast);
  return fast != nullptr && *fast == "true";
}

OwnerKey foreign_group(controllers::Convention convention, const model::Pod& pod,
                       const std::string& name) {
  return {find_owner_kind(controllers::group_version_of(convention), "PodGroup"), pod.meta.ns,
          name};
}

}  // namespace

std::optional<OwnerKey> owner_of(const model::ObjectMeta& meta) {
  const auto* reference = controllers::controller_of(meta);
  if (reference == nullptr) return std::nullopt;
  const OwnerKind* kind = find_owner_kind(reference->api_version, reference->kind);
  if (kind == nullptr) return std::nullopt;
  return OwnerKey{kind, meta.ns, reference->name};
}

PodOwnerClues clues_of(const model::Pod& pod) {
  using controllers::Convention;
  PodOwnerClues clues;
  if (pod.spec == nullptr || !pod.spec->scheduling_group.empty()) return clues;
  const auto [convention, name] = controllers::named_by_convention(pod);
  switch (convention) {
    case Convention::kueue:
      clues.own_minimum = controllers::counted_by_pod(pod).value_or(0);
      if (clues.own_minimum > 0 && !comes_one_by_one(pod)) clues.own_group = "kueue:" + name;
      return clues;
    case Convention::volcano:
    case Convention::scheduler_plugins:
      clues.owner = foreign_group(convention, pod, name);
      return clues;
    case Convention::none:
      break;
  }
  if (const auto* set = model::find(pod.meta.labels, kSetName)) {
    // Its pods belong to StatefulSets, and those of workers to the leader's pod.
    clues.owner = OwnerKey{find_owner_kind("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
                           pod.meta.ns, *set};
  } else {
    clues.owner = owner_of(pod.meta);
    if (clues.owner) clues.owner_uid = controllers::controller_of(pod.meta)->uid;
  }
  return clues;
}

}  // namespace tutti::grouping
