// The order in which candidates are tried so that what is left stays useful: the pick that blocks
// the least goes first.
#pragma once

#include <vector>

#include "devices/inventory.h"
#include "devices/ledger.h"

namespace tutti::devices {

// How much of what could still be given from the device's pool could not be given any more beside
// it, in thousandths of the counters it shares: a partition of an untouched device blocks the whole
// device, one in a gap left by others next to nothing.
std::int64_t blocked_by(const Inventory& inventory, const Ledger& ledger, DeviceId device);

// How much of the device is in use, in thousandths: held, or beside what is held of its pool not to
// be had, is full; of a shared device the part of its tightest capacity that is taken.
std::int64_t fullness(const Inventory& inventory, const Ledger& ledger, DeviceId device);

// Partitions by what they block; shares on devices that are shared already and fullest first; the
// rest, and ties, in published order.
std::vector<DeviceId> packed(const Inventory& inventory, const Ledger& ledger,
                             const std::vector<DeviceId>& devices);

}  // namespace tutti::devices
