#include "admission/checks/priority.h"

#include <optional>
#include <tuple>

#include "admission/checks/findings.h"

namespace tutti::admission {
namespace {

using model::PreemptionPolicy;
using Level = PriorityClasses::Level;

std::string_view name_of(PreemptionPolicy policy) {
  return policy == PreemptionPolicy::never ? "Never" : "PreemptLowerPriority";
}

bool default_before(const Level& a, const Level& b) {
  return std::tie(a.value, a.class_name) < std::tie(b.value, b.class_name);
}

// What an object says about its priority, wherever it keeps it.
struct Wish {
  const std::string& class_name;
  const std::optional<std::int32_t>& priority;
  const std::optional<PreemptionPolicy>& preemption;
};

// What an object without a class says for itself stands: objects exported from a live cluster carry
// numbers whose classes may not have come along. (An API server would refuse the number.)
Level own_level(const Wish& wish, const Level& fallback) {
  if (!wish.priority && !wish.preemption) return fallback;
  return {
      {}, wish.priority.value_or(fallback.value), wish.preemption.value_or(fallback.preemption)};
}

// The level that the wish comes to, or nothing with the reason in `findings`.
std::optional<Level> choose(const Wish& wish, const PriorityClasses& classes, Findings& findings) {
  if (wish.class_name.empty()) return own_level(wish, classes.fallback());
  const Level* const level = classes.find(wish.class_name);
  const Path spec("spec");
  if (level == nullptr) {
    findings.add(spec.field("priorityClassName"), "no PriorityClass named '{}'", wish.class_name);
    return std::nullopt;
  }
  bool agrees = true;
  if (wish.priority && *wish.priority != level->value) {
    findings.add(spec.field("priority"), "must be {}, the value of PriorityClass '{}', is {}",
                 level->value, level->class_name, *wish.priority);
    agrees = false;
  }
  if (wish.preemption && *wish.preemption != level->preemption) {
    findings.add(spec.field("preemptionPolicy"),
                 "must be {}, the policy of PriorityClass '{}', is {}", name_of(level->preemption),
                 level->class_name, name_of(*wish.preemption));
    agrees = false;
  }
  if (!agrees) return std::nullopt;
  return *level;
}

FieldProblems resolve_group(model::GroupSpec& spec, std::string_view api_version,
                            const PriorityClasses& classes) {
  Findings findings;
  const auto level =
      choose({spec.priority_class_name, spec.priority, spec.preemption_policy}, classes, findings);
  if (level) {
    spec.priority_class_name = level->class_name;
    spec.priority = level->value;
    if (api_version != model::kSchedulingV1Alpha2) spec.preemption_policy = level->preemption;
  }
  return std::move(findings).take();
}

}  // namespace

PriorityClasses::PriorityClasses(std::span<const model::PriorityClass* const> classes) {
  for (const SystemPriorityClass& system : kSystemPriorityClasses) {
    const std::string name(system.name);
    levels_[name] = {name, system.value, PreemptionPolicy::preempt_lower_priority};
  }
  const Level* chosen = nullptr;
  for (const model::PriorityClass* const given : classes) {
    Level& level = levels_[given->meta.name];
    level = {given->meta.name, given->value, given->preemption_policy};
    if (!given->global_default) continue;
    if (chosen == nullptr || default_before(level, *chosen)) chosen = &level;
  }
  if (chosen != nullptr) fallback_ = *chosen;
}

const Level* PriorityClasses::find(std::string_view name) const {
  const auto at = levels_.find(name);
  return at != levels_.end() ? &at->second : nullptr;
}

FieldProblems resolve_priority(model::Pod& pod, const PriorityClasses& classes,
                               SpecRewrites& rewrites) {
  TUTTI_CHECK(pod.spec != nullptr);
  Findings findings;
  const auto level = choose({pod.spec->priority_class_name, pod.priority, pod.preemption_policy},
                            classes, findings);
  if (level) {
    if (pod.spec->priority_class_name != level->class_name) {
      pod.spec = rewrites.rewritten(
          pod.spec, "priority " + level->class_name,
          [&](model::PodSpec& spec) { spec.priority_class_name = level->class_name; });
    }
    pod.priority = level->value;
    pod.preemption_policy = level->preemption;
  }
  return std::move(findings).take();
}

FieldProblems resolve_priority(model::PodGroup& group, const PriorityClasses& classes) {
  return resolve_group(group.spec, group.api_version, classes);
}

FieldProblems resolve_priority(model::CompositePodGroup& group, const PriorityClasses& classes) {
  return resolve_group(group.spec, group.api_version, classes);
}

}  // namespace tutti::admission
