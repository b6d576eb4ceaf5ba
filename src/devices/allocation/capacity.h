// Consumable capacity: what a request takes of a device, by the device's own policy.
//
// Counted in thousandths, so that a request of half a unit is half a unit; where a range's bounds
// are finer than that, in whole units rounded up.
#pragma once

#include "base/std.h"
#include "devices/allocation/ledger.h"
#include "model/device.h"

namespace tutti::devices {

// What a request for these amounts takes of the device, by capacity name; empty when the device
// does not offer them or not in that amount. A dedicated device takes nothing of note but must
// satisfy the request all the same.
std::optional<Amounts> consumption(const model::Device& device, const model::NamedAmounts& asked);

// Whether this much is left of the device's capacity beside what is consumed already.
bool has_room(const Ledger& ledger, DeviceId id, const model::Device& device,
              const Amounts& consumption);

}  // namespace tutti::devices
