// Notices: victims that may save their work before they are evicted (tutti.dev/checkpoint-grace).
//
// They are told by their DisruptionTarget condition. A newer tutti.dev/checkpointed-at, or the end
// of the grace, lets the eviction take its course.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"
#include "core/framework/ports.h"
#include "core/preemption/reservations.h"
#include "model/pod.h"

namespace tutti::core {

struct CheckpointNotice {
  EntityKey preemptor;
  Instant until;
  std::string checkpoint;      // tutti.dev/checkpointed-at when it was given
  model::Condition condition;  // to be evicted with
  EventRecord event;           // to be told then
};

class CheckpointNotices {
 public:
  void give(PodId pod, CheckpointNotice notice) {
    notices_.insert_or_assign(pod, std::move(notice));
  }
  bool empty() const { return notices_.empty(); }
  // The pod's, if `checkpoint` (null: none) is news since; it is under notice no more.
  std::optional<CheckpointNotice> saved(PodId pod, const std::string* checkpoint);
  // Takes out the pods whose time is over; they are under notice no more.
  std::vector<std::pair<PodId, CheckpointNotice>> take_due(Instant now);
  // The preemptor gave up: its victims are under notice no more.
  std::vector<std::pair<PodId, CheckpointNotice>> withdraw(const EntityKey& preemptor);
  void forget(PodId pod) { notices_.erase(pod); }
  std::optional<Instant> next_deadline() const;

 private:
  std::map<PodId, CheckpointNotice> notices_;
};

}  // namespace tutti::core
