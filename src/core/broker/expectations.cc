#include "core/broker/expectations.h"

#include <algorithm>

#include "core/broker/phantoms.h"

namespace tutti::core {
namespace {

constexpr Millis kGrace = std::chrono::seconds(30);

std::optional<Instant> true_since(const Request& request, std::string_view type) {
  const model::Condition* condition = true_condition(*request.object, type);
  return condition != nullptr ? condition->last_transition : std::nullopt;
}

}  // namespace

void Expectations::begin() {
  table_.heed_run_times();
  for (std::uint32_t i = 0; i < state_.cluster.pods().slots(); ++i) {
    if (state_.cluster.pod({i}).object != nullptr) changed_pods_.insert({i});
  }
}

RunTime Expectations::run_time(const Request& request) const {
  const QuotaQueue* queue = table_.objects().queue(request.queue);
  std::optional<Millis> by_default;
  if (queue != nullptr) by_default = duration_in(queue->object->meta.annotations, kExpectedRuntime);
  return run_time_of(*request.object, by_default);
}

// A request runs from its admission on, and where its pods began later, from then on.
std::optional<Expectation> Expectations::of(const Request& request) const {
  if (!request.charged_to.valid()) return std::nullopt;
  if (request.stage == RequestStage::releasing) {
    const auto evicted = true_since(request, "Evicted");
    const auto left = evicted ? evicted : true_since(request, "Finished");
    return Expectation{.start = left.value_or(request.reserved_at), .length = kGrace};
  }
  const bool admitted = request.stage == RequestStage::admitted;
  const Instant base = admitted ? request.admitted_at : request.reserved_at;
  Instant start = base;
  for (const PodId pod : request.pods) {
    const auto& began = state_.cluster.pod(pod).object->status.start_time;
    if (began) start = std::max(start, *began);
  }
  const RunTime runs = run_time(request);
  std::optional<Instant> end;
  if (runs.bound) end = later(start, *runs.bound);
  if (runs.bound_since_admission) {
    const Instant over = later(base, *runs.bound_since_admission);
    end = std::min(end.value_or(over), over);
  }
  const bool certain = end.has_value();
  if (!end && runs.estimate) end = later(start, *runs.estimate);
  if (!end) return Expectation{.start = start};
  return Expectation{.start = start, .length = *end - start, .certain = certain};
}

// Pods that no request has count while their own objects say when they end.
std::optional<Expectation> Expectations::of(PodId pod) const {
  const PodEntry& entry = state_.cluster.pod(pod);
  if (entry.object == nullptr || !entry.node.valid() || is_phantom(*entry.object)) {
    return std::nullopt;
  }
  if (table_.request_of(pod) != nullptr || !entry.object->status.start_time) return std::nullopt;
  const RunTime runs = run_time_of(*entry.object);
  const auto length = runs.bound ? runs.bound : runs.estimate;
  if (!length) return std::nullopt;
  return Expectation{.start = *entry.object->status.start_time,
                     .length = length,
                     .certain = runs.bound.has_value()};
}

void Expectations::pod_gone(PodId pod) {
  changed_pods_.erase(pod);
  const PodEntry& entry = state_.cluster.pod(pod);
  const bool known = timeline_.knows({.pod = pod});
  if (known) {
    early_ = timeline_.remove({.pod = pod}) || early_;
  } else if (entry.node.valid() && table_.request_of(pod) == nullptr) {
    early_ = true;  // nobody expected its end
  }
}

bool Expectations::catch_up(Instant now) {
  timeline_.advance(now);
  for (const PodId pod : std::exchange(changed_pods_, {})) {
    if (const Request* request = table_.request_of(pod)) {
      table_.note_holder(*request);
      timeline_.remove({.pod = pod});
    } else if (const auto expected = of(pod)) {
      timeline_.put({.pod = pod}, *expected);
    } else {
      timeline_.remove({.pod = pod});
    }
  }
  for (const std::string& name : table_.take_changed_holders()) {
    const Request* request = table_.find(name);
    const auto expected = request != nullptr ? of(*request) : std::nullopt;
    if (expected) {
      timeline_.put({.request = name}, *expected);
    } else {
      early_ = timeline_.remove({.request = name}) || early_;
    }
  }
  return std::exchange(early_, false);
}

std::string Expectations::check_consistency() const {
  if (!changed_pods_.empty() || table_.has_changed_holders()) return {};
  Timeline anew;
  anew.advance(timeline_.now());
  for (const auto& [name, request] : table_.all()) {
    if (const auto expected = of(*request)) anew.put({.request = name}, *expected);
  }
  for (std::uint32_t i = 0; i < state_.cluster.pods().slots(); ++i) {
    if (state_.cluster.pod({i}).object == nullptr) continue;
    if (const auto expected = of(PodId{i})) anew.put({.pod = {i}}, *expected);
  }
  return timeline_.difference(anew);
}

}  // namespace tutti::core
