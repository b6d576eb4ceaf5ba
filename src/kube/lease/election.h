// Election: who leads, by a coordination.k8s.io/v1 Lease, in the way client-go does it, so that
// replicas of both can share one lease. A pure state machine: time and answers go in, requests come
// out. See LeaderElector for the part that has a loop.
//
//              look: free, expired or ours            write succeeds
//   candidate ─────────────────────────────> write ───────────────────> leader
//       ^  └── held by another: look again later                          │ write again every
//       │                                                                 │ retry period
//       └── renew deadline passed, or the lease has another holder <──────┘
//
//   release(): leader ─> releasing ── holder cleared ─> released
//
// Two never act at once, given clocks that run equally fast and an API server that honours
// resourceVersion, whatever is delayed, lost or paused:
// - a leader may act until the renew deadline has passed since it *sent* its last successful write;
// - another takes the lease only when it has seen the same version of it for the whole lease
//   duration, which is longer, by its own clock, and only if that version is still the present one.
// Times written by others are not looked at. A Lease that someone deletes loses this guarantee for
// replicas that have never seen it.
#pragma once

#include <chrono>

#include "base/random.h"
#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "kube/client/api_client.h"
#include "model/cluster.h"

namespace tutti::kube {

// Time that only moves forward, whatever happens to the wall clock. Its origin says nothing.
using Moment = std::chrono::time_point<std::chrono::steady_clock, Millis>;

struct ElectionConfig {
  std::string ns;
  std::string name;
  // Unique to this run of this process: whoever has it continues its leadership.
  std::string identity;
  Millis lease_duration{15'000};
  Millis renew_deadline{10'000};
  Millis retry_period{2'000};
};
// The rules that make an election safe and able to end.
Status check(const ElectionConfig& config);

class Election {
 public:
  enum class Role : std::uint8_t {
    candidate,
    leader,
    releasing,  // no longer acts; the lease is being cleared for the next
    released,   // the end: sends nothing more
  };

  // Requires a config that passes check(). `seed` spreads the attempts of candidates.
  Election(ElectionConfig config, std::uint64_t seed);

  // The request to send now; nothing while one is in flight or none is due. `wall` is what the
  // lease will say for people. The call is not to be repeated by itself.
  std::optional<Call> next_request(Moment now, Instant wall);
  // The answer to the request in flight, which may be that none came. Ignored if none is in flight.
  void answered(const Answer& answer, Moment now);
  // Ends what has run out by now.
  void expire(Moment now);
  // Gives the lease up, if it is ours. Requires that what was done as leader has ended.
  void release(Moment now);

  // When to call next_request and expire again unless an answer comes first; empty: never.
  std::optional<Moment> next_wakeup() const;

  Role role() const { return role_; }
  // To be asked before everything that only a leader may do.
  bool may_act(Moment now) const { return role_ == Role::leader && now < acts_until_; }
  // When the last successful write was sent; empty before the first.
  std::optional<Moment> renewed() const { return renewed_; }
  // Who holds the lease as far as we know; empty: nobody.
  const std::string& holder() const { return holder_; }
  // What went wrong last, one line; empty once an answer was good again.
  const std::string& trouble() const { return trouble_; }

 private:
  enum class Step : std::uint8_t { look, write };

  Call look_call() const;
  Call write_call(Instant wall) const;
  std::string lease_body(Instant wall) const;

  void looked(const Answer& answer, Moment now);
  void saw(std::shared_ptr<const model::Lease> lease, Moment now);
  void found_no_lease(Moment now);
  void wrote(const Answer& answer, Moment now);
  void write_succeeded(const Answer& answer, Moment now);
  void write_conflicted(Moment now);
  void failed(std::string what, Moment now);

  void observe(std::shared_ptr<const model::Lease> lease, Moment now);
  bool ours() const { return holder_ == config_.identity; }
  bool held_by_another(Moment now) const;
  void proceed(Step step, Moment due);
  // As candidates do: after the retry period and a random part of it more.
  void look_later(Moment now);

  ElectionConfig config_;
  Random random_;
  Role role_ = Role::candidate;

  // The lease as last seen, and since when we have seen this version of it. Null: there is none, or
  // it must be looked at before it can be written.
  std::shared_ptr<const model::Lease> lease_;
  std::string holder_;
  std::uint64_t version_ = 0;
  Moment observed_at_;
  Millis held_for_{0};

  Step step_ = Step::look;  // what comes next, or is in flight
  Moment due_{Millis::min()};
  bool in_flight_ = false;
  Moment sent_;
  bool write_was_blind_ = false;  // it trusts a lease that was not looked at in this attempt
  bool write_unsure_ = false;     // a write may have arrived, or may yet arrive, unknown to us

  std::optional<Moment> renewed_;
  Moment acts_until_;
  Moment release_by_;
  std::string trouble_;
};

}  // namespace tutti::kube
