// PendingReason: why a request waits, in Kueue's reasons and with the numbers behind them.
#pragma once

#include "base/std.h"
#include "quota/flavors.h"
#include "quota/tree.h"

namespace tutti::core {

// Reasons of QuotaReserved=False. The first four can be weighed against each other, the least
// severe first: flavors of one resource group are alternatives, resource groups and pod sets are
// all needed.
enum class Waits : std::uint8_t {
  placement_failed,           // quota would do, and there is no place
  topology_placement_failed,  // likewise, on flavors with a topology
  for_quota,
  exceeds_max_quota,
  no_matching_flavor,
  // What concerns the request as a whole.
  pending_evaluation,
  for_reservation,  // it fits, and would delay somebody who was there first
  for_preempted,
  for_pods_ready,
  admission_gated,
  suspended,
  on_hold,
  misconfigured,
};
std::string_view word(Waits reason);  // "WaitingForQuota"

// What one flavor had of one resource, and what was asked of it.
struct Shortage {
  std::string pod_set;
  std::string flavor;
  std::string resource;
  std::int64_t need = 0;
  std::int64_t have = 0;  // at most what the queue may ever use
  bool never = false;     // not even with everybody else gone
};

struct PendingReason {
  Waits reason = Waits::pending_evaluation;
  std::string message{};
  std::vector<Shortage> shortages{};
  friend bool operator==(const PendingReason& left, const PendingReason& right) {
    return left.reason == right.reason && left.message == right.message;
  }
};

// What is said of one flavor that will not do.
struct FlavorReason {
  Waits reason = Waits::for_quota;
  std::string message{};
  std::vector<Shortage> shortages{};
};
// Why a flavor with this outcome will not do for the pod set.
FlavorReason refusal_of(const quota::Tree& tree, quota::QuotaNodeId queue,
                        const std::string& pod_set, const quota::FlavorOutcome& outcome);

// An amount as people write it: "8", "500m", "16Gi".
std::string amount_text(std::string_view resource, std::int64_t base_units);

}  // namespace tutti::core
