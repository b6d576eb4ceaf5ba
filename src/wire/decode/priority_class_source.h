// v1beta1 of Kueue's Workload names the kind of its priority class by one word.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"
#include "wire/decode/field_reader.h"

namespace tutti::wire {

inline constexpr std::string_view kWorkloadClassGroup = "kueue.x-k8s.io";

// Whether the class is a WorkloadPriorityClass.
inline constexpr EnumTable<bool, 2> kPriorityClassSources = {{
    {"scheduling.k8s.io/priorityclass", false},
    {"kueue.x-k8s.io/workloadpriorityclass", true},
}};

inline model::PriorityClassReference class_reference(bool of_workloads, std::string name) {
  if (of_workloads) {
    return {std::string(kWorkloadClassGroup), "WorkloadPriorityClass", std::move(name)};
  }
  return {"scheduling.k8s.io", "PriorityClass", std::move(name)};
}

}  // namespace tutti::wire
