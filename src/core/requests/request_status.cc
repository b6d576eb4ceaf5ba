#include "core/requests/request_status.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::core {
namespace {

using model::Condition;

// Says it; a transition only where the status changes.
void say(const Request& request, RequestStatus& status, std::string_view type, bool holds,
         std::string_view reason, std::string message, Instant now) {
  Condition made{.type = std::string(type),
                 .status = holds ? "True" : "False",
                 .reason = std::string(reason),
                 .message = std::move(message),
                 .last_transition = now,
                 .observed_generation = request.object->meta.generation};
  const auto at = std::ranges::find(status.conditions, type, &Condition::type);
  if (at == status.conditions.end()) {
    status.conditions.push_back(std::move(made));
    return;
  }
  if (at->status == made.status && at->last_transition) made.last_transition = at->last_transition;
  const auto index = static_cast<std::size_t>(at - status.conditions.begin());
  status.conditions.edit()[index] = std::move(made);
}

void take_back(const Request& request, RequestStatus& status, std::string_view type,
               std::string_view reason, Instant now) {
  const auto at = std::ranges::find(status.conditions, type, &Condition::type);
  if (at == status.conditions.end() || at->status != "True") return;
  say(request, status, type, false, reason, "Previously: " + at->message, now);
}

model::Admission admission_of(const Request& request) {
  model::Admission admission;
  admission.cluster_queue = request.queue;
  for (std::size_t i = 0; i < request.promise.size(); ++i) {
    const PodSetPromise& promise = request.promise[i];
    model::PodSetAssignment assignment;
    assignment.pod_set = request.object->spec.pod_sets[i].name;
    assignment.count = static_cast<std::int32_t>(promise.count);
    for (const auto& [resource, flavor] : promise.flavors) {
      assignment.flavors.push_back({resource, flavor});
    }
    for (const auto& [resource, amount] : promise.usage) {
      assignment.usage.emplace_back(resource, quantity_of(resource, amount));
    }
    assignment.topology = promise.topology;
    admission.pod_sets.push_back(std::move(assignment));
  }
  return admission;
}

void add_checks(RequestStatus& status, std::span<const std::string> checks, Instant now) {
  std::erase_if(status.checks, [&](const model::AdmissionCheckState& state) {
    return std::ranges::find(checks, state.check) == checks.end();
  });
  for (const std::string& check : checks) {
    if (std::ranges::find(status.checks, check, &model::AdmissionCheckState::check) !=
        status.checks.end()) {
      continue;
    }
    model::AdmissionCheckState state;
    state.check = check;
    state.last_transition = now;
    status.checks.push_back(std::move(state));
  }
}

std::int64_t seconds_between(Instant from, Instant to) {
  return std::chrono::duration_cast<std::chrono::seconds>(to - from).count();
}

}  // namespace

RequestStatus status_refused(const Request& request, const PendingReason& refusal, Instant now) {
  RequestStatus status = request.object->status;
  say(request, status, "QuotaReserved", false, word(refusal.reason), refusal.message, now);
  return status;
}

RequestStatus status_reserved(const Request& request, std::span<const std::string> checks,
                              Instant now) {
  RequestStatus status = request.object->status;
  status.admission = admission_of(request);
  say(request, status, "QuotaReserved", true, "QuotaReserved",
      "Quota reserved in ClusterQueue " + request.queue, now);
  take_back(request, status, "Evicted", "QuotaReserved", now);
  take_back(request, status, "Preempted", "QuotaReserved", now);
  take_back(request, status, "Requeued", "QuotaReserved", now);
  add_checks(status, checks, now);
  if (checks.empty()) {
    say(request, status, "Admitted", true, "Admitted", "The workload is admitted", now);
  }
  return status;
}

RequestStatus status_with(const Request& request, std::string_view type, bool holds,
                          std::string_view reason, std::string message, Instant now) {
  RequestStatus status = request.object->status;
  const bool known =
      std::ranges::find(status.conditions, type, &Condition::type) != status.conditions.end();
  if (holds || known) say(request, status, type, holds, reason, std::move(message), now);
  return status;
}

RequestStatus status_admitted(const Request& request, Instant now) {
  RequestStatus status = request.object->status;
  say(request, status, "Admitted", true, "Admitted", "The workload is admitted", now);
  return status;
}

RequestStatus status_evicted(const Request& request, const EvictionWords& words, Instant now) {
  RequestStatus status = request.object->status;
  say(request, status, "Evicted", true, words.reason, words.message, now);
  if (!words.cause.empty()) {
    say(request, status, "Preempted", true, words.cause, words.message, now);
  }
  const auto same = std::ranges::find_if(status.evictions, [&](const model::EvictionCount& count) {
    return count.reason == words.reason && count.cause.empty();
  });
  if (same == status.evictions.end()) {
    status.evictions.push_back({words.reason, {}, 1});
  } else {
    ++same->count;
  }
  return status;
}

RequestStatus status_released(const Request& request, Instant now) {
  RequestStatus status = request.object->status;
  const Condition* evicted = true_condition(*request.object, "Evicted");
  const std::string message = evicted != nullptr ? evicted->message : "The quota was given back";
  if (const Condition* admitted = true_condition(*request.object, "Admitted")) {
    const std::int64_t spent =
        admitted->last_transition ? seconds_between(*admitted->last_transition, now) : 0;
    status.past_execution_seconds =
        static_cast<std::int32_t>(status.past_execution_seconds.value_or(0) + spent);
    say(request, status, "Admitted", false, "NoReservation", "The workload has no reservation",
        now);
  }
  status.admission.reset();
  say(request, status, "QuotaReserved", false, "Pending", message, now);
  for (model::AdmissionCheckState& state : status.checks) {
    if (state.state == model::CheckState::pending) continue;
    state.state = model::CheckState::pending;
    state.message = "Reset to Pending after eviction. Previously: " + state.message;
    state.last_transition = now;
    state.updates.clear();
  }
  const std::string reason = evicted != nullptr ? evicted->reason : "Released";
  if (request.object->spec.active && !request.finished) {
    say(request, status, "Requeued", true, reason, message, now);
  }
  return status;
}

}  // namespace tutti::core
