// From chosen devices to status.allocation of a claim.
#pragma once

#include "base/std.h"
#include "devices/allocation/allocator.h"
#include "model/device.h"

namespace tutti::devices {

// `node` is where the (first) pod of the claim goes, `uid` the claim's: share ids follow from it,
// so that the same decision is written the same way every time.
model::Allocation allocation_of(const Inventory& inventory, const PlanTable& plans,
                                const ClaimPlan& plan, const Grant& grant, std::string_view node,
                                std::string_view uid);

// What an allocation that others wrote holds. Devices that look on hold nothing.
std::vector<Hold> holds_of(Inventory& inventory, const model::Allocation& allocation);

}  // namespace tutti::devices
