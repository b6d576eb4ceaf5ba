// DeviceToll: charges the budget of a search for the search for devices that happens meanwhile.
#pragma once

#include "base/check.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/packing/search_budget.h"
#include "devices/device_state.h"

namespace tutti::core {

class DeviceToll {
 public:
  DeviceToll(const Cluster& cluster, SearchBudget& budget)
      : devices_(cluster.devices()), budget_(budget), before_(devices_.search().effort().steps) {}
  DeviceToll(const DeviceToll&) = delete;
  DeviceToll& operator=(const DeviceToll&) = delete;
  ~DeviceToll() {
    TUTTI_CHECK(devices_.search().effort().steps >= before_, "steps are never taken back");
    budget_.take((devices_.search().effort().steps - before_) * kStepsPerDevice);
  }

 private:
  // Trying a device is about as much work as this many comparisons.
  static constexpr std::size_t kStepsPerDevice = 20;

  const devices::DeviceState& devices_;
  SearchBudget& budget_;
  std::uint64_t before_;
};

}  // namespace tutti::core
