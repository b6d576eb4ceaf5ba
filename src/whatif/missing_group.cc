// The way for a group that is named and that nobody created: the PodGroup of some pods, or the
// CompositePodGroup that groups have as their parent.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/group.h"
#include "whatif/change_target.h"
#include "whatif/largest_that_works.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using core::Group;
using core::GroupId;
using explain::Datum;
using model::GroupTemplate;

// The asker's own or the first above it that does not exist; invalid: all do.
GroupId missing_group(const Rehearsal& rehearsal) {
  GroupId id = rehearsal.root();
  for (int level = 0; id.valid() && level < core::GroupTable::kMaxDepth; ++level) {
    const Group& group = rehearsal.groups()[id];
    if (!group.seen()) return id;
    id = group.parent;
  }
  return {};
}

// What is to be created: an object of scheduling.k8s.io, or one of the words of the group's pods,
// of which a group is then made.
struct Draft {
  explain::ObjectName object;
  std::string version;  // of the group, created or made
  Origin origin;

  bool is_group() const { return origin.of == Origin::Of::itself; }
};

// Empty: nobody knows what to create, or the cluster would not take it.
std::optional<Draft> draft_of(const Rehearsal& rehearsal, const Group& group) {
  Draft draft{{group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name},
              {},
              origin_of(rehearsal, group)};
  if (draft.is_group()) {
    const GroupVersions& served = rehearsal.neighbours().versions;
    draft.version = group.composite ? served.composites : served.pod_groups;
    if (draft.version.empty()) return std::nullopt;
    return draft;
  }
  if (draft.origin.of != Origin::Of::object || draft.origin.minimum.path.empty()) {
    return std::nullopt;
  }
  draft.object = draft.origin.object;
  draft.version = model::kSchedulingV1Alpha2;
  return draft;
}

// A gang with what its members have and it must not contradict: priority and preemption policy.
model::GroupSpec spec_for(const Draft& draft, const model::Pod& member, std::int32_t minimum) {
  model::GroupSpec spec;
  spec.policy = {true, minimum};
  if (!draft.is_group() && !draft.origin.follows_pods) return spec;
  spec.priority_class_name = member.spec->priority_class_name;
  spec.priority = member.priority.value_or(0);
  const bool has_policy = draft.version != model::kSchedulingV1Alpha2 || !draft.is_group();
  if (has_policy) spec.preemption_policy = member.preemption_policy;
  return spec;
}

template <typename Kind>
std::shared_ptr<Kind> object_of(const Group& group, std::string_view api_version,
                                model::GroupSpec spec) {
  auto object = std::make_shared<Kind>();
  object->api_version = api_version;
  object->meta.ns = group.ns;
  object->meta.name = group.name;
  object->meta.uid = "what-if/" + group.ns + "/" + group.name;
  object->spec = std::move(spec);
  return object;
}

model::ObjectPtr object_of(const Group& group, std::string_view version, model::GroupSpec spec) {
  if (group.composite) {
    return object_of<model::CompositePodGroup>(group, version, std::move(spec));
  }
  return object_of<model::PodGroup>(group, version, std::move(spec));
}

// --- its manifest --------------------------------------------------------------------------------

// Names the composite that has the child directly below it; empty: there is none.
std::string template_above(const std::vector<GroupTemplate>& composites, const std::string& child) {
  for (const GroupTemplate& composite : composites) {
    const auto has = [&](const std::vector<GroupTemplate>& below) {
      return std::ranges::find(below, child, &GroupTemplate::name) != below.end();
    };
    if (has(composite.pod_groups) || has(composite.composites)) return composite.name;
    if (auto deeper = template_above(composite.composites, child); !deeper.empty()) return deeper;
  }
  return {};
}

// Names of groups may have dots and be longer.
std::string as_template_name(std::string name) {
  constexpr std::size_t kLabelMax = 63;
  std::ranges::replace(name, '.', '-');
  return name.substr(0, kLabelMax);
}

