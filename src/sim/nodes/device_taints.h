// DeviceTaints: which taints of devices end the pods that use them, and since when they do.
//
// They come from ResourceSlices and from DeviceTaintRules; only those with the effect NoExecute
// end anybody.
#pragma once

#include <chrono>
#include <map>
#include <set>

#include "base/std.h"
#include "model/device.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

// Whether the rule is about this device.
bool selects(const model::DeviceTaintRule& rule, const model::DeviceResult& device);
// How long one who holds the device puts up with the taint, were it NoExecute: not at all where
// nothing tolerates it, else the shortest time that a toleration allows. Absent: for ever.
std::optional<std::chrono::seconds> patience(const model::DeviceResult& device,
                                             model::DeviceTaint taint);

class DeviceTaints {
 public:
  using Rules = std::map<std::string, std::shared_ptr<const model::DeviceTaintRule>>;
  // When users of a device have to go, and because of what.
  struct Deadline {
    Instant when;
    std::string cause;  // "gpu.example.com/xid=79:NoExecute on d/p/gpu-0"
    std::string rule;   // the DeviceTaintRule; empty: the device's own slice
  };

  // The plane must outlive it.
  explicit DeviceTaints(const Plane& plane) : plane_(plane) {}

  // Takes in changes of slices and rules. True when it may matter to somebody.
  bool observe(const store::WatchEvent& event);
  // No device has a taint that ends anybody.
  bool none() const { return tainted_slices_ == 0 && evicting_rules_ == 0; }
  // The first of those that its taints set. Absent: its users may stay.
  std::optional<Deadline> deadline(const model::DeviceResult& device) const;
  // All of them, those without an effect on pods included.
  const Rules& rules() const { return rules_; }
  // How many devices that the rule is about are on offer.
  std::size_t published_under(const model::DeviceTaintRule& rule) const;

 private:
  struct Pool {
    std::map<std::string, std::shared_ptr<const model::ResourceSlice>> slices;  // by name
    std::set<std::string> tainted;                                              // of those
    std::int64_t generation() const;
  };
  // The taints of one object: device and taint, and since when.
  using Dates = std::map<std::string, Instant>;

  bool observe_slice(const store::WatchEvent& event);
  bool observe_rule(const store::WatchEvent& event);
  Instant date(const model::DeviceTaint& taint, const std::string& place, const Dates& known) const;

  const Plane& plane_;
  std::map<std::pair<std::string, std::string>, Pool> pools_;  // by driver and name
  Rules rules_;
  std::size_t tainted_slices_ = 0;
  std::size_t evicting_rules_ = 0;
  std::map<std::string, Dates> slice_dates_;  // by name of the slice
  std::map<std::string, Dates> rule_dates_;
};

}  // namespace tutti::sim
