#include "core/framework/request_merge.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

constexpr std::string_view kOwnConditions[] = {
    "QuotaReserved",       "Admitted", "Evicted", "Preempted", "Requeued", "tutti.dev/Reserved",
    "tutti.dev/Backfilled"};

void set(model::Conditions& conditions, const model::Condition& condition) {
  auto& list = conditions.edit();
  const auto at = std::ranges::find(list, condition.type, &model::Condition::type);
  if (at == list.end()) {
    list.push_back(condition);
  } else {
    *at = condition;
  }
}

}  // namespace

void merge_status(model::AdmissionRequest& stored, const model::AdmissionRequest& ours) {
  TUTTI_CHECK(stored.meta.uid == ours.meta.uid, "the status of another request");
  model::AdmissionRequestStatus& into = stored.status;
  const model::AdmissionRequestStatus& from = ours.status;
  into.admission = from.admission;
  into.requeue = from.requeue;
  into.past_execution_seconds = from.past_execution_seconds;
  into.evictions = from.evictions;
  into.checks = from.checks;
  for (const std::string_view type : kOwnConditions) {
    const model::Condition* condition = model::find(from.conditions, type);
    if (condition != nullptr) set(into.conditions, *condition);
  }
}

}  // namespace tutti::core
