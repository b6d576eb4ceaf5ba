#include "controllers/queues/request_state.h"

#include <algorithm>

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::Condition;

constexpr std::string_view kPodsReady = "PodsReady";
constexpr std::string_view kFinished = "Finished";
constexpr std::string_view kWaitForStart = "WaitForStart";
constexpr std::string_view kWaitForRecovery = "WaitForRecovery";

bool holds(const AdmissionRequest& request, std::string_view type) {
  return model::has_condition(request, type);
}

// A transition counts where the status changes.
void write_condition(const RequestPtr& request, std::string_view type, bool status,
                     std::string_view reason, std::string message, Cluster& cluster) {
  AdmissionRequest next = *request;
  next.meta.resource_version = 0;
  Condition made{std::string(type),   status ? "True" : "False",
                 std::string(reason), std::move(message),
                 cluster.now(),       request->meta.generation};
  auto& list = next.status.conditions.edit();
  const auto at = std::ranges::find(list, type, &Condition::type);
  if (at == list.end()) {
    list.push_back(std::move(made));
  } else {
    if (at->status == made.status) made.last_transition = at->last_transition;
    *at = std::move(made);
  }
  // One that is gone has no status.
  (void)cluster.update_status(next);
}

}  // namespace

bool is_evicted(const AdmissionRequest& request) { return holds(request, "Evicted"); }
bool is_finished(const AdmissionRequest& request) { return holds(request, kFinished); }
bool may_run(const AdmissionRequest& request) {
  return holds(request, "Admitted") && !is_evicted(request) && request.status.admission;
}

void say_finished(const RequestPtr& request, const WorkEnding& ending, Cluster& cluster) {
  if (is_finished(*request)) return;
  write_condition(request, kFinished, true, ending.succeeded ? "Succeeded" : "Failed",
                  ending.message, cluster);
}

void say_ready(const RequestPtr& request, bool ready, Cluster& cluster) {
  const Condition* said = model::find(request->status.conditions, kPodsReady);
  if (!may_run(*request)) {
    if (said == nullptr || said->reason == kWaitForStart) return;
    return write_condition(request, kPodsReady, false, kWaitForStart,
                           "Not all pods are ready or succeeded", cluster);
  }
  if (said == nullptr) {
    if (ready) {
      return write_condition(request, kPodsReady, true, "Started",
                             "All pods reached readiness and the workload is running", cluster);
    }
    return write_condition(request, kPodsReady, false, kWaitForStart,
                           "Not all pods are ready or succeeded", cluster);
  }
  if (ready == (said->status == "True")) return;
  if (!ready) {
    return write_condition(request, kPodsReady, false, kWaitForRecovery,
                           "At least one pod has failed, waiting for recovery", cluster);
  }
  const bool recovered = said->reason == kWaitForRecovery;
  write_condition(request, kPodsReady, true, recovered ? "Recovered" : "Started",
                  recovered ? "All pods reached readiness after recovering from failures"
                            : "All pods reached readiness and the workload is running",
                  cluster);
}

void say_reclaimable(const RequestPtr& request, std::vector<model::ReclaimablePods> pods,
                     Cluster& cluster) {
  if (request->status.reclaimable == pods) return;
  AdmissionRequest next = *request;
  next.meta.resource_version = 0;
  next.status.reclaimable = std::move(pods);
  // One that is gone has no status.
  (void)cluster.update_status(next);
}

}  // namespace tutti::controllers
