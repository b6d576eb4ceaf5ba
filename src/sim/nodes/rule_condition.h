// EvictionInProgress: what the status of a DeviceTaintRule says about the pods that it ends.
#pragma once

#include "base/std.h"
#include "model/device.h"

namespace tutti::sim {

inline constexpr std::string_view kEvictionInProgress = "EvictionInProgress";

// What a rule does, or would do if it ended pods.
struct RuleToll {
  std::size_t published = 0;   // devices on offer that it is about
  std::size_t pods = 0;        // that have to go, or would have to
  std::size_t namespaces = 0;  // of those
  std::size_t evicted = 0;     // pods so far
};

model::Condition eviction_condition(const model::DeviceTaintRule& rule, const RuleToll& toll);

}  // namespace tutti::sim