// The API demands it of composites: the Workload of its children and the template there that has
// theirs below it. Where the Workload is not known, the template is called like the group.
Datum workload_reference(const Rehearsal& rehearsal, const Group& group) {
  const Group& child = rehearsal.groups()[group.children.front()];
  const auto& known = child.composite ? child.composite_group->workload : child.pod_group->workload;
  const model::WorkloadReference below = known.value_or(model::WorkloadReference{group.name, {}});
  std::string name;
  if (rehearsal.neighbours().find) {
    const auto workload =
        rehearsal.neighbours().find({model::Kind::workload, group.ns, below.workload, {}});
    if (workload != nullptr) {
      name = template_above(model::as<model::Workload>(*workload).composites, below.template_name);
    }
  }
  return Datum::object(
      {{"workloadName", Datum::of(below.workload)},
       {"templateName", Datum::of(name.empty() ? as_template_name(group.name) : name)}});
}

Datum named(const Draft& draft, std::string_view version, Datum spec) {
  const explain::ObjectName& object = draft.object;
  std::vector<std::pair<std::string, Datum>> meta = {{"name", Datum::of(object.name)}};
  if (!object.ns.empty()) meta.emplace_back("namespace", Datum::of(object.ns));
  return Datum::object({{"apiVersion", Datum::of(version)},
                        {"kind", Datum::of(object.kind)},
                        {"metadata", Datum::object(std::move(meta))},
                        {"spec", std::move(spec)}});
}

std::string_view minimum_name(const Draft& draft, const Group& group) {
  if (!draft.is_group()) return draft.origin.minimum.path.back();
  return group.composite ? "minGroupCount" : "minCount";
}

Datum manifest_of(const Rehearsal& rehearsal, const Draft& draft, const Group& group,
                  const model::GroupSpec& spec) {
  const Datum minimum = Datum::of(std::int64_t{spec.policy.minimum});
  const Datum counted = Datum::object({{std::string(minimum_name(draft, group)), minimum}});
  if (!draft.is_group()) return named(draft, draft.object.api_version, counted);
  std::vector<std::pair<std::string, Datum>> fields = {
      {"schedulingPolicy", Datum::object({{"gang", counted}})}};
  if (group.composite) fields.emplace_back("workloadRef", workload_reference(rehearsal, group));
  if (!spec.priority_class_name.empty()) {
    fields.emplace_back("priorityClassName", Datum::of(spec.priority_class_name));
  }
  if (spec.priority != 0) {
    fields.emplace_back("priority", Datum::of(std::int64_t{*spec.priority}));
  }
  if (spec.preemption_policy == model::PreemptionPolicy::never) {
    fields.emplace_back("preemptionPolicy", Datum::of("Never"));
  }
  return named(draft, draft.version, Datum::object(std::move(fields)));
}

}  // namespace

void add_missing_group_way(Rehearsal& rehearsal, Ways& ways) {
  const GroupId id = missing_group(rehearsal);
  if (!id.valid()) return;
  const Group& group = rehearsal.groups()[id];
  const auto draft = draft_of(rehearsal, group);
  if (!draft) return;
  const model::Pod& sample = *rehearsal.cluster().pod(rehearsal.asker().pod).object;
  Rehearsal::Outcome best;
  const auto works = [&](std::int32_t minimum) {
    const auto object = object_of(group, draft->version, spec_for(*draft, sample, minimum));
    auto outcome = rehearsal.own([&](core::WhatIf& what_if) { what_if.set_group(object); });
    const bool runs = outcome.runs;
    if (runs) best = std::move(outcome);
    return runs;
  };
  const std::size_t members = group.composite ? group.children.size() : group.pod_count();
  const std::int32_t minimum = largest_up_to(1, static_cast<std::int32_t>(members), works);
  if (minimum == 0) return;
  explain::Way way{
      "createGroup",
      fmt::format("create {}, for example a gang with {} {}", explain::text_of(draft->object),
                  minimum_name(*draft, group), minimum),
      {{{draft->object},
        {},
        false,
        manifest_of(rehearsal, *draft, group, spec_for(*draft, sample, minimum))}}};
  ways.push_back(with_evictions(std::move(way), best));
}

}  // namespace tutti::whatif
