// StartSearch: when a request could start, found by really placing it on the picture as it will be:
// quota, flavors, nodes, devices and topology, never by counting.
//
//   at an instant:   who ends by then has ended, who was promised that time holds it
//   from there on:   whenever somebody else is to start, its charge and places are still there
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/broker/assignments.h"
#include "core/broker/phantoms.h"
#include "core/broker/projection.h"
#include "core/broker/start_plan.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/requests/request_table.h"
#include "core/timeline/timeline.h"

namespace tutti::core {

// Reservations that a search leaves as they are. What moves within its start is written back.
using Promised = std::vector<PromisedStart*>;

class StartSearch {
 public:
  StartSearch(SchedulerState& state, Cycle& cycle, RequestTable& table, Phantoms& phantoms,
              const Timeline& timeline, bool keeps_places)
      : state_(state),
        cycle_(cycle),
        table_(table),
        phantoms_(phantoms),
        timeline_(timeline),
        keeps_places_(keeps_places) {}

  struct Found {
    FlavorChoice choice;
    SetPlaces places;
  };
  // What it could have from now on for so long (absent: for ever) without delaying anybody who was
  // promised a start. `only`: no other choice than this one. Where nothing: `delayed` is who would
  // be, or null if it does not even fit.
  std::optional<Found> now(const Request& request, const QuotaQueue& queue,
                           std::optional<Millis> length, const Promised& others,
                           const FlavorChoice* only, const PromisedStart*& delayed, Instant now);
  // Its earliest start, at which nobody else's moves. Not before `now`; nothing: nobody knows.
  std::optional<PromisedStart> earliest(const Request& request, const QuotaQueue& queue,
                                        std::optional<Millis> length, const Promised& others,
                                        Instant now);
  // Whether it could start then beside what others were promised; it has new places then.
  bool still_starts(const Request& request, const QuotaQueue& queue, PromisedStart& promised,
                    const Promised& others, Instant now);
  // What it could have if as few as needed of those who run without an end, longest first, were
  // gone with all others.
  std::optional<PromisedStart> collecting(const Request& request, const QuotaQueue& queue,
                                          Instant now);
  // How many nodes of the places promised are not free yet.
  std::size_t nodes_in_use(const PromisedStart& reservation, Instant now);

 private:
  struct Window {
    Instant from{};
    std::optional<Instant> to{};
    bool is_now = false;
  };

  class Instants;

  std::optional<Found> in(const Request& request, const QuotaQueue& queue, const Window& window,
                          const Promised& others, const FlavorChoice* only,
                          const PromisedStart*& delayed, Projection& projection, Instant now);
  std::optional<Found> try_choice(const Request& request, const QuotaQueue& queue,
                                  FlavorChoice choice, const Window& window, const Promised& others,
                                  Projection& projection, const PromisedStart*& delayed,
                                  Instant now);
  // Who would be delayed if the request had these places in the window; null: nobody. The nodes
  // are those where it would be in the way.
  const PromisedStart* conflict(const Request& request, const QuotaQueue& queue, const Found& found,
                                const Window& window, const Promised& others,
                                Projection& projection, std::set<NodeId>& nodes, Instant now);
  std::optional<std::size_t> first_room(const Request& request, const QuotaQueue& queue,
                                        Instants& instants, Projection& projection, Instant now);
  bool moves(PromisedStart& reservation, Instant now);
  void occupy(const Promised& others, Instant at, Projection& projection);
  std::optional<SetPlaces> places_for(const Request& request, std::span<const PhantomForm> forms,
                                      Instant now);
  void shape_promised(const PromisedStart& each, Instant now);
  std::set<NodeId> overfull(const SetPlaces& places) const;
  PromisedStart reservation_of(const Request& request, const QuotaQueue& queue, Found found,
                               Instant start, std::optional<Millis> length) const;

  SchedulerState& state_;
  Cycle& cycle_;
  RequestTable& table_;
  Phantoms& phantoms_;
  const Timeline& timeline_;
  const bool keeps_places_;
};

// The forms of phantoms that a promise makes.
std::vector<PhantomForm> forms_of(const RequestTable& table, const Request& request,
                                  std::span<const PodSetPromise> promise);

}  // namespace tutti::core
