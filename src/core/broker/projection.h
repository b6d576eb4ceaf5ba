// Projection: the picture of the cluster and of quota as they will be. Who ends by then has ended;
// requests that are to start hold their charges and places. Destroyed, it leaves no trace; in
// between nothing may be observed.
#pragma once

#include <set>

#include "base/std.h"
#include "core/broker/phantoms.h"
#include "core/broker/start_plan.h"
#include "core/cycle/state.h"
#include "core/requests/request_table.h"
#include "core/timeline/timeline.h"

namespace tutti::core {

class Projection {
 public:
  Projection(SchedulerState& state, RequestTable& table, Phantoms& phantoms,
             const Timeline& timeline)
      : state_(state),
        table_(table),
        phantoms_(phantoms),
        timeline_(timeline),
        next_(timeline.ends().begin()) {}
  Projection(const Projection&) = delete;
  Projection& operator=(const Projection&) = delete;
  ~Projection() { rewind(0); }

  // Steps can be taken back in reverse order.
  std::size_t mark() const { return steps_.size(); }
  void rewind(std::size_t mark);

  void end(const Runner& who);
  // Somebody who runs for ever, unless gone already.
  void end_endless(const Runner& who);
  // All who are expected to have ended by then. Never goes back but by rewind().
  void end_until(Instant at);
  // The queue is charged; `charges` must outlive this.
  void charge(quota::QuotaNodeId queue, std::span<const quota::Charge> charges);
  // The phantoms of the request, of the form they have, count on these nodes; with `only`, those on
  // one of its nodes. Ones that are placed already stay where they are.
  void hold(const std::string& request, const SetPlaces& places,
            const std::set<NodeId>* only = nullptr);
  // The opposite of both, for one that holds them.
  void vacate(const PromisedStart& reservation);

 private:
  using EndPosition = std::set<Timeline::End>::const_iterator;
  struct Step {
    enum class Kind : std::uint8_t { lifted, unheld, held, uncharged, charged, advanced };
    Kind kind = Kind::lifted;
    PodId pod{};
    NodeId node{};
    quota::QuotaNodeId queue{};
    std::span<const quota::Charge> charges{};
    const Request* request = nullptr;  // that ended
    EndPosition before{};
  };
  void take_away(PodId pod);

  SchedulerState& state_;
  RequestTable& table_;
  Phantoms& phantoms_;
  const Timeline& timeline_;
  EndPosition next_;  // who has not ended yet
  std::vector<Step> steps_;
};

}  // namespace tutti::core
