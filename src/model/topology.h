// kueue.x-k8s.io Topology: which node labels form the levels of a data centre.
#pragma once

#include "base/std.h"
#include "model/object.h"

namespace tutti::model {

struct Topology : Object {
  static constexpr Kind kKind = Kind::topology;
  Topology() : Object(kKind) {}
  std::vector<std::string> levels;  // label keys, widest first
};

}  // namespace tutti::model
