// Workload, PodGroup and CompositePodGroup, in the form of the version they came in; see
// decode_group.cc for how the versions differ.
#include <optional>
#include <string>

#include "wire/decode/decode_parts.h"
#include "wire/decode/group_form.h"
#include "wire/encode/encode_kinds.h"

namespace tutti::wire {
namespace {

struct Layout {
  GroupForm form;
  std::string_view count;  // how a gang's minimum is called
};
void write_policy(Overlay& at, std::string_view count, const model::SchedulingPolicy& policy) {
  at.remove(policy.gang ? "basic" : "gang");
  if (!policy.gang) return at.object_unless_present("basic");
  at.member("gang", [&](Overlay& gang) { gang.number(count, policy.minimum); });
}

// What nobody wrote stays unwritten, also where an API server would fill in its default: read back,
// the default would be a wish.
void write_disruption_mode(Overlay& spec, const Layout& layout,
                           std::optional<model::DisruptionMode> mode) {
  if (!mode) return spec.remove("disruptionMode");
  const bool all = mode == model::DisruptionMode::all;
  if (layout.form == GroupForm::v1alpha2) {
    return spec.text_always("disruptionMode", all ? "PodGroup" : "Pod");
  }
  spec.member("disruptionMode", [&](Overlay& choice) {
    choice.remove(all ? "single" : "all");
    choice.object_unless_present(all ? "all" : "single");
  });
}

void write_topology(Overlay& spec, const std::string& key) {
  const std::vector<std::string> keys(key.empty() ? 0 : 1, key);
  const auto same = [](const Value& item, const std::string& text) {
    return says(item, "key", text);
  };
  spec.member("schedulingConstraints", [&](Overlay& constraints) {
    constraints.list("topology", keys, same, [](Overlay& entry, const std::string& text) {
      entry.text_always("key", text);
    });
  });
}

template <typename T>
bool same_name(const Value& item, const T& element) {
  return says(item, "name", element.name);
}

void write_claim(Overlay& at, const model::ClaimReference& claim) {
  at.text_always("name", claim.name);
  at.text("resourceClaimName", claim.claim_name);
  at.text("resourceClaimTemplateName", claim.template_name);
}

void write_group(Overlay& at, const Layout& layout, const model::GroupSpec& spec) {
  write_disruption_mode(at, layout, spec.disruption);
  if (layout.form == GroupForm::later) {
    at.text("preemptionPolicy", spec.preemption_policy
                                    ? word_for(*spec.preemption_policy, kPreemptionPolicies)
                                    : std::string_view{});
  }
  at.number("priority", spec.priority);
  at.text("priorityClassName", spec.priority_class_name);
  if (layout.count == kMinimumOfPods) {
    at.list("resourceClaims", spec.resource_claims, same_name<model::ClaimReference>, write_claim);
  }
  write_topology(at, spec.topology_key);
  at.member("schedulingPolicy",
            [&](Overlay& policy) { write_policy(policy, layout.count, spec.policy); });
}

void write_reference(Overlay& at, std::string_view template_member,
                     const model::WorkloadReference& reference) {
  at.text_always("workloadName", reference.workload);
  at.text_always(template_member, reference.template_name);
}

void write_v1alpha2_reference(Overlay& spec, const model::WorkloadReference& reference) {
  spec.member("podGroupTemplateRef", [&](Overlay& choice) {
    choice.member("workload", [&](Overlay& workload) {
      write_reference(workload, "podGroupTemplateName", reference);
    });
  });
}

template <typename Group>
void write_place(Overlay& spec, const Group& group) {
  spec.text("parentCompositePodGroupName", group.parent);
  if (!group.workload) return;
  spec.member("workloadRef", [&](Overlay& reference) {
    write_reference(reference, "templateName", *group.workload);
  });
}

// The templates of a Workload or of a composite template, which nest.
template <typename Owner>
void write_templates(Overlay& at, GroupForm form, const Owner& owner) {
  if (form == GroupForm::later) {
    at.list("compositePodGroupTemplates", owner.composites, same_name<model::GroupTemplate>,
            [](Overlay& item, const model::GroupTemplate& composite) {
              item.text_always("name", composite.name);
              write_group(item, {GroupForm::later, kMinimumOfGroups}, composite.spec);
              write_templates(item, GroupForm::later, composite);
            });
  }
  at.list("podGroupTemplates", owner.pod_groups, same_name<model::GroupTemplate>,
          [&](Overlay& item, const model::GroupTemplate& group) {
            item.text_always("name", group.name);
            write_group(item, {form, kMinimumOfPods}, group.spec);
          });
}

}  // namespace

void write_claim_statuses(Overlay& status, const std::vector<model::ClaimStatus>& claims) {
  status.list("resourceClaimStatuses", claims, same_name<model::ClaimStatus>,
              [](Overlay& at, const model::ClaimStatus& claim) {
                at.text_always("name", claim.name);
                at.text("resourceClaimName", claim.claim_name);
              });
}

void write_kind(Overlay& at, const model::PodGroup& group) {
  const GroupForm form = group_form_of(group);
  at.member("spec", [&](Overlay& spec) {
    write_group(spec, {form, kMinimumOfPods}, group.spec);
    if (form == GroupForm::later) return write_place(spec, group);
    if (group.workload) write_v1alpha2_reference(spec, *group.workload);
  });
  at.member("status", [&](Overlay& status) {
    write_conditions(status, group.conditions, {});
    write_claim_statuses(status, group.claim_statuses);
  });
}

void write_kind(Overlay& at, const model::CompositePodGroup& group) {
  at.member("spec", [&](Overlay& spec) {
    write_group(spec, {GroupForm::later, kMinimumOfGroups}, group.spec);
    write_place(spec, group);
  });
  at.member("status", [&](Overlay& status) { write_conditions(status, group.conditions, {}); });
}

void write_kind(Overlay& at, const model::Workload& workload) {
  at.member("spec", [&](Overlay& spec) {
    if (workload.controller) {
      spec.member("controllerRef", [&](Overlay& reference) {
        reference.text("apiGroup", workload.controller->api_group);
        reference.text_always("kind", workload.controller->kind);
        reference.text_always("name", workload.controller->name);
      });
    }
    write_templates(spec, group_form_of(workload), workload);
  });
}

}  // namespace tutti::wire
