#include "controllers/workloads/stamping.h"

#include <algorithm>

#include "controllers/dependents.h"

namespace tutti::controllers {
namespace {

using model::GroupTemplate;
using model::Kind;
using model::Workload;
using TemplatePath = std::vector<const GroupTemplate*>;  // from the root to the template

std::string group_name(const Workload& workload, const GroupTemplate& form) {
  return workload.meta.name + "-" + form.name;
}

// Where the PodGroup template of this name lies; empty: nowhere.
TemplatePath find_template(const std::vector<GroupTemplate>& pod_groups,
                           const std::vector<GroupTemplate>& composites, std::string_view name) {
  const auto leaf = std::ranges::find(pod_groups, name, &GroupTemplate::name);
  if (leaf != pod_groups.end()) return {&*leaf};
  for (const GroupTemplate& composite : composites) {
    TemplatePath below = find_template(composite.pod_groups, composite.composites, name);
    if (below.empty()) continue;
    below.insert(below.begin(), &composite);
    return below;
  }
  return {};
}

template <typename Group>
Group make(const Workload& workload, const GroupTemplate& form, const GroupTemplate* parent,
           std::string_view api_version) {
  Group out;
  out.api_version = api_version;
  out.meta.ns = workload.meta.ns;
  out.meta.name = group_name(workload, form);
  out.meta.owners = {controller_reference(workload)};
  out.workload = {workload.meta.name, form.name};
  if (parent != nullptr) out.parent = group_name(workload, *parent);
  out.spec = form.spec;
  return out;
}

bool is_hand_written(const Workload& workload) {
  return !workload.controller && !workload.meta.deletion;
}

}  // namespace

void StampingController::observe(const store::WatchEvent& event) {
  if (!event.after || event.before) return;
  if (const auto* pod = model::try_as<model::Pod>(*event.after)) {
    const std::string& group = pod->spec->scheduling_group;
    const Kind kind = Kind::pod_group;
    if (!group.empty() && !objects().get({kind, pod->meta.ns, group, {}})) {
      look_at({kind, pod->meta.ns, group, {}});
    }
  } else if (const auto* workload = model::try_as<Workload>(*event.after)) {
    if (is_hand_written(*workload)) look_at_waiting_pods(*workload);
  }
}

void StampingController::look_at_waiting_pods(const Workload& workload) {
  const std::string prefix = workload.meta.name + "-";
  for (const auto& object : objects().list(Kind::pod, workload.meta.ns)) {
    const std::string& group = model::as<model::Pod>(*object).spec->scheduling_group;
    if (group.starts_with(prefix)) look_at({Kind::pod_group, workload.meta.ns, group, {}});
  }
}

void StampingController::reconcile(const model::ObjectKey& key) {
  if (objects().get(key)) return;
  // A name may be split at any of its dashes.
  for (std::size_t dash = key.name.find('-'); dash != std::string::npos;
       dash = key.name.find('-', dash + 1)) {
    const auto workload = objects().find<Workload>(key.ns, key.name.substr(0, dash));
    if (!workload || !is_hand_written(*workload)) continue;
    const TemplatePath path = find_template(workload->pod_groups, workload->composites,
                                            std::string_view(key.name).substr(dash + 1));
    if (!path.empty()) return stamp(*workload, path);
  }
}

// Composites are served in v1alpha3 only.
void StampingController::stamp(const Workload& workload, const TemplatePath& path) {
  const GroupTemplate* parent = nullptr;
  for (const GroupTemplate* form : path) {
    if (form != path.back()) {
      const auto composite =
          make<model::CompositePodGroup>(workload, *form, parent, model::kSchedulingV1Alpha3);
      // Refused: the groups below it say so when they miss their parent.
      if (!objects().get(model::key_of(composite))) (void)cluster().create(composite);
    } else {
      const auto made =
          cluster().create(make<model::PodGroup>(workload, *form, parent, workload.api_version));
      if (made.ok()) continue;
      cluster().record({"workload-controller", objects().get(model::key_of(workload)), true,
                        "FailedCreate", "Error creating: " + made.error().message});
    }
    parent = form;
  }
}

}  // namespace tutti::controllers
