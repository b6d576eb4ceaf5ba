// ControllerIds: the controllers that made pods, as small numbers. Pods of one controller have the
// same
// number, so that sorting tens of thousands of them by it compares no names.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "core/shapes/ids.h"
#include "model/pod.h"

namespace tutti::core {

class ControllerIds {
 public:
  // The number of the pod's controller, kNoIndex: it has none. Each call wants its own leave().
  std::uint32_t join(const model::Pod& pod);
  // Numbers that nobody has are given out anew.
  void leave(std::uint32_t maker);

 private:
  struct Maker {
    std::string name;
    std::uint32_t pods = 0;
  };
  std::uint32_t number_of(std::string name);

  std::vector<Maker> makers_;
  std::vector<std::uint32_t> vacant_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Whether the pod belongs to the node it is on: one of a DaemonSet, or static.
bool belongs_to_node(const model::Pod& pod);

}  // namespace tutti::core
