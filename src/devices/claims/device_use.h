// DeviceUse: what is held of devices, and what nodes see of a change in it.
#pragma once

#include "base/std.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/interconnect.h"
#include "devices/allocation/ledger.h"
#include "devices/inventory/attributes.h"
#include "devices/inventory/inventory.h"

namespace tutti::devices {

class DeviceUse {
 public:
  // Both are borrowed.
  DeviceUse(const Inventory& inventory, AttributeTable& attributes)
      : inventory_(inventory), ledger_(inventory), spans_(inventory, ledger_, attributes) {}
  DeviceUse(const DeviceUse&) = delete;
  DeviceUse& operator=(const DeviceUse&) = delete;

  Ledger& ledger() { return ledger_; }
  const Ledger& ledger() const { return ledger_; }
  // What devices of several nodes have in common, and whether any of them is in use.
  InterconnectTable& spans() { return spans_; }
  const InterconnectTable& spans() const { return spans_; }

  void take(const Grant& grant);
  void give_back(const Grant& grant);
  // Whether nobody else holds any of it.
  bool can_take(const Grant& grant) const;

  // A decision or an observation changed who holds the device. A search that takes devices and
  // gives all of them back touches none.
  void touch(DeviceId device);
  void touch(const Grant& grant);
  // Slices or taint rules came, went or changed.
  void devices_changed();
  // How often something changed that any node may see.
  std::uint64_t wide_changes() const { return wide_changes_; }
  void note_wide_change() { ++wide_changes_; }

 private:
  const Inventory& inventory_;
  Ledger ledger_;
  InterconnectTable spans_;
  std::uint64_t wide_changes_ = 1;
};

}  // namespace tutti::devices
