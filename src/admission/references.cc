#include "admission/references.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "admission/checks/findings.h"
#include "admission/rules/group_tree.h"
#include "model/device.h"
#include "model/group.h"

namespace tutti::admission {
namespace {

using model::CompositePodGroup;
using model::Kind;
using model::Object;
using model::ObjectKey;
using model::PodGroup;
using model::Workload;

constexpr std::string_view kParentField = "spec.parentCompositePodGroupName";

template <typename T>
const T* find_as(const World& world, std::string ns, std::string name) {
  const Object* const found = world.find({T::kKind, std::move(ns), std::move(name), {}});
  return found != nullptr ? &model::as<T>(*found) : nullptr;
}

// Checks the template that a new group names. The Workload of a group that was stored before may be
// gone by now, or was left where the group was copied from.
void check_template(const PodGroup& group, const World& world, Findings& findings) {
  if (!group.workload || group.api_version != model::kSchedulingV1Alpha2) return;
  if (group.meta.created) return;
  const Path path("spec.podGroupTemplateRef.workload");
  const auto* const workload = find_as<Workload>(world, group.meta.ns, group.workload->workload);
  if (workload == nullptr) {
    findings.add(path.field("workloadName"), "no Workload named '{}' in namespace '{}'",
                 group.workload->workload, group.meta.ns);
    return;
  }
  if (workload->meta.deletion) {
    findings.add(path.field("workloadName"), "Workload '{}' is being deleted",
                 group.workload->workload);
  }
  const auto& templates = workload->pod_groups;
  const std::string& name = group.workload->template_name;
  if (std::ranges::find(templates, name, &model::GroupTemplate::name) == templates.end()) {
    findings.add(path.field("podGroupTemplateName"), "Workload '{}' has no template named '{}'",
                 group.workload->workload, name);
  }
}

// Appends the composites from `parent` upwards to `walk`, as far as they exist. Ends where a name
// occurs for the second time, with that name. The first name need not be in the world yet: an
// object that is only now being admitted may be what closes a cycle.
void follow(std::string parent, const std::string& ns, const World& world,
            std::vector<std::string>& walk) {
  while (!parent.empty()) {
    const bool seen = std::ranges::find(walk, parent) != walk.end();
    const auto* const above = find_as<CompositePodGroup>(world, ns, parent);
    if (above == nullptr && !seen) return;
    walk.push_back(parent);
    if (seen) return;
    parent = above->parent;
  }
}

// The part of a walk that goes round: from the first occurrence of its last name. Empty when the
// walk ended elsewhere.
std::span<const std::string> cycle_in(std::span<const std::string> names) {
  if (names.empty()) return {};
  const auto first = std::ranges::find(names, names.back());
  const auto at = static_cast<std::size_t>(first - names.begin());
  return at + 1 < names.size() ? names.subspan(at) : std::span<const std::string>();
}

// `walk` is the object itself, if it is a composite, and the composites above it, nearest first.
void check_tree(std::span<const std::string> walk, std::size_t levels, Findings& findings) {
  if (const auto cycle = cycle_in(walk); !cycle.empty()) {
    findings.add(Path(kParentField), "must not lead back to itself: {}", fmt::join(cycle, " → "));
  } else if (levels > kGroupLevelsMax) {
    findings.add(Path(kParentField), "must give a tree of at most {} levels, gives {}",
                 kGroupLevelsMax, levels);
  }
}

void check_parents(const PodGroup& group, const World& world, Findings& findings) {
  std::vector<std::string> above;
  follow(group.parent, group.meta.ns, world, above);
  check_tree(above, above.size() + 1, findings);
}

void check_parents(const CompositePodGroup& group, const World& world, Findings& findings) {
  std::vector<std::string> walk = {group.meta.name};
  follow(group.parent, group.meta.ns, world, walk);
  // A composite has groups below it: the level of the leaves counts.
  check_tree(walk, walk.size() + 1, findings);
}

bool allows_admin_access(const Object& ns) {
  const std::string* const label = model::find(ns.meta.labels, kAdminAccess);
  return label != nullptr && *label == "true";
}

// Admin access reaches devices that others use, so it is for namespaces whose owner was trusted.
// Manifests often leave out the namespaces they are for: nothing is known then, and nothing
// refused.
void check_admin_access(const Object& object, const model::ClaimSpec& claim, const Path& spec,
                        const World& world, Findings& findings) {
  const Object* const ns = world.find({Kind::ns, {}, object.meta.ns, {}});
  if (ns == nullptr || allows_admin_access(*ns)) return;
  const Path devices = spec.field("devices");
  for (std::size_t i = 0; i < claim.requests.size(); ++i) {
    const model::DeviceRequest& request = claim.requests[i];
    if (!std::ranges::any_of(request.wishes, &model::DeviceWish::admin_access)) continue;
    const Path place = devices.item("requests", i);
    findings.add(place.field("exactly.adminAccess"),
                 "needs the label {}: \"true\" on Namespace '{}'", kAdminAccess, object.meta.ns);
  }
}

}  // namespace

FieldProblems check_creation(const Object& object, const World& world) {
  Findings findings;
  if (object.meta.created) return {};
  if (const auto* const claim = model::try_as<model::ResourceClaim>(object)) {
    check_admin_access(object, claim->spec, Path("spec"), world, findings);
  } else if (const auto* const made = model::try_as<model::ResourceClaimTemplate>(object)) {
    check_admin_access(object, made->spec, Path("spec.spec"), world, findings);
  }
  return std::move(findings).take();
}

FieldProblems check_references(const Object& object, const World& world) {
  Findings findings;
  if (const auto* const group = model::try_as<PodGroup>(object)) {
    check_template(*group, world, findings);
    check_parents(*group, world, findings);
  } else if (const auto* const composite = model::try_as<CompositePodGroup>(object)) {
    check_parents(*composite, world, findings);
  }
  return std::move(findings).take();
}

}  // namespace tutti::admission
