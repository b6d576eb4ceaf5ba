#include "kube/lease/election.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/lease/lease_text.h"

namespace tutti::kube {

namespace {

constexpr int kNotFound = 404;
constexpr int kConflict = 409;

std::chrono::seconds whole_seconds(Millis span) {
  return std::chrono::duration_cast<std::chrono::seconds>(span);
}

std::string collection_path(const ElectionConfig& config) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + config.ns + "/leases";
}

Error bad(const char* rule) {
  return {Error::Code::invalid, fmt::format("leader election: {}", rule)};
}

// The write did not happen because the lease is not what we thought it was.
bool refused_as_outdated(const Answer& answer) {
  return answer.status == kConflict || answer.status == kNotFound;
}

std::string describe(const Answer& answer, const char* doing) {
  if (answer.status == 0) return fmt::format("{} it: {}", doing, answer.message);
  return fmt::format("{} it: {} ({})", doing, answer.message, answer.status);
}

}  // namespace

Status check(const ElectionConfig& config) {
  if (config.ns.empty() || config.name.empty())
    return bad("the lease needs a namespace and a name");
  if (config.identity.empty()) return bad("an identity is needed");
  if (config.retry_period < Millis(1)) return bad("retryPeriod must be positive");
  if (config.lease_duration < std::chrono::seconds(1)) {
    return bad("leaseDuration must be at least one second");
  }
  // The lease says its duration in whole seconds, so that is what others will wait.
  if (whole_seconds(config.lease_duration) <= config.renew_deadline) {
    return bad("leaseDuration, in whole seconds, must be longer than renewDeadline");
  }
  // A candidate waits at most 2.2 retry periods, a leader one: it needs a second try in time.
  if (config.renew_deadline * 10 <= config.retry_period * 12) {
    return bad("renewDeadline must be longer than 1.2 times retryPeriod");
  }
  return ok_status();
}

Election::Election(ElectionConfig config, std::uint64_t seed)
    : config_(std::move(config)), random_(seed) {
  TUTTI_CHECK(check(config_).ok());
}

std::optional<Call> Election::next_request(Moment now, Instant wall) {
  expire(now);
  if (in_flight_ || role_ == Role::released || now < due_) return std::nullopt;
  in_flight_ = true;
  sent_ = now;
  return step_ == Step::look ? look_call() : write_call(wall);
}

Call Election::look_call() const {
  Call call;
  call.path = collection_path(config_) + "/" + config_.name;
  call.timeout = config_.renew_deadline / 2;
  call.urgent = true;
  return call;
}

Call Election::write_call(Instant wall) const {
  Call call = look_call();
  call.method = lease_ ? "PUT" : "POST";
  if (!lease_) call.path = collection_path(config_);
  call.body = lease_body(wall);
  return call;
}

std::string Election::lease_body(Instant wall) const {
  model::Lease lease;
  if (lease_) {
    lease = *lease_;
  } else {
    lease.api_version = "coordination.k8s.io/v1";
    lease.meta.ns = config_.ns;
    lease.meta.name = config_.name;
  }
  lease.renewed = wall;
  if (role_ == Role::releasing) {
    lease.holder.clear();
    lease.acquired = wall;
    lease.duration_seconds = 1;
    return write_lease(lease);
  }
  if (lease.holder != config_.identity) {
    if (lease_) ++lease.transitions;
    lease.acquired = wall;
  }
  lease.holder = config_.identity;
  lease.duration_seconds = static_cast<std::int32_t>(whole_seconds(config_.lease_duration).count());
  return write_lease(lease);
}

void Election::answered(const Answer& answer, Moment now) {
  expire(now);
  if (!std::exchange(in_flight_, false) || role_ == Role::released) return;
  if (step_ == Step::look) {
    looked(answer, now);
  } else {
    wrote(answer, now);
  }
  expire(now);
}

void Election::looked(const Answer& answer, Moment now) {
  if (answer.status == kNotFound) return found_no_lease(now);
  if (!answer.ok()) return failed(describe(answer, "reading"), now);
  auto lease = read_lease(answer.body);
  if (!lease) return failed("reading the lease: " + lease.error().message, now);
  trouble_.clear();
  saw(*std::move(lease), now);
}

