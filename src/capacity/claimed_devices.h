// The devices of ResourceSlices, which claims hold; one line per driver.
#pragma once

#include <set>

#include "base/std.h"
#include "capacity/copy/cluster_copy.h"
#include "capacity/device_use.h"

namespace tutti::capacity {

// The drivers whose devices the claims of such pods may take, in use or not.
std::set<std::string> drivers_for(ClusterCopy& twin, const ImaginedGang& troupe);

// By driver. Which work could use an idle device is judged by its node: some pod whose claims may
// take devices of the driver must be accepted there; where there is none, a pod that asks for
// nothing. `by` as of device_use(): devices of no particular node have no part.
std::vector<DeviceUse> claimed_devices(ClusterCopy& twin, std::span<const Candidate> candidates,
                                       const std::string& by);

}  // namespace tutti::capacity
