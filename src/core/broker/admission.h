// Admission: one attempt at a request. Quota, flavors, places and victims are decided together:
//
//   assignments of flavors, best first ─> a place for every pod on their nodes ─> charged, placed
//        │ quota needs victims              │ no place
//        └─────────────> who may leave, and suffices for quota and places ─> they leave, the
//                        request holds its charge and places meanwhile
//
// A request that is refused holds nothing.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/broker/assignments.h"
#include "core/broker/backfill.h"
#include "core/broker/phantoms.h"
#include "core/broker/request_eviction.h"
#include "core/broker/request_writer.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/requests/request_table.h"

namespace tutti::core {

// Makes room by evicting pods that no queue of the request's tree rules over.
class RoomMaker {
 public:
  virtual ~RoomMaker() = default;
  // Runs `attempt` while room that is kept for the entity counts as free to it.
  virtual CycleResult attempt(const Entity& entity, Instant now) = 0;
  virtual void make_room(const Entity& entity, Attempt& attempt, Instant now) = 0;
  virtual void end_hold(const Entity& entity, Instant now) = 0;
  virtual bool is_making_room(const Entity& entity) const = 0;
};

class Admission {
 public:
  Admission(SchedulerState& state, Cycle& cycle, RequestTable& table, Phantoms& phantoms,
            RequestEviction& eviction, RequestWriter& writer, RoomMaker& room, Backfill& backfill)
      : state_(state),
        cycle_(cycle),
        table_(table),
        phantoms_(phantoms),
        eviction_(eviction),
        writer_(writer),
        room_(room),
        backfill_(backfill) {}

  // Tries a request that waits: afterwards it is reserved, admitted, preempting or parked.
  void attempt(Request& request, Instant now);
  // Tells a request that was not tried what refuses its shape.
  void tell(Request& request, Instant now);
  // Takes the places of a request whose victims are all gone; if they do not fit after all it waits
  // again.
  void take_held(Request& request, Instant now);
  // Places pods of a request that was admitted before this scheduler knew it. Who does not fit has
  // no place kept.
  void seat(Request& request, Instant now);
  // The checks that the request has to pass with the flavors it was promised.
  std::vector<std::string> checks_of(const Request& request) const;

 private:
  using Placed = std::vector<ProposedPod>;
  enum class Outcome : std::uint8_t { admitted, preempting, refused };
  // An assignment that quota allows and places do not.
  struct PlaceRefusal {
    PendingReason reason;
    FlavorChoice choice;
    std::shared_ptr<const PlaceAttempt> attempt;
  };

  std::optional<PendingReason> held(const Request& request);
  Outcome serve(Request& request, const QuotaQueue& queue, std::span<const std::int64_t> counts,
                Instant now);
  // Whether it would take quota that requests before it keep free for themselves.
  bool takes_what_is_kept(const Request& request, const QuotaQueue& queue,
                          const FlavorChoice& choice);
  // What the request keeps free while it waits; `best` is its best assignment.
  std::vector<quota::Charge> to_keep(const QuotaQueue& queue,
                                     const std::optional<FlavorChoice>& best) const;
  // Whether pods leave for it that no queue rules over.
  bool is_making_room(const Request& request, Instant now);
  bool make_room(Request& request, PlaceRefusal& refusal, Instant now);
  void note_domains(const Request& request, std::vector<PodSetPromise>& promise);
  void add_domain(model::TopologyAssignment& assignment, NodeId node) const;
  std::optional<PlaceRefusal> place(Request& request, const FlavorChoice& choice, Instant now);
  // On these very places. Whether it could have them.
  bool place_at(const Request& request, const FlavorChoice& choice, const SetPlaces& places,
                Instant now);
  void protect_from_loop(Request& request, Instant now);
  void admit(Request& request, const QuotaQueue& queue, FlavorChoice choice, Instant now);
  bool serve_smaller(Request& request, const QuotaQueue& queue, Instant now);
  bool could_serve(const Request& request, const QuotaQueue& queue,
                   std::span<const std::int64_t> counts, Instant now);
  // Who leaves for this choice; nobody: that would not help, or is not allowed.
  std::vector<quota::Victim> victims_for(const Request& request, const QuotaQueue& queue,
                                         const FlavorChoice& choice, const Holders& holders,
                                         Instant now);
  bool evict_holders(Request& request, const QuotaQueue& queue, const FlavorChoice& choice,
                     const Holders& holders, Instant now);
  std::vector<quota::Victim> find_victims(const Request& request, const QuotaQueue& queue,
                                          const FlavorChoice& choice, const Holders& holders,
                                          const quota::Suffices& suffices);
  std::optional<Placed> places_without(const Request& request, const FlavorChoice& choice,
                                       const Holders& holders,
                                       std::span<const quota::Victim> victims, Instant now);
  void start_preempting(Request& request, const QuotaQueue& queue, const FlavorChoice& choice,
                        const Holders& holders, std::span<const quota::Victim> victims,
                        const Placed& places, Instant now);
  // Why quota does not do; the request keeps what it has a right to.
  PendingReason refuse_for_quota(Request& request, const QuotaQueue& queue,
                                 std::span<const std::int64_t> counts);
  void hold_back(Request& request, PendingReason why, Instant now);
  void refuse(Request& request, PendingReason why, bool for_place, Instant now);
  void write_refusal(Request& request, PendingReason why, Instant now);
  // Leaves the request with the attempt at the assignment that it is refused for, and with the
  // phantoms that this attempt speaks of: explanations read both.
  void keep_refused_attempt(Request& request, Instant now);
  void release_holds(const Request& request);

  SchedulerState& state_;
  Cycle& cycle_;
  RequestTable& table_;
  Phantoms& phantoms_;
  RequestEviction& eviction_;
  RequestWriter& writer_;
  RoomMaker& room_;
  Backfill& backfill_;
  // The assignment of the attempt under way that quota allowed and places did not: for which others
  // leave now, else the first.
  std::optional<PlaceRefusal> place_refusal_;
  std::string kept_for_;  // who has a right to the quota that would do; empty: nobody
  std::optional<PendingReason> denied_;  // it fits, and would delay somebody
  bool lacks_places_ = false;            // victims would have made room for quota, but for no place
};

}  // namespace tutti::core
