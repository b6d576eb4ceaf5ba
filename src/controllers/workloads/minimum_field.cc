#include "controllers/workloads/minimum_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "controllers/dependents.h"
#include "controllers/workloads/conventions.h"
#include "controllers/workloads/document.h"
#include "controllers/workloads/mapping.h"
#include "model/job.h"
#include "wire/json_reader.h"

namespace tutti::controllers {
namespace {

using wire::Value;
using FieldPath = std::vector<std::string>;

const Value* part_of(const Value& value, const std::string& name) {
  if (!value.is_array()) return at(value, {name});
  std::size_t index = 0;
  std::from_chars(name.data(), name.data() + name.size(), index);
  return index < value.items().size() ? &value.items()[index] : nullptr;
}

std::size_t parts_present(const Value& document, const FieldPath& path) {
  const Value* value = &document;
  std::size_t present = 0;
  for (const std::string& name : path) {
    value = part_of(*value, name);
    if (value == nullptr) break;
    ++present;
  }
  return present;
}

// A Job that says nothing is a gang of all its pods by its shape.
MinimumField field_of(const model::Job& job) {
  MinimumField field{{"spec", "scheduling", "schedulingPolicy", "gang", "minCount"}};
  const std::int32_t all = std::max(1, job.parallelism.value_or(1));
  field.now = job.scheduling ? job.scheduling->minimum.value_or(all) : all;
  if (!job.scheduling) {
    field.present = 1;
  } else {
    field.present = field.path.size() - (job.scheduling->minimum ? 0 : 1);
  }
  return field;
}

// The worker group that the gang is made of. Without autoscaling all workers are needed.
std::optional<MinimumField> field_of_ray(const Value& document, FieldPath path,
                                         std::string_view group) {
  const Value* cluster = &document;
  for (const std::string& name : path) {
    cluster = at(*cluster, {name});
    if (cluster == nullptr) return std::nullopt;
  }
  if (!flag_at(*cluster, {"enableInTreeAutoscaling"})) return std::nullopt;
  const std::string owner = text_at(document, {"metadata", "name"});
  const auto workers = items_at(*cluster, {"workerGroupSpecs"});
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (fmt::format("{}-{}", owner, text_at(workers[i], {"groupName"}, "worker")) != group)
      continue;
    path.insert(path.end(), {"workerGroupSpecs", std::to_string(i), "minReplicas"});
    MinimumField field{std::move(path)};
    field.pods = std::max(1, number_at(workers[i], {"numOfHosts"}, 1));
    return field;
  }
  return std::nullopt;
}

std::optional<MinimumField> field_of_workload(const MappingRow& row, const Value& document,
                                              std::string_view group) {
  if (row.api_group == "batch.volcano.sh") return MinimumField{{"spec", "minAvailable"}};
  if (row.api_group == "kubeflow.org") {
    return MinimumField{{"spec", "runPolicy", "schedulingPolicy", "minAvailable"}};
  }
  if (row.kind == "RayCluster") return field_of_ray(document, {"spec"}, group);
  if (row.kind == "RayJob") return field_of_ray(document, {"spec", "rayClusterSpec"}, group);
  return std::nullopt;
}

std::int32_t planned_minimum(const MappingRow& row, const Value& document, std::string_view group) {
  const Neighbours nobody{[](std::string_view, std::string_view) { return nullptr; }};
  const Plan plan = row.plan(document, nobody);
  const auto found = std::ranges::find(plan.groups, group, &PlannedGroup::name);
  return found != plan.groups.end() ? found->minimum : 1;
}

std::optional<MinimumField> field_in(const model::Object& object, const Value& document,
                                     std::string_view group) {
  std::optional<MinimumField> field;
  if (is_foreign_group(object)) {
    field = MinimumField{{"spec", "minMember"}};
    field->now = std::max(1, number_at(document, {"spec", "minMember"}, 1));
  } else if (const MappingRow* row = mapping_of(object); row != nullptr && row->plan != nullptr) {
    field = field_of_workload(*row, document, group);
    if (field) field->now = planned_minimum(*row, document, group);
  }
  if (field) field->present = parts_present(document, field->path);
  return field;
}

}  // namespace

std::optional<MinimumField> minimum_field(const model::Object& object, std::string_view group) {
  if (controller_of(object.meta) != nullptr) return std::nullopt;
  if (const auto* job = model::try_as<model::Job>(object)) return field_of(*job);
  if (object.document == nullptr) return std::nullopt;
  std::optional<MinimumField> field;
  const Status read = wire::read_json(*object.document, [&](wire::Document&& document) {
    field = field_in(object, document.root(), group);
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  return field;
}

}  // namespace tutti::controllers
