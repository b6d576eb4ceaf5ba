#include "controllers/queues/work/document_sets.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "controllers/queues/work/documents.h"
#include "controllers/workloads/document.h"

namespace tutti::controllers {
namespace {

using wire::Value;

constexpr std::array<std::string_view, 8> kRoleOrder = {
    "chief", "launcher", "master", "ps", "worker", "evaluator", "eval", "scheduler"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRoles = {{
    {"PyTorchJob", "pytorchReplicaSpecs"},
    {"TFJob", "tfReplicaSpecs"},
    {"MPIJob", "mpiReplicaSpecs"},
    {"XGBoostJob", "xgbReplicaSpecs"},
    {"PaddleJob", "paddleReplicaSpecs"},
}};

std::span<Value> items_in(Value& root, std::initializer_list<std::string_view> path) {
  Value* list = member_at(root, path);
  return list != nullptr && list->is_array() ? list->items() : std::span<Value>();
}

std::vector<DocumentSet> sets_of_jobs(Value& root) {
  std::vector<DocumentSet> sets;
  for (Value& replicated : items_in(root, {"spec", "replicatedJobs"})) {
    Value* job = replicated.find("template");
    Value* form = job != nullptr ? member_at(*job, {"spec", "template"}) : nullptr;
    if (form == nullptr) continue;
    const std::int32_t parallelism = number_at(*job, {"spec", "parallelism"}, 1);
    const std::int32_t at_once =
        std::max(1, std::min(parallelism, number_at(*job, {"spec", "completions"}, parallelism)));
    const std::int32_t jobs = number_at(replicated, {"replicas"}, 1);
    sets.push_back({text_at(replicated, {"name"}), jobs * at_once, at_once, form});
  }
  return sets;
}

std::vector<DocumentSet> sets_of_ray(Value& cluster) {
  std::vector<DocumentSet> sets;
  if (Value* head = member_at(cluster, {"headGroupSpec", "template"})) {
    sets.push_back({"head", 1, 1, head});
  }
  for (Value& group : items_in(cluster, {"workerGroupSpecs"})) {
    Value* form = group.find("template");
    if (form == nullptr) continue;
    const std::int32_t replicas =
        std::max(number_at(group, {"replicas"}, 1), number_at(group, {"minReplicas"}, 0));
    const std::int32_t hosts = std::max(1, number_at(group, {"numOfHosts"}, 1));
    sets.push_back({text_at(group, {"groupName"}, "worker"), replicas * hosts, 1, form});
  }
  return sets;
}

std::vector<DocumentSet> sets_of_roles(Value& root, std::string_view roles) {
  std::vector<DocumentSet> sets;
  Value* specs = member_at(root, {"spec", roles});
  if (specs == nullptr || !specs->is_object()) return sets;
  for (wire::Member& role : specs->members()) {
    Value* form = role.value.find("template");
    if (form == nullptr) continue;
    std::string name;
    for (const char letter : role.key) name += ascii_lower(letter);
    sets.push_back({std::move(name), number_at(role.value, {"replicas"}, 1), 1, form});
  }
  std::ranges::stable_sort(sets, {}, [](const DocumentSet& set) {
    return std::ranges::find(kRoleOrder, set.name) - kRoleOrder.begin();
  });
  return sets;
}

}  // namespace

std::vector<DocumentSet> document_sets(Value& root, std::string_view kind) {
  if (kind == "JobSet") return sets_of_jobs(root);
  if (kind == "RayCluster" || kind == "RayJob") {
    Value* cluster =
        kind == "RayJob" ? member_at(root, {"spec", "rayClusterSpec"}) : member_at(root, {"spec"});
    return cluster != nullptr ? sets_of_ray(*cluster) : std::vector<DocumentSet>{};
  }
  const auto row = std::ranges::find(kRoles, kind, [](const auto& each) { return each.first; });
  return row != kRoles.end() ? sets_of_roles(root, row->second) : std::vector<DocumentSet>{};
}

}  // namespace tutti::controllers
