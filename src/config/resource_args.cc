#include "config/resource_args.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/strict.h"

namespace tutti::config {
namespace {

using wire::Field;

constexpr std::int32_t kWeightMax = 100;
constexpr std::int32_t kUtilizationMax = 100;
constexpr std::int32_t kShapeScoreMax = 10;

constexpr wire::EnumTable<core::FitArgs::Strategy, 3> kStrategies = {{
    {"LeastAllocated", core::FitArgs::Strategy::least_allocated},
    {"MostAllocated", core::FitArgs::Strategy::most_allocated},
    {"RequestedToCapacityRatio", core::FitArgs::Strategy::requested_to_capacity_ratio},
}};

core::WeightedResource read_resource(const Field& at, std::int32_t weight_max) {
  only_members(at, {"name", "weight"});
  core::WeightedResource out;
  at.required("name", out.name);
  std::int32_t weight = 1;
  at.member("weight", [&](const Field& field) {
    read(field, weight);
    if (weight == 0) weight = 1;  // how typed clients say "not given"
    if (weight >= 1 && weight <= weight_max) return;
    field.fail(weight_max == 1
                   ? fmt::format("must be 1, is {}", weight)
                   : fmt::format("must be between 1 and {}, is {}", weight_max, weight));
  });
  out.weight = weight;
  return out;
}

// Keeps the default when the list is empty, as kube-scheduler does.
void read_resources(const Field& at, std::int32_t weight_max,
                    std::vector<core::WeightedResource>& out) {
  std::vector<core::WeightedResource> resources;
  at.list("resources", [&](const Field& item) {
    core::WeightedResource resource = read_resource(item, weight_max);
    const bool seen = std::ranges::any_of(
        resources, [&](const auto& other) { return other.name == resource.name; });
    if (seen) item.fail(fmt::format("'{}' is listed twice", resource.name));
    resources.push_back(std::move(resource));
  });
  if (!resources.empty()) out = std::move(resources);
}

void read_shape(const Field& at, std::vector<core::ShapePoint>& out) {
  only_members(at, {"shape"});
  at.list("shape", [&](const Field& item) {
    only_members(item, {"utilization", "score"});
    core::ShapePoint point;
    read_within(item, "utilization", 0, kUtilizationMax, point.utilization);
    read_within(item, "score", 0, kShapeScoreMax, point.score);
    if (!out.empty() && point.utilization <= out.back().utilization) {
      item.fail(fmt::format("utilization must rise from point to point: {} follows {}",
                            point.utilization, out.back().utilization));
    }
    out.push_back(point);
  });
}

void read_strategy(const Field& at, core::FitArgs& out) {
  only_members(at, {"type", "resources", "requestedToCapacityRatio"});
  at("type", out.strategy, kStrategies);
  read_resources(at, kWeightMax, out.resources);
  const bool given = at.member("requestedToCapacityRatio",
                               [&](const Field& field) { read_shape(field, out.shape); });
  if (out.strategy != core::FitArgs::Strategy::requested_to_capacity_ratio) {
    out.shape.clear();
  } else if (!given || out.shape.empty()) {
    at.fail_member("requestedToCapacityRatio", "needs a shape of at least one point");
  }
}

void read_groups(const Field& at, std::vector<std::string>& out) {
  at.list("ignoredResourceGroups", [&](const Field& item) {
    std::string group;
    read(item, group);
    if (group.find('/') != std::string::npos) {
      item.fail(fmt::format("must be the part before the '/', is '{}'", group));
    }
    out.push_back(std::move(group));
  });
}

}  // namespace

void read_args(const Field& at, core::FitArgs& out) {
  only_members(
      at, {"apiVersion", "kind", "scoringStrategy", "ignoredResources", "ignoredResourceGroups"});
  at("ignoredResources", out.ignored_resources);
  read_groups(at, out.ignored_groups);
  at.member("scoringStrategy", [&](const Field& field) { read_strategy(field, out); });
}

void read_args(const Field& at, core::BalancedAllocationArgs& out) {
  only_members(at, {"apiVersion", "kind", "resources"});
  read_resources(at, 1, out.resources);
}

}  // namespace tutti::config
