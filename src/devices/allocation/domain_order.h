// DomainOrder: devices that would do equally well, arranged so that whole domains stay whole.
//
// Level by level, widest first: of the domains at a level the one is emptied first that
//   1. holds all that is needed: a broken one before a whole one, then with the least to spare;
//   2. if none does, the largest; but only broken ones while they need no more domains than all.
// Inside it the next level decides. Only an order: every device is in it.
#pragma once

#include "base/std.h"
#include "devices/allocation/packing.h"

namespace tutti::devices {

class DomainOrder {
 public:
  // All are borrowed. The ledger must not change while it lives.
  DomainOrder(const Inventory& inventory, const Ledger& ledger, AttributeTable& attributes,
              const Packing& packing);

  // Appends the devices, all of which could be given; `needed` of them will be taken.
  void arrange(const std::vector<DeviceId>& devices, std::size_t needed,
               std::vector<DeviceId>& out) const;

  // Whether the domain has been touched: a device of the kind in it is in use.
  bool is_broken(std::size_t level, std::uint32_t domain) const;

 private:
  struct Group {
    std::uint32_t domain;
    bool broken;  // what has no domain is nothing whole
    std::vector<DeviceId> devices;
  };

  void arrange(const std::vector<DeviceId>& devices, std::size_t needed, std::size_t level,
               std::vector<DeviceId>& out) const;
  std::vector<Group> groups(const std::vector<DeviceId>& devices, std::size_t level) const;

  AttributeTable& attributes_;
  const Packing& packing_;
  std::vector<std::vector<std::uint32_t>> touched_;  // by level: domains
};

}  // namespace tutti::devices
