// Workload, PodGroup and CompositePodGroup. The versions differ in three places, all of them here:
//
//   v1alpha2                                        v1alpha3, v1beta1
//   podGroupTemplateRef.workload.{workloadName,     workloadRef.{workloadName, templateName}
//                                 podGroupTemplateName}
//   disruptionMode: Pod | PodGroup                  disruptionMode: {single: {}} | {all: {}}
//   –                                               parentCompositePodGroupName, preemptionPolicy,
//                                                   compositePodGroupTemplates
//
// A field of another version is an unknown field: it is kept in the document and not read.
#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"
#include "wire/decode/decode_scheduling.h"
#include "wire/decode/group_form.h"

namespace tutti::wire {
namespace {

void read_policy(const Field& at, std::string_view count, model::SchedulingPolicy& out) {
  const int index = at.exactly_one_of({"basic", "gang"});
  if (index < 0) return;
  out.gang = index == 1;
  at.member("basic", [](const Field& basic) { basic.expect_object(); });
  at.member("gang", [&](const Field& gang) { gang.required(count, out.minimum); });
}

void read_disruption_mode(const Field& at, GroupForm form, model::DisruptionMode& out) {
  static constexpr EnumTable<model::DisruptionMode, 2> kModes = {{
      {"Pod", model::DisruptionMode::single},
      {"PodGroup", model::DisruptionMode::all},
  }};
  if (form == GroupForm::v1alpha2) return read(at, out, kModes);
  wire::read_disruption_mode(at, out);
}

void read_group(const Field& at, GroupForm form, std::string_view count, model::GroupSpec& out) {
  at.required_member("schedulingPolicy",
                     [&](const Field& policy) { read_policy(policy, count, out.policy); });
  at.member("schedulingConstraints",
            [&](const Field& constraints) { read_topology(constraints, out.topology_key); });
  if (count == kMinimumOfPods) at("resourceClaims", out.resource_claims);
  at.member("disruptionMode",
            [&](const Field& mode) { read_disruption_mode(mode, form, out.disruption.emplace()); });
  at("priorityClassName", out.priority_class_name);
  at("priority", out.priority);
  if (form == GroupForm::later) at("preemptionPolicy", out.preemption_policy, kPreemptionPolicies);
}

void read_reference(const Field& at, std::string_view template_member,
                    std::optional<model::WorkloadReference>& out) {
  out.emplace();
  at("workloadName", out->workload);
  at(template_member, out->template_name);
}

void read_v1alpha2_reference(const Field& spec, std::optional<model::WorkloadReference>& out) {
  spec.member("podGroupTemplateRef", [&](const Field& reference) {
    reference.required_member("workload", [&](const Field& workload) {
      read_reference(workload, "podGroupTemplateName", out);
    });
  });
}

// The place of a group in its hierarchy, as the later versions say it.
template <typename Group>
void read_place(const Field& spec, Group& out) {
  spec.member("workloadRef", [&](const Field& reference) {
    read_reference(reference, "templateName", out.workload);
  });
  spec("parentCompositePodGroupName", out.parent);
}

void read_template(const Field& at, GroupForm form, model::GroupTemplate& out) {
  at("name", out.name);
  read_group(at, form, kMinimumOfPods, out.spec);
}

void read_composite_template(const Field& at, model::GroupTemplate& out);

// The template lists of a Workload and of a composite template, which nest.
template <typename Owner>
void read_templates(const Field& at, GroupForm form, Owner& out) {
  at.list("podGroupTemplates",
          [&](const Field& item) { read_template(item, form, out.pod_groups.emplace_back()); });
  if (form == GroupForm::v1alpha2) return;
  at.list("compositePodGroupTemplates",
          [&](const Field& item) { read_composite_template(item, out.composites.emplace_back()); });
}

void read_composite_template(const Field& at, model::GroupTemplate& out) {
  at("name", out.name);
  read_group(at, GroupForm::later, kMinimumOfGroups, out.spec);
  read_templates(at, GroupForm::later, out);
}

}  // namespace

void read_topology(const Field& at, std::string& key) {
  std::size_t entries = 0;
  at.list("topology", [&](const Field& entry) {
    if (++entries > 1) return entry.parent().fail("at most one entry is allowed");
    entry.required("key", key);
  });
}

void read_disruption_mode(const Field& at, model::DisruptionMode& out) {
  const int index = at.exactly_one_of({"single", "all"});
  if (index < 0) return;
  out = index == 0 ? model::DisruptionMode::single : model::DisruptionMode::all;
  at.member("single", [](const Field& single) { single.expect_object(); });
  at.member("all", [](const Field& all) { all.expect_object(); });
}

static void read(const Field& at, model::ControllerReference& out) {
  at("apiGroup", out.api_group);
  at("kind", out.kind);
  at("name", out.name);
}

void read_kind(const Field& at, model::PodGroup& out) {
  at.required_member("spec", [&](const Field& spec) {
    read_group(spec, group_form_of(out), kMinimumOfPods, out.spec);
    if (group_form_of(out) == GroupForm::v1alpha2)
      return read_v1alpha2_reference(spec, out.workload);
    read_place(spec, out);
  });
  at.member("status", [&](const Field& status) {
    status("conditions", out.conditions);
    status("resourceClaimStatuses", out.claim_statuses);
  });
}

void read_kind(const Field& at, model::CompositePodGroup& out) {
  at.required_member("spec", [&](const Field& spec) {
    read_group(spec, GroupForm::later, kMinimumOfGroups, out.spec);
    read_place(spec, out);
  });
  at.member("status", [&](const Field& status) { status("conditions", out.conditions); });
}

void read_kind(const Field& at, model::Workload& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec("controllerRef", out.controller);
    read_templates(spec, group_form_of(out), out);
  });
}

}  // namespace tutti::wire
