// IdleTally: idle devices by reason, with the nodes where they are.
#pragma once

#include <array>
#include <map>

#include "base/std.h"
#include "capacity/device_use.h"

namespace tutti::capacity {

class IdleTally {
 public:
  void add(IdleReason reason, std::size_t devices, const std::string& node) {
    if (devices > 0) counts_[static_cast<std::size_t>(reason)][node] += devices;
  }
  // Most devices first, ties in the order of reasons.
  std::vector<IdleCount> counts() const;

 private:
  std::array<std::map<std::string, std::size_t>, kIdleReasons> counts_;  // by node
};

}  // namespace tutti::capacity
