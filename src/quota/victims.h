// Victims: who must leave so that a request gets its quota, as Kueue chooses them, by quota alone.
//
// Both searches answer with a minimal set in which everybody may leave, or with nothing. They
// rehearse on the tree and leave it as it was.
#pragma once

#include <array>
#include <functional>

#include "base/std.h"
#include "quota/policy.h"
#include "quota/tenure.h"
#include "quota/tree.h"

namespace tutti::quota {

// A request that holds quota, or a part of one that may leave without the rest.
struct Running {
  static constexpr std::size_t kWhole = SIZE_MAX;
  QuotaNodeId queue;
  std::vector<Charge> charges;
  std::int64_t priority = 0;     // effective
  std::int64_t timestamp = 0;    // in its queue
  std::int64_t reserved_at = 0;  // when it got its quota
  std::string uid{};
  bool leaving = false;  // evicted already, still here
  Amount history = 0;    // decayed usage of its LocalQueue; 0 without admission fair sharing
  Tenure tenure = Tenure::ordinary;  // guaranteed and opportunistic work is nobody's victim here
  // Index of what must stay, for a pod that its work can do without. Those of one request
  // come before it in the list, in the order in which they leave.
  std::size_t surplus_of = kWhole;
};

struct Preemptor {
  QuotaNodeId queue;
  std::vector<Charge> charges;
  std::vector<FlavorResourceId> needed{};  // what cannot be had without victims
  std::int64_t priority = 0;               // effective
  std::int64_t timestamp = 0;
  // Guaranteed: work of its own queue beyond what that owns may leave for it, too. Burst evicts
  // nobody of its own queue and never in order to borrow; its policy has to say so.
  Tenure tenure = Tenure::ordinary;
};

enum class Reason : std::uint8_t {
  in_cluster_queue,
  in_cohort_reclamation,
  in_cohort_reclaim_while_borrowing,
  in_cohort_fair_sharing,
};
std::string_view word(Reason reason);  // as Kueue writes it into conditions

struct Victim {
  std::size_t running = 0;  // index into what was given
  Reason reason = Reason::in_cluster_queue;
  friend bool operator==(const Victim&, const Victim&) = default;
};

// A further condition on the victims so far, once their quota would do; a place, for example.
using Suffices = std::function<bool(std::span<const Victim>)>;

std::vector<Victim> classical_victims(Tree& tree, const Preemptor& preemptor,
                                      const PreemptionPolicy& policy,
                                      std::span<const Running> running,
                                      const Suffices& suffices = {});

// When a victim of another queue that borrows may go for a preemptor that would borrow.
enum class FairStrategy : std::uint8_t {
  less_than_or_equal_to_final_share,  // the preemptor ends at or below what the other side keeps
  less_than_initial_share,            // the preemptor ends below what the other side has
};

// In this order; the second is tried on those that failed the first.
using FairStrategies = std::span<const FairStrategy>;
inline constexpr std::array kDefaultStrategies = {FairStrategy::less_than_or_equal_to_final_share,
                                                  FairStrategy::less_than_initial_share};

// Every victim of another queue satisfies its strategy in the end, too: once everybody who can be
// spared was spared. Kueue does not look again, and may evict the same victim for ever.
std::vector<Victim> fair_victims(Tree& tree, const Preemptor& preemptor,
                                 const PreemptionPolicy& policy, std::span<const Running> running,
                                 FairStrategies strategies = kDefaultStrategies,
                                 const Suffices& suffices = {});

}  // namespace tutti::quota
