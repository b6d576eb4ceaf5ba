// Rules of PodGroup and CompositePodGroup, and of the fields their templates share with them.
//
// Unions (basic or gang, single or all) and the topology list with its one entry are single values
// in the model: reading them in is where a second member is refused.
#include <algorithm>

#include "admission/checks/checks.h"
#include "admission/checks/priority.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

using model::CompositePodGroup;
using model::GroupSpec;
using model::kSchedulingV1Alpha2;
using model::kSchedulingV1Alpha3;
using model::kSchedulingV1Beta1;
using model::PodGroup;
using model::WorkloadReference;

constexpr std::size_t kClaimsMax = 4;

void check_group_claims(const GroupSpec& spec, GroupForm form, const Path& path,
                        Findings& findings) {
  if (form == GroupForm::composite) {
    if (spec.resource_claims.empty()) return;
    findings.add(path.field("resourceClaims"),
                 "is not a field of a composite group, has {} entries",
                 spec.resource_claims.size());
    return;
  }
  check_at_most_items(spec.resource_claims.size(), kClaimsMax, path.field("resourceClaims"),
                      findings);
  check_claims(spec.resource_claims, path, findings);
}

void check_group_priority(const GroupSpec& spec, std::string_view api_version, const Path& path,
                          Findings& findings) {
  if (!spec.priority_class_name.empty()) {
    check_dns_subdomain(spec.priority_class_name, path.field("priorityClassName"), findings);
  }
  if (spec.priority && *spec.priority > kUserPriorityMax) {
    findings.add(path.field("priority"), "must be at most {}, is {}", kUserPriorityMax,
                 *spec.priority);
  }
  if (spec.preemption_policy && api_version == kSchedulingV1Alpha2) {
    findings.add(path.field("preemptionPolicy"), "is not a field of {}", api_version);
  }
}

void check_template_reference(const WorkloadReference& reference, std::string_view api_version,
                              Findings& findings) {
  const bool alpha2 = api_version == kSchedulingV1Alpha2;
  const Path path(alpha2 ? "spec.podGroupTemplateRef.workload" : "spec.workloadRef");
  check_dns_subdomain(reference.workload, path.field("workloadName"), findings);
  check_dns_label(reference.template_name,
                  path.field(alpha2 ? "podGroupTemplateName" : "templateName"), findings);
}

void check_parent(const PodGroup& group, Findings& findings) {
  if (group.parent.empty()) return;
  const Path parent("spec.parentCompositePodGroupName");
  if (group.api_version == kSchedulingV1Alpha2) {
    findings.add(parent, "is not a field of {}", group.api_version);
    return;
  }
  check_dns_subdomain(group.parent, parent, findings);
  if (!group.workload) {
    findings.add(Path("spec.workloadRef"), "is required when a parent is named ('{}')",
                 group.parent);
  }
}

void check_claim_statuses(const PodGroup& group, Findings& findings) {
  const Path status("status");
  check_at_most_items(group.claim_statuses.size(), kClaimsMax,
                      status.field("resourceClaimStatuses"), findings);
  Unique names;
  for (std::size_t i = 0; i < group.claim_statuses.size(); ++i) {
    const std::string& name = group.claim_statuses[i].name;
    const Path place = status.item("resourceClaimStatuses", i);
    names.see(name, place.field("name"), findings);
    const auto& claims = group.spec.resource_claims;
    if (std::ranges::find(claims, name, &model::ClaimReference::name) == claims.end()) {
      findings.add(place.field("name"),
                   "must be the name of an entry of spec.resourceClaims, is '{}'", name);
    }
  }
}

}  // namespace

std::string_view minimum_field(GroupForm form) {
  return form == GroupForm::composite ? "schedulingPolicy.gang.minGroupCount"
                                      : "schedulingPolicy.gang.minCount";
}

void check_group_spec(const GroupSpec& spec, GroupForm form, std::string_view api_version,
                      const Path& path, Findings& findings) {
  if (spec.policy.gang) {
    check_at_least(spec.policy.minimum, 1, path.field(minimum_field(form)), findings);
  }
  if (!spec.topology_key.empty()) {
    check_qualified_name(spec.topology_key, path.field("schedulingConstraints.topology[0].key"),
                         findings);
  }
  check_group_claims(spec, form, path, findings);
  check_group_priority(spec, api_version, path, findings);
}

void check_kind(const PodGroup& group, Findings& findings) {
  check_one_of(group.api_version, {kSchedulingV1Alpha2, kSchedulingV1Alpha3, kSchedulingV1Beta1},
               Path("apiVersion"), findings);
  check_group_spec(group.spec, GroupForm::pods, group.api_version, Path("spec"), findings);
  if (group.workload) check_template_reference(*group.workload, group.api_version, findings);
  check_parent(group, findings);
  check_claim_statuses(group, findings);
}

void check_kind(const CompositePodGroup& group, Findings& findings) {
  check_one_of(group.api_version, {kSchedulingV1Alpha3}, Path("apiVersion"), findings);
  check_group_spec(group.spec, GroupForm::composite, group.api_version, Path("spec"), findings);
  if (group.workload) {
    check_template_reference(*group.workload, group.api_version, findings);
  } else {
    findings.add(Path("spec.workloadRef"), "is required");
  }
  if (!group.parent.empty()) {
    check_dns_subdomain(group.parent, Path("spec.parentCompositePodGroupName"), findings);
  }
}

}  // namespace tutti::admission
