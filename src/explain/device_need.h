// The numbers behind blockers `devices` and `deviceHealth`: what the claims of the waiting pods ask
// for, and what became of every device of that class.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/attempt.h"
#include "core/cluster.h"
#include "devices/census.h"
#include "explain/demand.h"
#include "explain/verdict.h"

namespace tutti::explain {

struct DeviceNeed {
  std::string device_class;
  std::size_t each = 0;  // devices for one claim
  std::size_t need = 0;  // for all the pods together
  devices::Tally counts;
  const devices::WishPlan* wish = nullptr;
  const devices::ClaimPlan* plan = nullptr;
};

// The request of the pod's open claims that is shortest of devices, counted over the whole cluster.
// None when its claims are allocated, or say nothing that could be counted.
std::optional<DeviceNeed> device_need(const core::Cluster& cluster, core::PodId pod,
                                      std::size_t pods);

// The same for all that wait, where members have claims of their own.
std::optional<DeviceNeed> device_need(const core::Cluster& cluster, const Demand& demand,
                                      core::PodId culprit);

// devices, or deviceHealth when as many nodes lack only healthy devices as have them in use.
Blocker device_blocker(const core::Diagnosis& diagnosis);

// "needs 4 devices of class gpu.example.com; of 8 there, 2 are unhealthy (n1/gpu-3 …), …"
std::string sentence_of(const core::Cluster& cluster, const DeviceNeed& need);

// Why the pod waits for a claim that is not there yet; empty: it does not.
std::string missing_claim(const core::Cluster& cluster, core::PodId pod);

}  // namespace tutti::explain
