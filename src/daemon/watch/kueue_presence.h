// KueuePresence: whether Kueue's manager is at work, by its Lease. Time and answers go in.
//
// A manager that starts again, or a Lease that is handed on, must not look like one that is gone:
// the last renewal has to be minutes old. What its times say counts once, when the Lease is first
// seen; later only whether it changes, by our own clock.
#pragma once

#include <chrono>

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "core/framework/broker_config.h"
#include "core/requests/tree_owner.h"

namespace tutti::daemon {

inline constexpr std::string_view kKueueLease = "c1f6bfd2.kueue.x-k8s.io";

// Kueue's Lease as the server has it.
struct KueueLease {
  std::string version;
  std::optional<Instant> renewed{};
};
// The latest in a list of Leases; nothing: there is none. An error: it is no such list.
Result<std::optional<KueueLease>> kueue_lease_in(const std::string& body);

class KueuePresence {
 public:
  // After so long without a renewal the manager is gone.
  static constexpr Millis kPatience = std::chrono::minutes(5);

  void saw(const std::optional<KueueLease>& lease, Instant now);
  // The Lease may not be read: Kueue is taken to be at work, unless more is known.
  void failed();

  bool known() const { return known_; }
  bool at_work(Instant now) const;
  // Who decides. Without a mode it is Kueue, once it was seen at work in the life of this process.
  core::Authority authority(std::optional<core::BrokerMode> mode, Instant now);

 private:
  bool known_ = false;
  bool unreadable_ = false;
  bool seen_at_work_ = false;
  std::string version_;
  std::optional<Instant> renewed_;  // by our clock
};

}  // namespace tutti::daemon
