// VictimWriter: how victims leave: told by a condition, given time to save their work where they
// ask for it, and then evicted, or let off when their preemptor gives up.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/cycle/state.h"
#include "core/framework/ports.h"
#include "core/preemption/checkpoint_notices.h"
#include "core/scheduler/group_claims.h"

namespace tutti::core {

class VictimWriter {
 public:
  VictimWriter(const SchedulerState& state, GroupClaims& group_claims, ClusterPort& port)
      : state_(state), group_claims_(group_claims), port_(port) {}

  // What a victim of the entity is told, now or after its notice.
  CheckpointNotice notice_for(PodId victim, const Entity& entity, Instant now) const;
  // Evicts the victim, after the time that it has to save its work.
  void tell(PodId victim, CheckpointNotice notice, Instant now);
  // Evicts the victim at once. Nothing happens when it leaves already.
  void evict(PodId victim, const CheckpointNotice& notice);
  // Takes back what the victim was told.
  void pardon(PodId victim, Instant now);
  // Takes back what the preemptor's victims were told, except where some of a gang went already: it
  // was to go as a whole.
  void withdraw(const EntityKey& preemptor, const Reservation& held, Instant now);

  // Evicts the pod if it has saved its work, which is all it was waited for.
  void note_checkpoint(PodId pod, const model::Pod& object);
  // Evicts those whose notice is over. Whether there were any.
  bool evict_due(Instant now);
  void forget(PodId pod) { notices_.forget(pod); }
  bool nobody_under_notice() const { return notices_.empty(); }
  std::optional<Instant> next_deadline() const { return notices_.next_deadline(); }

 private:
  void write_notice(PodId victim, const CheckpointNotice& notice);

  const SchedulerState& state_;
  GroupClaims& group_claims_;
  ClusterPort& port_;
  CheckpointNotices notices_;
};

}  // namespace tutti::core
