#include "session/work/group_origins.h"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "answers/origins.h"
#include "controllers/dependents.h"
#include "controllers/workloads/conventions.h"
#include "model/group.h"
#include "session/work/work_verdict.h"

namespace tutti::session {
namespace {

using controllers::Convention;
using model::Kind;
using whatif::Origin;

// The Job or the workload of another project that the group was made of; null: neither.
model::ObjectPtr maker_of(const store::Store& objects, const model::ObjectMeta& group) {
  const model::OwnerReference* owner = controllers::controller_of(group);
  if (owner == nullptr) return nullptr;
  if (owner->kind == "Job" && controllers::api_group_of(owner->api_version) == "batch") {
    return objects.get({Kind::job, group.ns, owner->name, {}});
  }
  const std::string kind = owner->api_version + "/" + owner->kind;
  for (const std::string& ns : {group.ns, std::string()}) {
    if (auto found = objects.get({Kind::other, ns, owner->name, kind})) return found;
  }
  return nullptr;
}

using Path = std::vector<std::string>;

// Finds the template in the Workload, below the parts above; empty: there is none.
Path template_path(const std::vector<model::GroupTemplate>& pod_groups,
                   const std::vector<model::GroupTemplate>& composites, const core::Group& group,
                   const std::string& name, const Path& above) {
  const auto below = [&](std::string_view list, std::size_t index) {
    Path path = above;
    path.insert(path.end(), {std::string(list), std::to_string(index)});
    return path;
  };
  for (std::size_t i = 0; i < pod_groups.size() && !group.composite; ++i) {
    if (pod_groups[i].name == name) return below("podGroupTemplates", i);
  }
  for (std::size_t i = 0; i < composites.size(); ++i) {
    Path here = below("compositePodGroupTemplates", i);
    if (group.composite && composites[i].name == name) return here;
    Path deeper =
        template_path(composites[i].pod_groups, composites[i].composites, group, name, here);
    if (!deeper.empty()) return deeper;
  }
  return {};
}

// A group that is made of a Workload as pods name it says what the template says.
Origin origin_in_workload(const store::Store& objects, const core::Group& group) {
  const auto& reference =
      group.composite ? group.composite_group->workload : group.pod_group->workload;
  const auto workload =
      reference ? objects.find<model::Workload>(group.ns, reference->workload) : nullptr;
  if (workload == nullptr) return {.of = Origin::Of::nothing};
  const Path path = template_path(workload->pod_groups, workload->composites, group,
                                  reference->template_name, {"spec"});
  if (path.empty()) return {.of = Origin::Of::nothing};
  Origin origin{.of = Origin::Of::object, .object = {"Workload", group.ns, reference->workload}};
  const auto field = [&](std::initializer_list<std::string> more) {
    Path full = path;
    full.insert(full.end(), more);
    return Origin::Field{full, full.size()};
  };
  origin.minimum =
      field({"schedulingPolicy", "gang", group.composite ? "minGroupCount" : "minCount"});
  for (const std::string& part : path) origin.topology += "/" + part;
  origin.topology += "/schedulingConstraints";
  origin.priority = field({"priorityClassName"});
  if (group.spec().priority_class_name.empty()) --origin.priority.present;
  return origin;
}

bool is_of_workload(const model::ObjectMeta& meta) {
  const model::OwnerReference* owner = controllers::controller_of(meta);
  return owner != nullptr && owner->kind == model::facts(Kind::workload).name;
}

// A gang that pods name in others' words.
Origin origin_by_convention(const store::Store& objects, const core::Group& group) {
  const auto count = controllers::who_counts(objects, {Kind::pod_group, group.ns, group.name, {}});
  if (count.group != nullptr) return answers::origin_in(*count.group, group);
  return count.pods.empty() ? Origin{} : answers::origin_in_pods(count.pods);
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
  return answers::origin_to_create(controllers::group_version_of(convention), group.ns, group.name);
}

}  // namespace

Origin group_origin(const store::Store& objects, const core::Group& group, bool is_written) {
  if (!group.seen()) return group.composite ? Origin{} : origin_of_missing(objects, group);
  const model::ObjectMeta& meta =
      group.composite ? group.composite_group->meta : group.pod_group->meta;
  if (is_of_workload(meta)) return is_written ? Origin{} : origin_in_workload(objects, group);
  if (group.composite) return {};
  if (const auto maker = maker_of(objects, meta)) return answers::origin_in(*maker, group);
  const bool made = !is_written && controllers::controller_of(meta) == nullptr;
  return made ? origin_by_convention(objects, group) : Origin{};
}

Origin in_cron_job(Origin origin, const model::Object& cron) {
  constexpr std::array<std::string_view, 2> kForm = {"spec", "jobTemplate"};
  for (whatif::Origin::Field* field : {&origin.minimum, &origin.priority}) {
    if (field->path.empty()) continue;
    field->path.insert(field->path.begin(), kForm.begin(), kForm.end());
    field->present += kForm.size();
  }
  if (!origin.topology.empty()) origin.topology.insert(0, "/spec/jobTemplate");
  origin.object = name_of_work(cron);
  return origin;
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

}  // namespace tutti::session
