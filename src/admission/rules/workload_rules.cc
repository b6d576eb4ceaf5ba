// Rules of a Workload: its templates one by one, and the tree they form.
#include "admission/checks/checks.h"
#include "admission/rules/group_tree.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

using model::GroupTemplate;
using model::kSchedulingV1Alpha2;
using model::kSchedulingV1Alpha3;
using model::kSchedulingV1Beta1;
using model::Workload;

constexpr std::size_t kTemplatesMax = 8;

void check_controller(const model::ControllerReference& controller, Findings& findings) {
  const Path path("spec.controllerRef");
  if (!controller.api_group.empty()) {
    check_dns_subdomain(controller.api_group, path.field("apiGroup"), findings);
  }
  check_path_segment(controller.kind, path.field("kind"), findings);
  check_path_segment(controller.name, path.field("name"), findings);
}

// One walk over all templates of a Workload.
class TemplateTree {
 public:
  TemplateTree(std::string_view api_version, Findings& findings)
      : api_version_(api_version), findings_(findings) {}

  // `depth` is how many composites these templates lie in.
  void walk(const std::vector<GroupTemplate>& pod_groups,
            const std::vector<GroupTemplate>& composites, std::size_t depth, const Path& path) {
    check_at_most_items(pod_groups.size(), kTemplatesMax, path.field("podGroupTemplates"),
                        findings_);
    check_at_most_items(composites.size(), kTemplatesMax, path.field("compositePodGroupTemplates"),
                        findings_);
    for (std::size_t i = 0; i < pod_groups.size(); ++i) {
      check(pod_groups[i], GroupForm::pods, path.item("podGroupTemplates", i));
    }
    for (std::size_t i = 0; i < composites.size(); ++i) {
      walk_composite(composites[i], depth, path.item("compositePodGroupTemplates", i));
    }
  }

 private:
  void walk_composite(const GroupTemplate& composite, std::size_t depth, const Path& path) {
    check(composite, GroupForm::composite, path);
    if (depth + 1 > kCompositeLevelsMax) {
      findings_.add(path,
                    "must lie in at most {} composites ({} levels with the PodGroups), lies in {}",
                    kCompositeLevelsMax - 1, kGroupLevelsMax, depth);
      return;
    }
    if (composite.pod_groups.empty() && composite.composites.empty()) {
      findings_.add(path, "must have at least one child template, has 0");
    }
    walk(composite.pod_groups, composite.composites, depth + 1, path);
  }

  void check(const GroupTemplate& item, GroupForm form, const Path& path) {
    check_dns_label(item.name, path.field("name"), findings_);
    names_.see(item.name, path.field("name"), findings_);
    check_group_spec(item.spec, form, api_version_, path, findings_);
    check_same_priority(item, path);
  }

  // From v1alpha3 on the groups of a Workload have one priority. An absent number is a value of its
  // own here: it would be resolved later and by other rules.
  void check_same_priority(const GroupTemplate& item, const Path& path) {
    if (api_version_ == kSchedulingV1Alpha2) return;
    if (first_ == nullptr) first_ = &item;
    if (item.spec.priority_class_name != first_->spec.priority_class_name) {
      findings_.add(path.field("priorityClassName"), "must be '{}' as in template '{}', is '{}'",
                    first_->spec.priority_class_name, first_->name, item.spec.priority_class_name);
    }
    if (item.spec.priority != first_->spec.priority) {
      findings_.add(path.field("priority"), "must be {} as in template '{}', is {}",
                    number(first_->spec.priority), first_->name, number(item.spec.priority));
    }
  }

  static std::string number(const std::optional<std::int32_t>& priority) {
    return priority ? std::to_string(*priority) : "absent";
  }

  std::string_view api_version_;
  Findings& findings_;
  Unique names_;
  const GroupTemplate* first_ = nullptr;
};

void check_which_templates(const Workload& workload, Findings& findings) {
  const bool flat = !workload.pod_groups.empty();
  const bool nested = !workload.composites.empty();
  if (workload.api_version == kSchedulingV1Alpha2) {
    if (!flat) {
      findings.add(Path("spec.podGroupTemplates"), "must have at least one entry, has 0");
    }
    if (nested) {
      findings.add(Path("spec.compositePodGroupTemplates"), "is not a field of {}",
                   workload.api_version);
    }
  } else if (flat == nested) {
    findings.add(
        Path("spec"),
        "must have exactly one of podGroupTemplates and compositePodGroupTemplates, has {}",
        flat ? "both" : "none");
  }
}

}  // namespace

void check_kind(const Workload& workload, Findings& findings) {
  check_one_of(workload.api_version, {kSchedulingV1Alpha2, kSchedulingV1Alpha3, kSchedulingV1Beta1},
               Path("apiVersion"), findings);
  if (workload.controller) check_controller(*workload.controller, findings);
  check_which_templates(workload, findings);
  TemplateTree(workload.api_version, findings)
      .walk(workload.pod_groups, workload.composites, 0, Path("spec"));
}

}  // namespace tutti::admission
