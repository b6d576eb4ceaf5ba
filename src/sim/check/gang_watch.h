// No gang is left below its minimum by an eviction of ours: it goes whole, unless its
// disruptionMode is written out as single.
//
// Seen from the outside: a member on a node is marked as preempted, and with that its group, or one
// above it, has too few. When the scheduler has come to rest, nobody of such a group may be left.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "model/group.h"
#include "model/pod.h"
#include "store/watch.h"

namespace tutti::sim {

class GangWatch {
 public:
  void observe(const store::WatchEvent& event);
  // To be asked when nothing more can change; empty: all is well.
  std::string check_settled();

 private:
  // A leaf has its namespace, name and false, a composite true.
  struct Name {
    std::string ns;
    std::string name;
    bool composite = false;
    auto operator<=>(const Name&) const = default;
  };
  struct Group {
    model::GroupSpec spec;
    std::string parent;
    bool seen = false;
    std::set<model::ObjectKey> up;  // of a leaf: members on nodes that nobody evicts
  };

  void observe_pod(const store::WatchEvent& event);
  template <typename T>
  void observe_group(const store::WatchEvent& event, bool composite);
  bool stands(const Name& name) const;
  std::size_t count(const Name& name) const;  // members that stand
  bool anyone_up(const Name& name) const;
  // Notes all groups from the leaf up that do not stand any more.
  void note_loss(Name at);

  std::map<Name, Group> groups_;
  std::set<Name> broken_;  // below their minimum since we evicted somebody
};

}  // namespace tutti::sim
