// Holdings: how much of devices a pod has through its claims, as a measure of what it would give
// up.
#pragma once

#include "base/std.h"
#include "devices/device_state.h"
#include "model/pod.h"

namespace tutti::devices {

// In thousandths of a device. A partition counts by the counters it takes, a share by the capacity
// it consumes, each by the scarcest. What several use is divided among them: a claim of a whole
// group by `group_size`, at least 1. Claims for extended resources do not count here.
std::int64_t held_thousandths(const DeviceState& device_state, const model::Pod& pod,
                              std::int64_t group_size);

}  // namespace tutti::devices
