// The order in which candidates are tried so that what is left stays useful: the pick that blocks
// the least goes first, and what is whole is broken last.
//
//   device    a partition of a device that is cut up already, rather than of a whole one
//   domain    devices of one interconnect domain, of one that is in use already, and of those of
//             the one with the least to spare; a whole domain only when no broken one suffices
#pragma once

#include "base/std.h"
#include "devices/allocation/constraints.h"
#include "devices/allocation/ledger.h"
#include "devices/inventory/inventory.h"

namespace tutti::devices {

// What picking a device blocks, in thousandths of the counters it shares.
struct Cut {
  std::int64_t largest = 0;  // of what could be given before it, and cannot beside it
  std::int64_t blocked = 0;  // all of that
  // The largest, and all, of what shares a counter with the device, in use or not.
  std::int64_t largest_there = 0;
  std::int64_t there = 0;
};
// A partition of an untouched device blocks the whole device, one in a gap left by others what else
// could have filled the gap.
Cut cut_by(const Inventory& inventory, const Ledger& ledger, DeviceId device);

// How much of the device is in use, in thousandths: held, or beside what is held of its pool not to
// be had, is full; of a shared device the part of its tightest capacity that is taken.
std::int64_t fullness(const Inventory& inventory, const Ledger& ledger, DeviceId device);

// What devices are chosen for.
struct Packing {
  std::size_t needed = 1;
  const std::vector<model::Toleration>* tolerations = nullptr;
  std::span<const AttributeId> domains;  // widest first
  // All devices of the kind, in use or not: they say which domains are whole.
  std::span<const DeviceId> kin;
};

// Whether the device is whole: neither held, nor cut up, nor unhealthy.
bool untouched(const Inventory& inventory, const Ledger& ledger, DeviceId device,
               const Packing& packing);

// The candidates that could be given now. Partitions by what they block; shares on devices that
// are shared already and fullest first; equals by domain, and last in published order.
std::vector<DeviceId> packed(const Inventory& inventory, const Ledger& ledger,
                             AttributeTable& attributes, const std::vector<DeviceId>& devices,
                             const Packing& packing);

}  // namespace tutti::devices
