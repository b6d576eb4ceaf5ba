// The devices of ResourceSlices, which claims hold; one line per driver.
#pragma once

#include <span>
#include <vector>

#include "capacity/device_use.h"
#include "capacity/twin.h"

namespace tutti::capacity {

// By driver. Which work could use an idle device is judged by its node: some pod with claims must
// be accepted there; where no work has claims, a pod that asks for nothing.
std::vector<DeviceUse> claimed_devices(Twin& twin, std::span<const Candidate> candidates);

}  // namespace tutti::capacity
