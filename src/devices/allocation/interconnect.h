// InterconnectTable: interconnect domains that reach over several nodes, such as the cliques of
// NVL72 racks: devices of different nodes with one value of an attribute. It knows which of them
// nobody uses.
//
// Kept up to date by touch(), a device at a time. version() rises only when the first device of a
// span is taken or the last one given back, so whoever scores nodes by it looks at all of them
// again no more often than that.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "devices/allocation/constraints.h"
#include "devices/allocation/ledger.h"
#include "devices/inventory/ids.h"
#include "devices/inventory/inventory.h"

namespace tutti::devices {

class InterconnectTable {
 public:
  // All are borrowed.
  InterconnectTable(const Inventory& inventory, const Ledger& ledger, AttributeTable& attributes)
      : inventory_(inventory), ledger_(ledger), attributes_(attributes) {}

  // Invalid: the device lacks the attribute, or nodes do not share its value. Ids are good until
  // devices change.
  SpanId of(AttributeId attribute, DeviceId device);
  // Whether nobody holds a device of the span.
  bool untouched(SpanId span);
  std::uint64_t version();

  // Somebody took the device, or gave it back.
  void touch(DeviceId device);
  // Slices came, went or changed: everything is looked at anew when asked for.
  void devices_changed();

  // Counts again and compares; empty when all agree.
  std::string check() const;

 private:
  struct Column {
    bool known = false;
    std::vector<SpanId> of_device;
  };
  void build(AttributeId attribute);
  void settle();
  void count(DeviceId device, std::int64_t sign);

  const Inventory& inventory_;
  const Ledger& ledger_;
  AttributeTable& attributes_;
  std::vector<Column> columns_;     // by attribute
  std::vector<std::int64_t> held_;  // by span: devices in use
  std::vector<bool> in_use_;        // by device, as counted
  std::vector<DeviceId> touched_;   // since it was counted
  std::uint64_t version_ = 1;
};

}  // namespace tutti::devices
