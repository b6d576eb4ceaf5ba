#include "core/placement/device_search_limit.h"

#include <algorithm>

#include "devices/device_capacity.h"

namespace tutti::core {

bool rests_on_unproven(const Diagnosis& diagnosis) {
  return std::ranges::any_of(
      diagnosis.reasons, [](const ReasonCount& each) { return each.reason == devices::kUnproven; });
}

bool rests_on_unproven(const Attempt& attempt) {
  return std::ranges::any_of(attempt.classes, [](const ClassReport& report) {
    return rests_on_unproven(report.diagnosis);
  });
}

}  // namespace tutti::core
