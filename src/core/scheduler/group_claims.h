// GroupClaims: which groups are to give back the devices that are reserved for them, because their
// pods were evicted (see core/victims/group_claim_release.h), and the writes that do it.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/binding/intents.h"
#include "core/cycle/state.h"
#include "core/framework/ports.h"
#include "core/preemption/reservations.h"
#include "core/victims/group_claim_release.h"

namespace tutti::devices {
struct Claim;
}  // namespace tutti::devices

namespace tutti::core {

class GroupClaims {
 public:
  GroupClaims(SchedulerState& state, Intents& intents, ClusterPort& port)
      : state_(state), intents_(intents), port_(port) {}

  // The group, if it has claims, is to give them back when nobody of it is left.
  void vacate(GroupId leaf);
  // The group keeps its claims after all: members of it are placed.
  void stay(GroupId leaf);
  // Vacates the groups of an entity that was refused and has nobody on a node nor expected there:
  // their claims tie them to a place without room.
  void give_up(const Entity& entity, const Reservations& reservations);
  // Vacates the groups of lower priority that the claim is reserved for: a predecessor may have
  // evicted them.
  void vacate_left_by_victims(const devices::Claim& claim, std::int32_t priority);
  // Whether the claim's devices are on their way back. Those of a pod that is gone come back when
  // the cluster has tidied up its claims, those of its group when the group has given them back.
  bool comes_back(const devices::Claim& claim) const;

  // Closes the intent of a group of which nothing is on a node any more, nor on its way.
  void close_intent_if_empty(GroupId leaf, Instant now);
  // Hands back claims that were written for decisions taken back since, and those of groups of
  // which nobody is left.
  void release(Instant now);
  // When a release that does not show is to be asked for again; empty: never.
  std::optional<Instant> next_repeated_release() const;

  const Vacating& vacating() const { return vacating_; }
  void forget(GroupId leaf) { vacating_.erase(leaf); }

 private:
  // Withholds what vacating groups hold, and asks for it where nobody of them is left.
  void release_groups(Instant now);

  SchedulerState& state_;
  Intents& intents_;
  ClusterPort& port_;
  Vacating vacating_;
};

}  // namespace tutti::core
