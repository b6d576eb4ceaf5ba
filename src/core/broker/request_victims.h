// RequestVictims: who leaves for a request that has quota or places only without them. The cheapest
// go first:
//
//   pods that elastic work can do without  ─┐
//   opportunistic work, for places alone    ├─ as far as quota rules let them; for opportunistic
//   burst                                   │  work there are none
//   others, as Kueue chooses them          ─┘
//
// Nobody is named unless everybody who is makes the whole request fit, quota and places, and nobody
// who could be spared.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/broker/assignments.h"
#include "core/broker/phantoms.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/requests/request_table.h"

namespace tutti::core {

class RequestVictims {
 public:
  using Placed = std::vector<ProposedPod>;

  struct Leaver {
    Request* request = nullptr;
    std::int64_t keeps = 0;  // so many of its pods; 0: it leaves as a whole
    std::string cause{};     // of the condition Preempted
    std::string why{};       // "prioritization in the ClusterQueue"
  };
  struct Found {
    std::vector<Leaver> leavers;
    Placed places;  // of the request's pods, once they are gone
  };

  RequestVictims(SchedulerState& state, Cycle& cycle, RequestTable& table, Phantoms& phantoms)
      : state_(state), cycle_(cycle), table_(table), phantoms_(phantoms) {}

  // Places for the request with nobody gone; absent: there are none.
  std::optional<Placed> places(const Request& request, const FlavorChoice& choice, Instant now);
  // Opportunistic work whose room suffices, where quota does.
  std::optional<Found> idle_room(const Request& request, const FlavorChoice& choice, Instant now);
  // Anybody who may leave for this choice.
  std::optional<Found> anyone(const Request& request, const QuotaQueue& queue,
                              const FlavorChoice& choice, const Holders& holders, Instant now);

  // Whether, since the last call, victims would have made room for quota, but for no place.
  bool take_lack_of_places() { return std::exchange(lacks_places_, false); }

 private:
  std::optional<Placed> places_without(const Request& request, const FlavorChoice& choice,
                                       std::span<const Leaver> gone, Instant now);
  std::vector<quota::Victim> quota_victims(const Request& request, const QuotaQueue& queue,
                                           const FlavorChoice& choice, const Holders& holders,
                                           const quota::Suffices& suffices);
  // The opportunistic work that `request` may send away, the cheapest first.
  std::vector<Leaver> opportunistic_for(const Request& request) const;
  std::vector<Leaver> leavers_of(std::span<const quota::Victim> victims,
                                 const Holders& holders) const;
  std::optional<Found> spare(const Request& request, const FlavorChoice& choice,
                             std::vector<Leaver> victims, std::vector<Leaver> opportunistic,
                             Instant now);

  SchedulerState& state_;
  Cycle& cycle_;
  RequestTable& table_;
  Phantoms& phantoms_;
  bool lacks_places_ = false;
};

}  // namespace tutti::core
