// What may change in Workload, PodGroup and CompositePodGroup: nothing in v1alpha2; in later
// versions the minimum of a gang of pods, in the group and in its template.
#include <algorithm>

#include "admission/rules/kind_rules.h"
#include "admission/rules/update_rules.h"

namespace tutti::admission {
namespace {

using model::GroupSpec;
using model::GroupTemplate;
using model::kSchedulingV1Alpha2;
using Templates = std::vector<GroupTemplate>;

// Reading one version and writing another would be a conversion; the stored version decides which
// fields exist, so it stays.
void check_version(const model::Object& before, const model::Object& after, Findings& findings) {
  check_frozen_text(before.api_version, after.api_version, Path("apiVersion"), findings);
}

void check_policy_change(const GroupSpec& before, const GroupSpec& after, GroupForm form,
                         bool minimum_may_change, const Path& path, Findings& findings) {
  if (before.policy.gang != after.policy.gang) {
    findings.add(path.field("schedulingPolicy"), "is immutable: was {}, is {}",
                 before.policy.gang ? "gang" : "basic", after.policy.gang ? "gang" : "basic");
  } else if (!minimum_may_change && before.policy.minimum != after.policy.minimum) {
    findings.add(path.field(minimum_field(form)), "is immutable: was {}, is {}",
                 before.policy.minimum, after.policy.minimum);
  }
}

void check_spec_change(const GroupSpec& before, const GroupSpec& after, GroupForm form,
                       bool minimum_may_change, const Path& path, Findings& findings) {
  check_policy_change(before, after, form, minimum_may_change, path, findings);
  check_frozen_text(before.topology_key, after.topology_key,
                    path.field("schedulingConstraints.topology[0].key"), findings);
  check_frozen(before.resource_claims, after.resource_claims, path.field("resourceClaims"),
               findings);
  constexpr auto kDefault = model::DisruptionMode::single;
  check_frozen(before.disruption.value_or(kDefault), after.disruption.value_or(kDefault),
               path.field("disruptionMode"), findings);
  check_frozen_text(before.priority_class_name, after.priority_class_name,
                    path.field("priorityClassName"), findings);
  check_frozen(before.priority, after.priority, path.field("priority"), findings);
  check_frozen(before.preemption_policy, after.preemption_policy, path.field("preemptionPolicy"),
               findings);
}

const GroupTemplate* find(const Templates& templates, const std::string& name) {
  const auto at = std::ranges::find(templates, name, &GroupTemplate::name);
  return at != templates.end() ? &*at : nullptr;
}

void check_names(const Templates& before, const Templates& after, const Path& list,
                 Findings& findings) {
  for (const GroupTemplate& old : before) {
    if (find(after, old.name) == nullptr) {
      findings.add(list, "must not lose a template, lost '{}'", old.name);
    }
  }
  for (const GroupTemplate& now : after) {
    if (find(before, now.name) == nullptr) {
      findings.add(list, "must not gain a template, gained '{}'", now.name);
    }
  }
}

// Templates are told apart by name, so their order may change.
void check_pod_group_templates(const Templates& before, const Templates& after, const Path& path,
                               Findings& findings) {
  check_names(before, after, path.field("podGroupTemplates"), findings);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const GroupTemplate* const old = find(before, after[i].name);
    if (old == nullptr) continue;
    check_spec_change(old->spec, after[i].spec, GroupForm::pods, true,
                      path.item("podGroupTemplates", i), findings);
  }
}

void check_composite_templates(const Templates& before, const Templates& after, const Path& path,
                               Findings& findings) {
  check_names(before, after, path.field("compositePodGroupTemplates"), findings);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const GroupTemplate* const old = find(before, after[i].name);
    if (old == nullptr) continue;
    const Path place = path.item("compositePodGroupTemplates", i);
    check_spec_change(old->spec, after[i].spec, GroupForm::composite, false, place, findings);
    check_pod_group_templates(old->pod_groups, after[i].pod_groups, place, findings);
    check_composite_templates(old->composites, after[i].composites, place, findings);
  }
}

}  // namespace

void check_change(const model::Workload& before, const model::Workload& after, Findings& findings) {
  check_version(before, after, findings);
  const Path spec("spec");
  check_frozen(before.controller, after.controller, spec.field("controllerRef"), findings);
  if (before.api_version == kSchedulingV1Alpha2) {
    check_frozen(before.pod_groups, after.pod_groups, spec.field("podGroupTemplates"), findings);
    return;
  }
  check_pod_group_templates(before.pod_groups, after.pod_groups, spec, findings);
  check_composite_templates(before.composites, after.composites, spec, findings);
}

void check_change(const model::PodGroup& before, const model::PodGroup& after, Findings& findings) {
  check_version(before, after, findings);
  const bool alpha2 = before.api_version == kSchedulingV1Alpha2;
  check_spec_change(before.spec, after.spec, GroupForm::pods, !alpha2, Path("spec"), findings);
  check_frozen(before.workload, after.workload,
               Path(alpha2 ? "spec.podGroupTemplateRef" : "spec.workloadRef"), findings);
  check_frozen_text(before.parent, after.parent, Path("spec.parentCompositePodGroupName"),
                    findings);
}

void check_change(const model::CompositePodGroup& before, const model::CompositePodGroup& after,
                  Findings& findings) {
  check_version(before, after, findings);
  check_spec_change(before.spec, after.spec, GroupForm::composite, false, Path("spec"), findings);
  check_frozen(before.workload, after.workload, Path("spec.workloadRef"), findings);
  check_frozen_text(before.parent, after.parent, Path("spec.parentCompositePodGroupName"),
                    findings);
}

}  // namespace tutti::admission
