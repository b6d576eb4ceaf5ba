// Origin: where people wrote what a group says. Not every group is an object that somebody has: a
// controller, or the scheduler itself, makes them of Jobs, of kinds of other projects, and of pods
// that count their gang themselves. A change then belongs there.
#pragma once

#include "base/std.h"
#include "explain/verdict/way.h"
#include "model/pod.h"

namespace tutti::whatif {

struct Origin {
  enum class Of : std::uint8_t {
    itself,   // the group is an object; who made it is told by its owners
    object,   // another object; of a group that does not exist: the one that is missing
    pods,     // its pods
    nothing,  // whatever it is, nobody knows how to change it
  };
  // A field that may not be written yet.
  struct Field {
    std::vector<std::string> path = {};  // names, and numbers of items; empty: there is none
    std::size_t present = 0;             // as many parts of the path are in the document
  };

  Of of = Of::itself;
  explain::ObjectName object = {};
  std::vector<std::shared_ptr<const model::Pod>> pods = {};  // that say the minimum, each as text
  Field minimum = {};
  std::int32_t pods_each = 1;  // one of what the minimum counts stands for so many pods
  std::int32_t beyond = 0;     // how much more is written there than the group has
  std::string topology = {};   // a JSON pointer to its schedulingConstraints; empty: none
  Field priority = {};         // the name of its class
  // The group's priority is that of its pods: it has none of its own.
  bool follows_pods = false;
};

}  // namespace tutti::whatif
