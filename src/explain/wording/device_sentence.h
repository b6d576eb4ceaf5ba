// The sentence of a verdict about devices.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "explain/findings/device_need.h"

namespace tutti::explain {

// "needs 4 devices of class gpu.example.com; of 8 there, 2 unhealthy: n1/gpu-3 (…), …, 1 free"; and
// where enough are free, why they do not do.
std::string sentence_of(const core::Cluster& cluster, const DeviceNeed& need);

}  // namespace tutti::explain
