// Units: work that runs, in the portions in which someone would end it. Pods of a controller end
// with its object, members of a gang or of a tree of groups with the whole, others by themselves.
#pragma once

#include <string>
#include <vector>

#include "core/ids.h"
#include "explain/way.h"
#include "whatif/rehearsal.h"

namespace tutti::whatif {

struct Unit {
  std::string name;                      // "PodGroup t/v"
  std::vector<core::PodId> pods;         // on nodes first, then those that wait
  std::size_t running = 0;               // how many are on nodes
  std::vector<explain::ObjectName> end;  // deleting these ends it
};

// Of everyone but the asker, in order of names. Pods that are leaving, and those that belong to a
// node (DaemonSets, static pods), are nobody's to end.
std::vector<Unit> units_around(const Rehearsal& rehearsal);

}  // namespace tutti::whatif
