// Priority classes: from a name to a number and a preemption policy.
#pragma once

#include <array>
#include <map>

#include "admission/checks/field_problem.h"
#include "admission/checks/spec_rewrites.h"
#include "base/std.h"
#include "model/cluster.h"
#include "model/group.h"
#include "model/pod.h"

namespace tutti::admission {

// What users may give; the numbers above belong to the system's classes.
inline constexpr std::int32_t kUserPriorityMax = 1'000'000'000;

struct SystemPriorityClass {
  std::string_view name;
  std::int32_t value;
};
inline constexpr std::array<SystemPriorityClass, 2> kSystemPriorityClasses = {{
    {"system-cluster-critical", 2'000'000'000},
    {"system-node-critical", 2'000'001'000},
}};

// The classes of a cluster. The system's two always exist.
class PriorityClasses {
 public:
  struct Level {
    std::string class_name;  // empty: the priority of a cluster without a default class
    std::int32_t value = 0;
    model::PreemptionPolicy preemption = model::PreemptionPolicy::preempt_lower_priority;
  };

  PriorityClasses() : PriorityClasses(std::span<const model::PriorityClass* const>()) {}
  // Copies what it needs. The order of `classes` does not matter.
  explicit PriorityClasses(std::span<const model::PriorityClass* const> classes);

  // nullptr when no class has this name.
  const Level* find(std::string_view name) const;
  // Returns the default level: of several global defaults the one with the smallest value, then the
  // first by name; without any priority 0.
  const Level& fallback() const { return fallback_; }

 private:
  std::map<std::string, Level, std::less<>> levels_;
  Level fallback_;
};

// Fills in priorityClassName, priority and preemptionPolicy. A class that does not exist, or a
// number or policy that is already there and differs from the class's, is a problem; the object is
// then left as it was.
FieldProblems resolve_priority(model::Pod& pod, const PriorityClasses& classes,
                               SpecRewrites& rewrites);
// v1alpha2 groups have no preemptionPolicy: it stays absent.
FieldProblems resolve_priority(model::PodGroup& group, const PriorityClasses& classes);
FieldProblems resolve_priority(model::CompositePodGroup& group, const PriorityClasses& classes);

}  // namespace tutti::admission
