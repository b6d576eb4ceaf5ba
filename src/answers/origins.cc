#include "answers/origins.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "controllers/workloads/conventions.h"
#include "controllers/workloads/minimum_field.h"
#include "grouping/owner_kinds.h"
#include "grouping/pod_owner.h"
#include "model/job.h"

namespace tutti::answers {
namespace {

using whatif::Origin;

explain::ObjectName name_of(const model::Object& object) {
  explain::ObjectName name{std::string(model::facts(object.kind).name), object.meta.ns,
                           object.meta.name};
  if (object.kind != model::Kind::other) return name;
  name.kind = static_cast<const model::OtherObject&>(object).kind_name;
  name.api_version = object.api_version;
  return name;
}

// Names of groups in memory have a prefix that those of plans have not.
std::string planned_name(const core::Group& group) {
  const std::size_t prefix = group.name.find(':');
  return prefix == std::string::npos ? group.name : group.name.substr(prefix + 1);
}

Origin nothing() { return {.of = Origin::Of::nothing}; }

// What has succeeded is counted off in memory, and is not what people write.
std::int32_t counted_off(const model::Object& object, const core::Group& group) {
  if (object.kind != model::Kind::other || !group.seen()) return 0;
  const auto field = controllers::minimum_field(object, planned_name(group));
  return field ? std::max(0, field->now - group.spec().policy.minimum) : 0;
}

Origin origin_in_owner(const grouping::MemoryGroups& groups, const model::Object& object,
                       const core::Group& group) {
  if (!controllers::is_foreign_group(object)) {
    Origin origin = origin_in(object, group);
    origin.beyond = counted_off(object, group);
    return origin;
  }
  // One that a workload's controller made says what the workload says.
  const auto above = grouping::owner_of(object.meta);
  const auto owner = above ? groups.find_owner(*above) : nullptr;
  return origin_in(owner != nullptr ? *owner : object, group);
}

// A cluster whose Jobs are grouped in memory may not know spec.scheduling, unless a Job has it.
bool has_scheduling(const model::Object& object) {
  const auto* job = model::try_as<model::Job>(object);
  return job == nullptr || job->scheduling.has_value();
}

Origin origin_in_memory(const grouping::MemoryGroups& groups, const core::Group& group) {
  const auto kind = group.composite ? model::Kind::composite_pod_group : model::Kind::pod_group;
  const auto source = groups.source_of({kind, group.ns, group.name, {}});
  if (!source) return nothing();
  if (!source->owner) return origin_in_pods(source->pods);
  if (source->object != nullptr && has_scheduling(*source->object)) {
    return origin_in_owner(groups, *source->object, group);
  }
  const bool foreign = source->object == nullptr && source->owner->kind->kind == "PodGroup";
  if (!foreign || source->pods.empty()) return nothing();
  const auto convention = controllers::named_by_convention(*source->pods.front()).convention;
  return origin_to_create(controllers::group_version_of(convention), source->owner->ns,
                          source->owner->name);
}

}  // namespace

Origin origin_in(const model::Object& object, const core::Group& group) {
  const auto field =
      group.composite ? std::nullopt : controllers::minimum_field(object, planned_name(group));
  if (!field) return nothing();
  Origin origin{.of = Origin::Of::object, .object = name_of(object)};
  origin.minimum = {field->path, field->present};
  origin.pods_each = field->pods;
  const auto* job = model::try_as<model::Job>(object);
  if (job != nullptr && job->scheduling) origin.topology = "/spec/scheduling/schedulingConstraints";
  return origin;
}

Origin origin_in_pods(std::vector<std::shared_ptr<const model::Pod>> pods) {
  Origin origin{.of = Origin::Of::pods};
  std::erase_if(pods, [](const auto& pod) { return !controllers::counted_by_pod(*pod); });
  if (pods.empty()) return nothing();
  origin.pods = std::move(pods);
  const std::vector<std::string> path = {"metadata", "annotations",
                                         std::string(controllers::kKueueCount)};
  origin.minimum = {path, path.size()};
  return origin;
}

Origin origin_to_create(std::string_view api_version, const std::string& ns,
                        const std::string& name) {
  Origin origin{.of = Origin::Of::object};
  origin.object = {"PodGroup", ns, name, std::string(api_version)};
  origin.minimum = {{"spec", "minMember"}};
  return origin;
}

Origin origin_of(const grouping::MemoryGroups& groups, const core::Group& group) {
  if (!grouping::is_memory_group(group.name)) return {};
  Origin origin = origin_in_memory(groups, group);
  origin.follows_pods = true;
  return origin;
}

}  // namespace tutti::answers
