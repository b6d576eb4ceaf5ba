// Takeover: finishes or undoes what a predecessor of this process left half done: gangs in the
// middle of being bound (core/binding/intent.h), and gangs some of whose members were evicted.
#pragma once

#include <unordered_set>

#include "base/time.h"
#include "core/binding/intents.h"
#include "core/cycle/state.h"
#include "core/scheduler/binding_cycle.h"
#include "core/scheduler/eviction.h"
#include "core/scheduler/group_claims.h"
#include "core/scheduler/victim_writer.h"

namespace tutti::core {

class Takeover {
 public:
  Takeover(SchedulerState& state, Intents& intents, GroupClaims& group_claims,
           VictimWriter& victims, const Eviction& eviction, BindingCycle& binding)
      : state_(state),
        intents_(intents),
        group_claims_(group_claims),
        victims_(victims),
        eviction_(eviction),
        binding_(binding) {}

  // To be called once, with everything observed.
  void begin(Instant now);
  // Answers from now on for the group if its intent is open. Does nothing before begin(): a
  // predecessor's last words may arrive later than that.
  void inherit(GroupId leaf, Instant now);

 private:
  // Lets go of victims that a predecessor marked and did not come to evict; whoever needs their
  // room asks anew.
  void pardon_marked(Instant now);
  // Evicts the rest of gangs of which a predecessor evicted some.
  std::unordered_set<PodId> finish_falls(Instant now);
  // Whether a predecessor evicted members that are still leaving.
  bool was_evicted_from(GroupId leaf) const;

  SchedulerState& state_;
  Intents& intents_;
  GroupClaims& group_claims_;
  VictimWriter& victims_;
  const Eviction& eviction_;
  BindingCycle& binding_;
  bool began_ = false;
};

}  // namespace tutti::core
