// Backfill: who may start before somebody that was there first and waits for room.
//
//   refused for room or quota ──> promised a start (start_search.h), by the rule of its queue:
//        easy          the first that waits of those who could use the same flavors
//        conservative  everybody, the first kPlannedMax
//   fits now ──> does it delay anybody who was promised a start and is tried before it?
//        no: it starts, on places that are nobody's then        yes: it waits
//
// Higher ranks are not held up: for them all is planned anew. Idle while no queue asks for it.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"
#include "core/broker/assignments.h"
#include "core/broker/expectations.h"
#include "core/broker/request_writer.h"
#include "core/broker/start_plan.h"
#include "core/broker/start_search.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/framework/config.h"
#include "core/requests/request_table.h"

namespace tutti::core {

class Backfill {
 public:
  // How many requests of one tree are planned.
  static constexpr std::size_t kPlannedMax = 100;

  Backfill(SchedulerState& state, Cycle& cycle, RequestTable& table, Phantoms& phantoms,
           RequestWriter& writer, const BackfillArgs& args);
  Backfill(const Backfill&) = delete;
  Backfill& operator=(const Backfill&) = delete;

  bool active() const { return active_; }
  BackfillMode mode_of(const QuotaQueue& queue) const;

  // --- what happens ------------------------------------------------------------------------------
  void pod_seen(PodId pod) {
    if (active_) expectations_.pod_seen(pod);
  }
  // The pod is about to be forgotten.
  void pod_gone(PodId pod) {
    if (active_) expectations_.pod_gone(pod);
  }
  void node_lost();
  // Brings plans up to date. To be called before anybody's turn.
  void act(Instant now);
  std::optional<Instant> next_wakeup() const;

  // --- an attempt --------------------------------------------------------------------------------
  // Whether it makes sense to try a request of a queue that plans everybody.
  bool may_be_tried(const Request& request, std::uint64_t quota, std::uint64_t news) const;
  // Whether somebody was promised a start whom the request must not delay.
  bool is_behind_somebody(const Request& request, const QuotaQueue& queue,
                          std::uint32_t borrow_level);
  struct Answer {
    std::optional<PendingReason> refusal{};  // it would delay somebody
    std::optional<SetPlaces> places{};       // where it delays nobody; absent: anywhere
  };
  // The request has quota for this choice.
  Answer ask(const Request& request, const QuotaQueue& queue, const FlavorChoice& choice,
             Instant now);
  void started(Request& request, Instant now);
  void refused(Request& request, const QuotaQueue& queue, const PendingReason& why, Instant now);

  // --- questions ---------------------------------------------------------------------------------
  // Whether the request was promised a start; null: it was not.
  const PromisedStart* find(const std::string& request) const;
  // In the order of trees, then of turns.
  std::vector<const PromisedStart*> all() const;
  const Expectations& expectations() const { return expectations_; }
  // "when Workload ml/a ends", "collecting 12 of 16 nodes".
  std::string text_of(const PromisedStart& reservation, Instant now);
  std::string check_consistency() const;

 private:
  // Whom the request under attempt was let pass for.
  struct LetPass {
    std::string request;
    std::optional<Millis> length;  // that counted
  };

  void read_modes();
  std::optional<BackfillMode> own_mode(const model::ObjectPtr& object);
  void catch_up(Instant now);
  std::optional<Millis> counted_length(const Request& request, const QuotaQueue& queue) const;
  StartPlan* plan_of(const QuotaQueue& queue);
  bool goes_first(const PromisedStart& promised, const Request& request,
                  std::uint32_t borrow_level) const;
  bool stands(const PromisedStart& reservation) const;
  std::set<std::string> flavors_of(const Request& request, const QuotaQueue& queue) const;
  Promised others_of(StartPlan& plan, const Request& request, std::uint32_t borrow_level);
  void drop_lapsed(StartPlan& plan, Instant now);
  void compress(StartPlan& plan, Instant now);
  void plan_anew(StartPlan& plan, Instant now);
  void promise_head(StartPlan& plan, Request& request, const QuotaQueue& queue, Instant now);
  void promise_planned(StartPlan& plan, Request& request, const QuotaQueue& queue, Instant now);
  std::optional<PromisedStart> find_start(const Request& request, const QuotaQueue& queue,
                                          const Promised& others, Instant now);
  std::optional<PromisedStart> collect(const Request& request, const QuotaQueue& queue,
                                       std::optional<PromisedStart> before, Instant now);
  void insert(StartPlan& plan, PromisedStart reservation, const Request& request);
  void note_yield(Request& request, const StartPlan& plan, Millis length, Instant now);
  void say_reserved(Request& request, const PromisedStart& reservation, Instant now);
  void take_back(Request& request, std::string_view reason, Instant now);

  SchedulerState& state_;
  RequestTable& table_;
  RequestWriter& writer_;
  const BackfillArgs args_;
  Expectations expectations_;
  StartSearch search_;
  bool active_ = false;
  std::uint64_t objects_ = 0;                       // their version that modes were read of
  std::uint64_t nodes_ = 0;                         // their version that plans know
  std::vector<BackfillMode> modes_;                 // by quota node
  std::map<model::ObjectKey, std::string> warned_;  // bad words
  std::map<quota::QuotaNodeId, StartPlan> plans_;   // by root
  std::map<std::string, Instant> collect_from_;     // by request without a known start
  std::optional<LetPass> let_pass_;
};

}  // namespace tutti::core
