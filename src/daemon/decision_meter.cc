#include "daemon/decision_meter.h"

#include <string>

namespace tutti::daemon {
namespace {

using DecisionKind = core::Decision::Kind;

bool is_pod(const core::Decision& decision) { return decision.entity.starts_with("Pod "); }

telemetry::PodResult pod_result(DecisionKind kind) {
  if (kind == DecisionKind::placed) return telemetry::PodResult::scheduled;
  return kind == DecisionKind::failed ? telemetry::PodResult::error
                                      : telemetry::PodResult::unschedulable;
}

telemetry::GroupResult group_result(DecisionKind kind) {
  if (kind == DecisionKind::placed) return telemetry::GroupResult::scheduled;
  return kind == DecisionKind::failed ? telemetry::GroupResult::error
                                      : telemetry::GroupResult::unschedulable;
}

}  // namespace

void DecisionMeter::decided(const core::Decision& decision) {
  const telemetry::Seconds took = Clock::now() - begin_;
  const bool of_request = decision.entity.starts_with("Workload ");
  if (of_request && requests_ != nullptr) queues_.decided(decision, *requests_, took);
  switch (decision.kind) {
    case DecisionKind::placed:
    case DecisionKind::unschedulable:
    case DecisionKind::failed:
      if (!of_request) count(decision, took);
      break;
    case DecisionKind::bind_failed:
      log_.warning("binding failed", {{"object", decision.entity}, {"why", decision.message}});
      return;
    case DecisionKind::taken_back:
      metrics_.gang_taken_back();
      log_.warning("incomplete gang taken back",
                   {{"object", decision.entity},
                    {"members", std::to_string(decision.bindings.size())},
                    {"why", decision.message}});
      return;
    case DecisionKind::preempting:
      log_.info(
          "evicting others to make room",
          {{"object", decision.entity}, {"victims", std::to_string(decision.bindings.size())}});
      return;
    case DecisionKind::admitted:
      log_.debug("admitted", {{"object", decision.entity}, {"why", decision.message}});
      return;
    case DecisionKind::evicted:
      log_.info("evicted", {{"object", decision.entity}, {"why", decision.message}});
      return;
  }
  if (decision.kind == DecisionKind::failed) {
    log_.warning("attempt failed", {{"object", decision.entity}, {"why", decision.message}});
  } else {
    log_.debug(decision.kind == DecisionKind::placed ? "placed" : "unschedulable",
               {{"object", decision.entity},
                {"pods", std::to_string(decision.bindings.size())},
                {"why", decision.message}});
  }
}

void DecisionMeter::count(const core::Decision& decision, telemetry::Seconds took) {
  const auto profile = metrics_.profile(decision.scheduler);
  if (is_pod(decision)) {
    metrics_.pod_algorithm_ran(took);
    metrics_.pod_attempted(profile, pod_result(decision.kind), took);
  } else {
    metrics_.group_algorithm_ran(took);
    metrics_.group_attempted(profile, group_result(decision.kind), took);
  }
}

}  // namespace tutti::daemon
