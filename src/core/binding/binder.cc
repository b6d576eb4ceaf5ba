#include "core/binding/binder.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

constexpr Millis kFirstRetry = std::chrono::seconds(1);

// A plugin that waits is bounded by its timeout.
PluginStatus timed_out(const Plugin& plugin, const PluginStatus& waits) {
  return {Code::unschedulable, plugin.name(),
          waits.reason.empty() ? "waited too long for permission to bind"
                               : "waited too long: " + waits.reason};
}

// The gang that the pod is to complete; invalid: none.
GroupId gang_of(const Cluster& cluster, const GroupTable& groups, PodId pod) {
  const model::Pod& object = *cluster.pod(pod).object;
  if (object.spec->scheduling_group.empty()) return {};
  const auto leaf = groups.find(object.meta.ns, object.spec->scheduling_group, false);
  if (!leaf) return {};
  for (const GroupId group : {groups.root_of(*leaf).value_or(*leaf), *leaf}) {
    const bool gang = groups[group].seen() && groups[group].spec().policy.gang;
    if (gang && !groups.complete(group)) return group;
  }
  return {};
}

}  // namespace

void Binder::start(PodId pod, NodeId node, const Profile& profile, Instant now) {
  TUTTI_CHECK(cluster_.pod(pod).node == node, "a pod binds where it was placed");
  Binding binding;
  binding.pod = pod;
  binding.node = node;
  binding.profile = &profile;
  binding.since = now;
  bindings_.insert_or_assign(pod, binding);
  due_.insert(pod);
  poke();
}

void Binder::poke() { due_.insert(waiting_.begin(), waiting_.end()); }

void Binder::forget(PodId pod) {
  const auto at = bindings_.find(pod);
  if (at == bindings_.end()) return;
  clear_timer(at->second);
  due_.erase(pod);
  waiting_.erase(pod);
  bindings_.erase(at);
}

void Binder::set_timer(Binding& binding, Instant at) {
  clear_timer(binding);
  binding.timer = at;
  timers_.emplace(at, binding.pod);
}

void Binder::clear_timer(Binding& binding) {
  if (binding.timer) {
    TUTTI_CHECK(timers_.erase({*binding.timer, binding.pod}) == 1, "it lies under another time");
  }
  binding.timer.reset();
}

std::vector<BindingFailure> Binder::advance(Instant now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const PodId pod = timers_.begin()->second;
    clear_timer(bindings_.at(pod));
    due_.insert(pod);
  }
  std::vector<BindingFailure> failures;
  const auto note = [&](const Binding& binding, std::string why) {
    failures.push_back({binding, std::move(why)});
    forget(binding.pod);
  };
  const std::set<PodId> due = std::exchange(due_, {});
  for (const PodId pod : due) {
    if (auto failure = step(bindings_.at(pod), now)) note(failure->binding, failure->why);
  }
  std::set<GroupId> unready;
  for (const PodId pod : waiting_) {
    if (bindings_.at(pod).stage != Binding::Stage::pre_bind) continue;
    if (const GroupId gang = gang_of(cluster_, groups_, pod); gang.valid()) unready.insert(gang);
  }
  for (const PodId pod : due) {
    const auto at = bindings_.find(pod);
    if (at == bindings_.end() || at->second.stage != Binding::Stage::bind) continue;
    // A member that binds before the others are ready starts alone, maybe for nothing. When it goes
    // on, the others may be gone: it asks for permission again.
    const bool held = !unready.empty() && unready.contains(gang_of(cluster_, groups_, pod));
    const PluginStatus verdict = held ? PluginStatus{Code::wait, {}, {}} : bind(at->second);
    if (held) at->second.stage = Binding::Stage::permit;
    if (verdict.code == Code::wait) {
      waiting_.insert(pod);
    } else if (!verdict.success()) {
      note(at->second, verdict.reason);
    } else {
      clear_timer(at->second);
      at->second.stage = Binding::Stage::in_flight;
    }
  }
  return failures;
}

std::optional<BindingFailure> Binder::step(Binding& binding, Instant now) {
  using Stage = Binding::Stage;
  waiting_.erase(binding.pod);
  if (binding.stage == Stage::retry) binding.stage = Stage::bind;
  while (binding.stage < Stage::bind) {
    const PluginStatus verdict =
        binding.stage == Stage::permit ? permit(binding, now) : pre_bind(binding, now);
    if (verdict.code == Code::wait) {
      waiting_.insert(binding.pod);
      return std::nullopt;
    }
    if (!verdict.success()) return BindingFailure{binding, verdict.reason};
    clear_timer(binding);
    binding.stage = static_cast<Stage>(static_cast<std::uint8_t>(binding.stage) + 1);
  }
  return std::nullopt;
}

// Asks the plugins of a point in order, until one does not agree.
template <typename Plugins, typename Ask>
PluginStatus Binder::ask_all(Binding& binding, const Plugins& plugins, Instant now,
                             const Ask& ask) {
  for (const auto& plugin : plugins) {
    PluginStatus verdict = ask(*plugin.does);
    if (verdict.success() || verdict.code == Code::skip) continue;
    if (verdict.code != Code::wait) return verdict;
    const Instant end = binding.since + plugin->timeout();
    if (now >= end) return timed_out(*plugin.plugin, verdict);
    set_timer(binding, end);
    return verdict;
  }
  return {};
}

PluginStatus Binder::permit(Binding& binding, Instant now) {
  return ask_all(binding, binding.profile->permit, now, [&](auto& plugin) {
    return plugin.permit(cluster_, groups_, binding.pod, binding.node);
  });
}

PluginStatus Binder::pre_bind(Binding& binding, Instant now) {
  return ask_all(binding, binding.profile->pre_bind, now, [&](auto& plugin) {
    return plugin.pre_bind(cluster_, port_, binding.pod, binding.node);
  });
}

PluginStatus Binder::bind(const Binding& binding) {
  TUTTI_CHECK(binding.stage == Binding::Stage::bind, "everyone before Bind has agreed");
  for (const auto& plugin : binding.profile->bind) {
    PluginStatus verdict = plugin->bind(cluster_, port_, binding.pod, binding.node);
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
    forget(pod);
    return std::nullopt;
  }
  ++binding.failures;
  TUTTI_CHECK(binding.failures <= kAttempts, "it was given up before");
  const bool gone = outcome.error().code == Error::Code::not_found;
  if (hold && !gone && binding.failures < kAttempts) {
    binding.stage = Binding::Stage::retry;
    set_timer(binding, now + kFirstRetry * (1 << (binding.failures - 1)));
    return std::nullopt;
  }
  BindingFailure failure{binding, outcome.error().message};
  forget(pod);
  return failure;
}

std::optional<Instant> Binder::next_wakeup() const {
  if (!due_.empty()) return Instant::min();
  if (!timers_.empty()) return timers_.begin()->first;
  return std::nullopt;
}

}  // namespace tutti::core
