#include <fmt/format.h>

#include "admission/checks/checks.h"
#include "admission/checks/priority.h"
#include "admission/checks/selector_rules.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

void check_system_class(const model::PriorityClass& priority_class, Findings& findings) {
  for (const SystemPriorityClass& known : kSystemPriorityClasses) {
    if (known.name != priority_class.meta.name) continue;
    if (priority_class.value != known.value) {
      findings.add(Path("value"), "must be {} for the system class '{}', is {}", known.value,
                   known.name, priority_class.value);
    }
    return;
  }
  findings.add(Path("metadata.name"),
               "must not begin with 'system-', which is kept for the system's classes, is '{}'",
               priority_class.meta.name);
}

}  // namespace

void check_taints(const std::vector<model::Taint>& taints, std::string_view list, const Path& path,
                  Findings& findings) {
  Unique keys_and_effects;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const Path place = path.item(list, i);
    check_qualified_name(taints[i].key, place.field("key"), findings);
    check_label_value(taints[i].value, place.field("value"), findings);
    check_one_of(taints[i].effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                 place.field("effect"), findings);
    keys_and_effects.see(taints[i].key + ":" + taints[i].effect, place, findings);
  }
}

void check_kind(const model::Node& node, Findings& findings) {
  const Path spec("spec");
  check_taints(node.taints, "taints", spec, findings);
  const Path status("status");
  check_amounts(node.capacity, "capacity", status, findings);
  check_amounts(node.allocatable, "allocatable", status, findings);
  for (std::size_t i = 0; i < node.images.size(); ++i) {
    const Path image = status.item("images", i);
    check_at_least(node.images[i].size_bytes, 0, image.field("sizeBytes"), findings);
  }
}

void check_kind(const model::PriorityClass& priority_class, Findings& findings) {
  if (priority_class.meta.name.starts_with("system-")) {
    check_system_class(priority_class, findings);
  } else if (priority_class.value > kUserPriorityMax) {
    findings.add(Path("value"), "must be at most {}, is {}", kUserPriorityMax,
                 priority_class.value);
  }
}

void check_kind(const model::Service& service, Findings& findings) {
  check_labels(service.selector, "selector", Path("spec"), findings);
}

void check_kind(const model::ReplicationController& controller, Findings& findings) {
  check_labels(controller.selector, "selector", Path("spec"), findings);
}

void check_kind(const model::PodDisruptionBudget& budget, Findings& findings) {
  check_selector(budget.selector, Path("spec.selector"), findings);
  if (budget.min_available && budget.max_unavailable) {
    findings.add(Path("spec"), "minAvailable and maxUnavailable exclude each other: give one");
  }
  const auto check_bound = [&](const auto& bound, const char* path) {
    if (!bound) return;
    check_at_least(bound->value, 0, Path(path), findings);
    if (bound->percent && bound->value > 100) findings.add(Path(path), "must not be above 100%");
  };
  check_bound(budget.min_available, "spec.minAvailable");
  check_bound(budget.max_unavailable, "spec.maxUnavailable");
  check_at_least(budget.disruptions_allowed, 0, Path("status.disruptionsAllowed"), findings);
}

void check_kind(const model::Lease& lease, Findings& findings) {
  if (lease.duration_seconds) {
    check_at_least(*lease.duration_seconds, 1, Path("spec.leaseDurationSeconds"), findings);
  }
  check_at_least(lease.transitions, 0, Path("spec.leaseTransitions"), findings);
}

}  // namespace tutti::admission