void Election::saw(std::shared_ptr<const model::Lease> lease, Moment now) {
  observe(std::move(lease), now);
  write_unsure_ = false;
  write_was_blind_ = false;
  if (role_ == Role::releasing && !ours()) {
    role_ = Role::released;
    return;
  }
  if (role_ == Role::leader && !ours()) role_ = Role::candidate;
  if (held_by_another(now)) return look_later(now);
  proceed(Step::write, now);
}

void Election::found_no_lease(Moment now) {
  trouble_.clear();
  lease_ = nullptr;
  write_was_blind_ = false;
  if (role_ == Role::releasing) {
    role_ = Role::released;
    return;
  }
  // Deleted under a leader that still acts: it has as long as if it had not been.
  if (held_by_another(now)) return look_later(now);
  proceed(Step::write, now);
}

void Election::wrote(const Answer& answer, Moment now) {
  if (answer.ok()) return write_succeeded(answer, now);
  if (refused_as_outdated(answer)) return write_conflicted(now);
  // Only an answer that refuses says that nothing was written.
  if (answer.transient()) write_unsure_ = true;
  failed(describe(answer, "writing"), now);
}

void Election::write_succeeded(const Answer& answer, Moment now) {
  trouble_.clear();
  write_unsure_ = false;
  auto lease = read_lease(answer.body);
  if (lease) {
    observe(*std::move(lease), now);
  } else {
    lease_ = nullptr;
    holder_ = config_.identity;
  }
  if (role_ == Role::releasing) {
    // What was written may be a renewal that was under way when we were asked to release.
    if (!ours()) {
      role_ = Role::released;
    } else {
      proceed(lease_ ? Step::write : Step::look, now);
    }
    return;
  }
  role_ = Role::leader;
  renewed_ = sent_;
  acts_until_ = sent_ + config_.renew_deadline;
  write_was_blind_ = true;
  proceed(lease_ ? Step::write : Step::look, sent_ + config_.retry_period);
}

void Election::write_conflicted(Moment now) {
  // Seen a moment ago and already outdated: someone else is busy with it, and a look at once could
  // go on like this for ever.
  if (!write_was_blind_) return failed("the lease changed while it was written", now);
  proceed(Step::look, now);
}

void Election::failed(std::string what, Moment now) {
  trouble_ = fmt::format("lease {}/{}: {}", config_.ns, config_.name, what);
  if (role_ == Role::candidate) return look_later(now);
  proceed(Step::look, std::max(now, sent_ + config_.retry_period));
}

void Election::expire(Moment now) {
  if (role_ == Role::leader && now >= acts_until_) role_ = Role::candidate;
  if (role_ == Role::releasing && now >= release_by_) role_ = Role::released;
}

void Election::release(Moment now) {
  expire(now);
  if (role_ == Role::releasing || role_ == Role::released) return;
  const bool writing = in_flight_ && step_ == Step::write;
  if (!ours() && !writing && !write_unsure_) {
    role_ = Role::released;
    return;
  }
  role_ = Role::releasing;
  release_by_ = now + config_.renew_deadline;
  if (!in_flight_) proceed(lease_ && !write_unsure_ ? Step::write : Step::look, now);
}

std::optional<Moment> Election::next_wakeup() const {
  if (role_ == Role::released) return std::nullopt;
  std::optional<Moment> wakeup;
  if (role_ == Role::leader) wakeup = acts_until_;
  if (role_ == Role::releasing) wakeup = release_by_;
  if (!in_flight_) wakeup = wakeup ? std::min(*wakeup, due_) : due_;
  return wakeup;
}

void Election::observe(std::shared_ptr<const model::Lease> lease, Moment now) {
  lease_ = std::move(lease);
  if (lease_->meta.resource_version == version_) return;
  version_ = lease_->meta.resource_version;
  holder_ = lease_->holder;
  observed_at_ = now;
  // A holder that does not say for how long is given as long as we would take.
  held_for_ = lease_->duration_seconds.value_or(0) > 0
                  ? Millis(std::chrono::seconds(*lease_->duration_seconds))
                  : config_.lease_duration;
}

bool Election::held_by_another(Moment now) const {
  return !holder_.empty() && !ours() && now < observed_at_ + held_for_;
}

void Election::proceed(Step step, Moment due) {
  step_ = step;
  due_ = due;
}

void Election::look_later(Moment now) {
  const auto spread = static_cast<std::uint64_t>(config_.retry_period.count()) * 6 / 5 + 1;
  proceed(Step::look,
          now + config_.retry_period + Millis(static_cast<Millis::rep>(random_.below(spread))));
}

}  // namespace tutti::kube
