// RequestRoom: how the broker gets at room that is kept for its requests, and makes more of it by
// evicting pods that no queue of theirs rules over.
#pragma once

#include "core/broker/admission.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/scheduler/eviction.h"

namespace tutti::core {

class RequestRoom final : public RoomMaker {
 public:
  RequestRoom(SchedulerState& state, Cycle& cycle, Eviction& eviction)
      : state_(state), cycle_(cycle), eviction_(eviction) {}

  CycleResult attempt(const Entity& entity, Instant now) override {
    Reservations::Blind blind(eviction_.reservations(), key_of(entity), entity.priority);
    CycleResult result = cycle_.run(entity, state_.leaf_of, now);
    if (result.attempt.code == Code::unschedulable && blind.past_lower()) {
      result = cycle_.run(entity, state_.leaf_of, now);
    }
    return result;
  }
  void make_room(const Entity& entity, Attempt& attempt, Instant now) override {
    eviction_.make_room(entity, attempt, now);
  }
  void end_hold(const Entity& entity, Instant now) override {
    eviction_.end_hold(key_of(entity), now);
  }
  bool is_making_room(const Entity& entity) const override {
    return eviction_.reservations().find(key_of(entity)) != nullptr;
  }

 private:
  SchedulerState& state_;
  Cycle& cycle_;
  Eviction& eviction_;
};

}  // namespace tutti::core
