#include "cli/group_origins.h"

#include "controllers/dependents.h"
#include "controllers/workloads/conventions.h"
#include "daemon/origins.h"
#include "model/group.h"

namespace tutti::cli {
namespace {

using controllers::Convention;
using model::Kind;
using whatif::Origin;

// The Job or the workload of another project that the group was made of; null: neither.
model::ObjectPtr maker_of(const store::Store& objects, const model::PodGroup& group) {
  const model::OwnerReference* owner = controllers::controller_of(group.meta);
  if (owner == nullptr) return nullptr;
  if (owner->kind == "Job" && controllers::api_group_of(owner->api_version) == "batch") {
    return objects.get({Kind::job, group.meta.ns, owner->name, {}});
  }
  const std::string kind = owner->api_version + "/" + owner->kind;
  for (const std::string& ns : {group.meta.ns, std::string()}) {
    if (auto found = objects.get({Kind::other, ns, owner->name, kind})) return found;
  }
  return nullptr;
}

// A gang that pods name in others' words.
Origin origin_by_convention(const store::Store& objects, const core::Group& group) {
  const auto count = controllers::who_counts(objects, {Kind::pod_group, group.ns, group.name, {}});
  if (count.group != nullptr) return daemon::origin_in(*count.group, group);
  return count.pods.empty() ? Origin{} : daemon::origin_in_pods(count.pods);
}

// Nobody knows how large the gang is that its pods name.
Origin origin_of_missing(const store::Store& objects, const core::Group& group) {
  const auto names_it = [&](const model::Object& object) {
    return model::as<model::Pod>(object).spec->scheduling_group == group.name;
  };
  const auto pods = objects.list(Kind::pod, group.ns, names_it);
  if (pods.empty()) return {};
  const Convention convention = controllers::joined_by(model::as<model::Pod>(*pods.front()));
  if (convention == Convention::none) return {};
  if (convention == Convention::kueue) return {.of = Origin::Of::nothing};
  return daemon::origin_to_create(controllers::group_version_of(convention), group.ns, group.name);
}

}  // namespace

Origin group_origin(const store::Store& objects, const core::Group& group, bool is_written) {
  if (group.composite) return {};
  if (!group.seen()) return origin_of_missing(objects, group);
  if (const auto maker = maker_of(objects, *group.pod_group)) {
    return daemon::origin_in(*maker, group);
  }
  const bool made = !is_written && controllers::controller_of(group.pod_group->meta) == nullptr;
  return made ? origin_by_convention(objects, group) : Origin{};
}

whatif::GroupVersions versions_in_use(const std::set<std::string>& api_versions) {
  whatif::GroupVersions versions;
  for (const std::string_view version :
       {model::kSchedulingV1Beta1, model::kSchedulingV1Alpha3, model::kSchedulingV1Alpha2}) {
    if (!api_versions.contains(std::string(version))) continue;
    versions.pod_groups = version;
    break;
  }
  return versions;
}

}  // namespace tutti::cli
