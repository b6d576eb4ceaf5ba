// BindingCycle: what becomes of decisions on their way to the cluster. A gang that was never
// complete must not keep nodes below its minimum because a binding failed: the lost member is
// placed anew before anything else is tried; failing that, members already bound are taken back.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "base/time.h"
#include "core/binding/binder.h"
#include "core/binding/gang_accounts.h"
#include "core/binding/intents.h"
#include "core/cycle/decision_log.h"
#include "core/cycle/state.h"
#include "core/framework/ports.h"
#include "core/scheduler/group_claims.h"
#include "core/scheduler/status_writer.h"

namespace tutti::core {

class BindingCycle {
 public:
  BindingCycle(SchedulerState& state, Intents& intents, GroupClaims& group_claims,
               StatusWriter& status, DecisionLog& decisions, ClusterPort& port)
      : state_(state),
        intents_(intents),
        group_claims_(group_claims),
        status_(status),
        decisions_(decisions),
        port_(port),
        binder_(state.cluster, state.groups, port),
        accounts_(state.groups) {}

  // The member is placed, or was by a predecessor: it answers for its gang until that is complete.
  void answer_for(GroupId leaf, PodId pod) { accounts_.open(leaf, pod); }
  bool anyone_answers_for(GroupId leaf) const { return accounts_.has(leaf); }
  // Tells a successor that members of the gang are about to be bound.
  void declare_intent(GroupId leaf, Instant now);
  void start(PodId pod, NodeId node, const Profile& profile, Instant now) {
    binder_.start(pod, node, profile, now);
  }
  // Carries bindings further that are due. False: none was.
  bool advance(Instant now);
  // The cluster's answer to one bind call.
  void finished(const PodReference& pod, const Status& outcome, Instant now);

  // The pod was seen on a node.
  void assigned(PodId pod, Instant now);
  // The pod is gone.
  void forget(PodId pod);
  // A member is gone: its group is to give its claims back if the pod was on its way.
  void lose_member(GroupId leaf, PodId pod);
  void forget_group(GroupId group) { accounts_.forget(group); }
  // Gives back what an incomplete gang holds by our decision, and with it the whole tree if that no
  // longer stands without it.
  void take_back(GroupId leaf, const std::string& why, Instant now);
  // Takes back a gang that can no longer reach its minimum with the members that exist.
  void take_back_if_lost(GroupId leaf, Instant now);
  // The node is about to be forgotten: pods on their way to it wait again.
  void abandon(NodeId node, Instant now);
  // Something that Permit or PreBind waits for may have changed.
  void poke() { binder_.poke(); }

  std::optional<Instant> next_wakeup() const { return binder_.next_wakeup(); }
  // Nothing is on its way, or all that is waits in vain.
  bool settled() const { return binder_.idle() || all_in_vain(); }

 private:
  void failed(const BindingFailure& failure, Instant now);
  bool completes_a_gang(PodId pod) const;
  void give_back_leaf(GroupId leaf, const std::string& why, Instant now);
  void give_back(PodId pod, const Profile& profile, Instant now);
  void evict_incomplete(PodId pod, GroupId leaf, const std::string& message, Instant now);
  bool in_vain(PodId pod) const;
  bool all_in_vain() const;

  SchedulerState& state_;
  Intents& intents_;
  GroupClaims& group_claims_;
  StatusWriter& status_;
  DecisionLog& decisions_;
  ClusterPort& port_;
  Binder binder_;
  GangAccounts accounts_;
  std::unordered_map<PodId, std::uint32_t> failures_;  // in a row
};

}  // namespace tutti::core
