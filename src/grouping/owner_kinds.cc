#include "grouping/owner_kinds.h"

#include <algorithm>

#include "controllers/dependents.h"

namespace tutti::grouping {
namespace {

constexpr OwnerKind kKinds[] = {
    {"batch", "Job", "jobs", "job", false},
    {"jobset.x-k8s.io", "JobSet", "jobsets", "jobset"},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets", "leaderworkerset"},
    {"ray.io", "RayCluster", "rayclusters", "raycluster"},
    {"kubeflow.org", "PyTorchJob", "pytorchjobs", "pytorchjob"},
    {"kubeflow.org", "TFJob", "tfjobs", "tfjob"},
    {"kubeflow.org", "MPIJob", "mpijobs", "mpijob"},
    {"kubeflow.org", "XGBoostJob", "xgboostjobs", "xgboostjob"},
    {"kubeflow.org", "PaddleJob", "paddlejobs", "paddlejob"},
    {"batch.volcano.sh", "Job", "jobs", "volcanojob"},
    {"scheduling.volcano.sh", "PodGroup", "podgroups", "volcano"},
    {"scheduling.x-k8s.io", "PodGroup", "podgroups", "scheduler-plugins"},
};

}  // namespace

std::span<const OwnerKind> owner_kinds() { return kKinds; }

const OwnerKind* find_owner_kind(std::string_view api_version, std::string_view kind) {
  const auto at = std::ranges::find_if(kKinds, [&](const OwnerKind& candidate) {
    return candidate.kind == kind && candidate.api_group == controllers::api_group_of(api_version);
  });
  return at != std::end(kKinds) ? &*at : nullptr;
}

const OwnerKind* find_owner_kind(const model::Object& object) {
  if (object.kind == model::Kind::job) return find_owner_kind(object.api_version, "Job");
  if (object.kind != model::Kind::other) return nullptr;
  return find_owner_kind(object.api_version,
                         static_cast<const model::OtherObject&>(object).kind_name);
}

bool is_memory_group(std::string_view name) { return name.find(':') != std::string_view::npos; }

}  // namespace tutti::grouping
