// Broker: requests in, admissions out. Quota and placement are one decision (admission.h); here is
// when each is made, what time does to requests, and what their pods do to them.
//
//   observed Workloads, queues, flavors ──> RequestTable ──Turns──> Admission ──> Workload status
//   observed pods ──> take the places kept for them (seats) ──> gone: charge and places come free
//
// A scheduler without queues has an idle broker.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "base/std.h"
#include "base/time.h"
#include "core/broker/admission.h"
#include "core/broker/assignments.h"
#include "core/broker/backfill.h"
#include "core/broker/phantoms.h"
#include "core/broker/queue_status_writer.h"
#include "core/broker/request_eviction.h"
#include "core/broker/request_writer.h"
#include "core/broker/turns.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/framework/ports.h"
#include "core/framework/quota_config.h"
#include "core/requests/request_table.h"

namespace tutti::core {

class Broker {
 public:
  Broker(SchedulerState& state, Cycle& cycle, DecisionLog& decisions, ClusterPort& port,
         RoomMaker& room, const QuotaConfig& config, const BrokerArgs& args = {});
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  // --- what is observed --------------------------------------------------------------------------
  // Whether objects of this kind are the broker's to know.
  static bool concerns(model::Kind kind);
  void observe(const Observation& observation, Instant now);
  // A pod appeared or changed; it may be of a request.
  void pod_seen(PodId pod);
  // The pod is about to be forgotten. Where others of its request are to come, its room is kept.
  void pod_gone(PodId pod, Instant now);
  // The node is about to be forgotten: no room is kept there any more.
  void abandon(NodeId node);

  // --- what is done ------------------------------------------------------------------------------
  // Does what is due before anybody's turn: releases, time limits, places of adopted requests.
  // False: nothing was.
  bool act(Instant now);
  // The request to be tried next; null: none.
  Request* next();
  void attempt(Request& request, Instant now) { admission_.attempt(request, now); }
  // Writes what has changed about queues, and tells those who were not tried why they wait. Whether
  // there was anything.
  bool write_statuses(Instant now);
  std::optional<Instant> next_wakeup() const;
  // Nobody's turn would come without an observation. Requires act() before.
  bool settled();

  // --- seats -------------------------------------------------------------------------------------
  // The place kept for a waiting pod.
  struct Seat {
    PodId pod;
    PodId phantom;
    NodeId node;
  };
  // One for each pod of a request that has some left, by rank where pods have one.
  std::vector<Seat> seats_for(const Entity& entity);
  void lift(std::span<const Seat> seats);
  void put_back(std::span<const Seat> seats);
  // The pods have taken their places, or others.
  void taken(std::span<const Seat> seats);

  // --- questions ---------------------------------------------------------------------------------
  const RequestTable& requests() const { return table_; }
  RequestTable& requests() { return table_; }
  const Phantoms& phantoms() const { return phantoms_; }
  // Who was promised which start.
  const Backfill& backfill() const { return backfill_; }
  // Whether the pod must not be evicted for the entity by its priority alone: it stands for pods to
  // come, or the rules of a tree of queues decide between the two.
  bool is_off_limits(const Entity& preemptor, PodId pod);
  bool idle() const { return table_.empty() && !table_.objects().has_queues(); }
  // Besides what the table has to be: whoever is admitted has a place for every pod to come.
  std::string check_consistency() const;

 private:
  void observe_request(const Observation& observation, Instant now);
  void take_on(std::shared_ptr<const model::AdmissionRequest> object, Instant now);
  void adopt(Request& request, Instant now);
  void adopt_all_of(const std::string& queue, Instant now);
  void follow(Request& request, Instant now);
  void follow_checks(Request& request, Instant now);
  void follow_reclaimable(Request& request, Instant now);
  void request_gone(Request& request, Instant now);
  void stop_where_asked(Instant now);
  bool waits_for_victims(const Request& request) const;
  bool free_preemptors(Instant now);
  void end_block();
  bool seat_adopted(Instant now);
  void watch_time_of(const std::string& name);
  bool act_on_time(Instant now);
  bool watches_pods(const Request& request) const;
  std::optional<Instant> deadline_of(const Request& request) const;
  void time_out(Request& request, Instant now);
  void requeue_later(Request& request, Instant now);
  void give_way(Request& request, Instant now);
  const Request* request_behind(PodId pod) const;

  SchedulerState& state_;
  RequestTable table_;
  Phantoms phantoms_;
  RequestWriter writer_;
  RequestEviction eviction_;
  Assignments assignments_;
  Backfill backfill_;
  Admission admission_;
  Turns turns_;
  QueueStatusWriter queue_status_;
  std::set<std::string> to_seat_;  // adopted; their places are not kept yet
  // Something is due with them some time: by when, and by name.
  std::set<std::pair<Instant, std::string>> timed_;
  std::unordered_map<std::string, Instant> due_;
  std::set<std::string> gone_;  // their objects are; they hold until their pods are, too
  // New objects of such names.
  std::map<std::string, std::shared_ptr<const model::AdmissionRequest>> successors_;
  std::unordered_multimap<std::string, PodId> orphans_;  // pods by the request they name
  bool blocked_ = false;  // somebody was late at the last act(), and that keeps others waiting
  std::uint64_t stops_looked_at_ = 0;  // version of the objects
};

}  // namespace tutti::core
