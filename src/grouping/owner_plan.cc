#include "grouping/owner_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "controllers/job/indexes.h"
#include "controllers/job/job_sync.h"
#include "controllers/workloads/document.h"
#include "controllers/workloads/mapping.h"
#include "grouping/owner_kinds.h"
#include "model/job.h"
#include "wire/json_reader.h"

namespace tutti::grouping {
namespace {

using controllers::at;
using controllers::number_at;
using wire::Value;

constexpr std::string_view kRayGroup = "ray.io/group";
constexpr std::string_view kRayNodeType = "ray.io/node-type";

std::string prefixed(const OwnerKind& kind, std::string_view name) {
  return fmt::format("{}:{}", kind.prefix, name);
}

std::int32_t pods_wanted(const model::Job& job) {
  if (controllers::end_condition(job) != nullptr) return 0;
  const std::int32_t parallelism = std::max(0, job.parallelism.value_or(1));
  if (!job.completions) return parallelism;
  const auto failed = controllers::parse_indexes(job.status.failed_indexes, *job.completions);
  const std::int32_t left =
      *job.completions - job.status.succeeded - static_cast<std::int32_t>(failed.size());
  return std::clamp(left, 0, parallelism);
}

OwnerPlan rule_job(const OwnerKind& kind, const model::Job& job) {
  OwnerPlan ruling;
  ruling.pods_wanted = pods_wanted(job);
  const bool gang = job.scheduling ? job.scheduling->gang : model::has_gang_shape(job);
  if (!gang) return ruling;
  std::int32_t minimum = ruling.pods_wanted;
  if (job.scheduling) minimum = std::min(minimum, job.scheduling->minimum.value_or(minimum));
  ruling.groups.push_back({prefixed(kind, job.meta.name), std::max(1, minimum),
                           job.scheduling ? job.scheduling->topology_key : std::string()});
  return ruling;
}

// Counts members that have done their work and will not come back.
std::int32_t succeeded_in(const Value& document) {
  std::int32_t count = number_at(document, {"status", "succeeded"}, 0);
  for (const auto& member : controllers::members_at(document, {"status", "replicaStatuses"})) {
    count += number_at(member.value, {"succeeded"}, 0);
  }
  return count;
}

// What all members of the group have in common.
model::Labels common_labels(const controllers::Plan& plan, const std::string& group) {
  std::vector<std::pair<std::string, std::string>> common;
  bool first = true;
  for (const auto& member : plan.members) {
    if (member.group != group) continue;
    if (std::exchange(first, false)) common = member.labels;
    std::erase_if(common, [&](const auto& label) {
      return std::ranges::find(member.labels, label) == member.labels.end();
    });
  }
  std::ranges::sort(common);
  return common;
}

std::string job_of(const controllers::Plan& plan, const std::string& group) {
  const auto found = std::ranges::find(plan.members, group, &controllers::PlannedMember::group);
  return found != plan.members.end() && found->is_job ? found->name : std::string();
}

bool is_exclusive(const controllers::Plan& plan) {
  return std::ranges::any_of(plan.groups, [](const controllers::PlannedGroup& group) {
    return !group.topology_key.empty();
  });
}

// What has succeeded is known of the owner as a whole only, and so counts where it is one group.
OwnerPlan rule_by_plan(const OwnerKind& kind, std::string_view owner, const controllers::Plan& plan,
                       std::int32_t succeeded) {
  OwnerPlan ruling;
  if (is_exclusive(plan)) return ruling;
  const bool several = plan.groups.size() > 1 || plan.has_root;
  for (const auto& planned : plan.groups) {
    PlannedGroup group{prefixed(kind, planned.name), planned.minimum};
    group.job = job_of(plan, planned.name);
    group.under_root = plan.has_root && planned.minimum > 0;
    if (several && group.job.empty()) group.labels = common_labels(plan, planned.name);
    if (!several && group.minimum > 0) group.minimum = std::max(1, group.minimum - succeeded);
    ruling.groups.push_back(std::move(group));
  }
  if (plan.has_root) {
    ruling.root = prefixed(kind, owner);
    ruling.root_minimum = plan.root_minimum;
  }
  return ruling;
}

OwnerPlan rule_document(const OwnerKind& kind, const model::Object& owner, const Value& document) {
  const auto* row = controllers::mapping_of(owner);
  if (row == nullptr || row->plan == nullptr) {
    OwnerPlan ruling;
    ruling.groups.push_back({prefixed(kind, owner.meta.name),
                             std::max(1, number_at(document, {"spec", "minMember"}, 1))});
    return ruling;
  }
  const controllers::Neighbours nobody{
      [](std::string_view, std::string_view) -> const Value* { return nullptr; }};
  return rule_by_plan(kind, owner.meta.name, row->plan(document, nobody), succeeded_in(document));
}

// The label as the plan has it: KubeRay calls the head's group by another name than the plan.
const std::string* label_of(const model::Pod& pod, const std::string& key) {
  static const std::string kHead = "head";
  if (key == kRayGroup) {
    const std::string* type = model::find(pod.meta.labels, kRayNodeType);
    if (type != nullptr && *type == kHead) return &kHead;
  }
  return model::find(pod.meta.labels, key);
}

bool has_all(const model::Pod& pod, const model::Labels& labels) {
  return std::ranges::all_of(labels, [&](const auto& label) {
    const std::string* value = label_of(pod, label.first);
    return value != nullptr && *value == label.second;
  });
}

}  // namespace

OwnerPlan rule(const model::Object& owner) {
  const OwnerKind* kind = find_owner_kind(owner);
  TUTTI_CHECK(kind != nullptr);
  if (const auto* job = model::try_as<model::Job>(owner)) return rule_job(*kind, *job);
  OwnerPlan ruling;
  if (owner.document == nullptr) return ruling;
  const Status read = wire::read_json(*owner.document, [&](wire::Document&& document) {
    ruling = rule_document(*kind, owner, document.root());
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a decoded object's document is JSON");
  return ruling;
}

const PlannedGroup* find_group(const OwnerPlan& ruling, const model::Pod& pod,
                               const std::string& job) {
  const auto is_its = [&](const PlannedGroup& group) {
    if (!group.job.empty()) return group.job == job;
    return ruling.groups.size() == 1 || has_all(pod, group.labels);
  };
  const auto found = std::ranges::find_if(ruling.groups, is_its);
  return found != ruling.groups.end() ? &*found : nullptr;
}

}  // namespace tutti::grouping
