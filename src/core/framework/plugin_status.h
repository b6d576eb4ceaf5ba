// What a plugin says. A code is a decision about what happens next, not a failure.
#pragma once

#include "base/std.h"
#include "core/framework/concern.h"

namespace tutti::core {

enum class Code : std::uint8_t {
  success,        // go on
  unschedulable,  // not now: room made by eviction or by time may help; the pod waits
  unresolvable,   // no: eviction cannot help; something about the node or the pod must change
  wait,           // Permit only: hold the pod until the plugin allows it
  skip,   // the plugin has nothing to say about this pod; it is not asked again in this cycle
  error,  // the plugin could not work it out; the attempt ends in SchedulerError
};

// A verdict with its reason, for people. `plugin` is the configuration name ("NodeResourcesFit")
// and outlives the verdict; name and concern are filled in by whoever asked the plugin. Reasons
// follow kube-scheduler's wording where users know it, and are short enough to be counted:
// "Insufficient cpu".
struct PluginStatus {
  Code code = Code::success;
  std::string_view plugin;
  std::string reason;
  Concern concern = Concern::nodes;

  bool success() const { return code == Code::success; }
  bool rejected() const { return code == Code::unschedulable || code == Code::unresolvable; }
};

}  // namespace tutti::core
