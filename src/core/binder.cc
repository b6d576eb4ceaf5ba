#include "core/binder.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

constexpr Millis kFirstRetry = std::chrono::seconds(1);

// A permit that waits is bounded by its plugin's timeout.
Verdict timed_out(const Plugin& plugin) {
  return {Code::unschedulable, plugin.name(), "waited too long for permission to bind"};
}

}  // namespace

void Binder::start(PodId pod, NodeId node, const Profile& profile, Instant now) {
  bindings_.insert_or_assign(pod, Binding{.pod = pod,
                                          .node = node,
                                          .profile = &profile,
                                          .stage = Binding::Stage::permit,
                                          .since = now,
                                          .retry_at = {},
                                          .failures = 0});
  poked_ = true;
}

std::vector<BindingFailure> Binder::advance(Instant now) {
  poked_ = false;
  std::vector<BindingFailure> failures;
  for (auto at = bindings_.begin(); at != bindings_.end();) {
    auto failure = step(at->second, now);
    if (failure) {
      failures.push_back(std::move(*failure));
      at = bindings_.erase(at);
    } else {
      ++at;
    }
  }
  return failures;
}

std::optional<BindingFailure> Binder::step(Binding& binding, Instant now) {
  using Stage = Binding::Stage;
  if (binding.stage == Stage::in_flight) return std::nullopt;
  if (binding.stage == Stage::retry) {
    if (now < binding.retry_at) return std::nullopt;
    binding.stage = Stage::bind;
  }
  while (binding.stage != Stage::in_flight) {
    Verdict verdict;
    switch (binding.stage) {
      case Stage::permit:
        verdict = permit(binding, now);
        break;
      case Stage::pre_bind:
        verdict = pre_bind(binding);
        break;
      default:
        verdict = bind(binding);
        break;
    }
    if (verdict.code == Code::wait) return std::nullopt;
    if (!verdict.success()) return BindingFailure{binding, verdict.reason};
    binding.stage = static_cast<Stage>(static_cast<std::uint8_t>(binding.stage) + 1);
  }
  return std::nullopt;
}

Verdict Binder::permit(Binding& binding, Instant now) const {
  for (const auto& plugin : binding.profile->permit) {
    Verdict verdict = plugin->permit(cluster_, groups_, binding.pod, binding.node);
    if (verdict.success() || verdict.code == Code::skip) continue;
    if (verdict.code != Code::wait) return verdict;
    return now - binding.since >= plugin->timeout() ? timed_out(*plugin.plugin) : verdict;
  }
  return {};
}

Verdict Binder::pre_bind(const Binding& binding) {
  for (const auto& plugin : binding.profile->pre_bind) {
    Verdict verdict = plugin->pre_bind(cluster_, port_, binding.pod, binding.node);
    if (!verdict.success() && verdict.code != Code::skip) return verdict;
  }
  return {};
}

Verdict Binder::bind(const Binding& binding) {
  for (const auto& plugin : binding.profile->bind) {
    Verdict verdict = plugin->bind(cluster_, port_, binding.pod, binding.node);
    if (verdict.code != Code::skip) return verdict;
  }
  return {Code::error, {}, "no Bind plugin took the pod"};
}

std::optional<BindingFailure> Binder::finished(PodId pod, const Status& outcome, bool hold,
                                               Instant now) {
  const auto at = bindings_.find(pod);
  if (at == bindings_.end()) return std::nullopt;
  Binding& binding = at->second;
  if (outcome.ok()) {
    for (const auto& plugin : binding.profile->post_bind) {
      plugin->post_bind(cluster_, pod, binding.node);
    }
    bindings_.erase(at);
    return std::nullopt;
  }
  ++binding.failures;
  const bool gone = outcome.error().code == Error::Code::not_found;
  if (hold && !gone && binding.failures < kAttempts) {
    binding.stage = Binding::Stage::retry;
    binding.retry_at = now + kFirstRetry * (1 << (binding.failures - 1));
    return std::nullopt;
  }
  BindingFailure failure{binding, outcome.error().message};
  bindings_.erase(at);
  return failure;
}

std::optional<Instant> Binder::next_wakeup() const {
  std::optional<Instant> next;
  if (poked_) next = Instant::min();
  for (const auto& [pod, binding] : bindings_) {
    std::optional<Instant> at;
    if (binding.stage == Binding::Stage::retry) at = binding.retry_at;
    if (binding.stage == Binding::Stage::permit && !binding.profile->permit.empty()) {
      at = binding.since + binding.profile->permit.front()->timeout();
    }
    if (at) next = next ? std::min(*next, *at) : *at;
  }
  return next;
}

}  // namespace tutti::core
