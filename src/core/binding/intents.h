// Intents: the condition tutti.dev/Binding of PodGroups in the middle of being bound; see
// core/binding/intent.h for what a successor of this process makes of it.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/groups.h"
#include "core/framework/ports.h"

namespace tutti::core {

class Intents {
 public:
  // Without `recorded` no intent is ever declared.
  Intents(const GroupTable& groups, ClusterPort& port, bool recorded)
      : groups_(groups), port_(port), recorded_(recorded) {}

  // Says that members of the gang are about to be bound, unless that is said already.
  void declare(GroupId leaf, Instant now);
  // Says an open intent again before anyone is bound in its name: it may not have been stored.
  void repeat(GroupId leaf);
  void settle(GroupId leaf, std::string_view reason, Instant now);

  // Takes on the open intent of a predecessor.
  void inherit(GroupId leaf, Instant since) { since_[leaf] = since; }
  // Whether the group's intent, open or closed, was ours or a predecessor's.
  bool knows(GroupId leaf) const { return since_.contains(leaf); }
  void forget(GroupId leaf) { since_.erase(leaf); }

 private:
  const GroupTable& groups_;
  ClusterPort& port_;
  bool recorded_;
  // Leaves whose intent we recorded or inherited: since when it is open; empty: closed.
  std::unordered_map<GroupId, std::optional<Instant>> since_;
};

}  // namespace tutti::core
