#include "core/requests/request.h"

#include <algorithm>

#include "expr/integer.h"

namespace tutti::core {

std::string_view word(RequestStage stage) {
  switch (stage) {
    case RequestStage::waiting:
      return "Pending";
    case RequestStage::preempting:
      return "Preempting";
    case RequestStage::reserved:
      return "Reserved";
    case RequestStage::admitted:
      return "Admitted";
    case RequestStage::releasing:
      return "Releasing";
  }
  return {};
}

std::int64_t left_to_run(const model::AdmissionRequest& request, const model::PodSet& set,
                         std::int64_t count) {
  const auto& ended = request.status.reclaimable;
  const auto at = std::ranges::find(ended, set.name, &model::ReclaimablePods::pod_set);
  if (at == ended.end()) return count;
  return std::clamp<std::int64_t>(std::int64_t{set.count} - at->count, 0, count);
}

const model::Condition* true_condition(const model::AdmissionRequest& request,
                                       std::string_view type) {
  const model::Condition* condition = model::find(request.status.conditions, type);
  return condition != nullptr && condition->status == "True" ? condition : nullptr;
}

std::int64_t effective_priority(const model::AdmissionRequest& request) {
  const std::string* boost = model::find(request.meta.annotations, "kueue.x-k8s.io/priority-boost");
  const auto more = boost != nullptr ? expr::parse_int64(*boost) : std::nullopt;
  const bool in_range = more && *more >= INT32_MIN && *more <= INT32_MAX;
  return std::int64_t{request.spec.priority.value_or(0)} + (in_range ? *more : 0);
}

}  // namespace tutti::core
