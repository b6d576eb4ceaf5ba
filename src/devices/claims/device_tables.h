// DeviceTables: what every part of DeviceState reads and changes: devices on offer, claims, and who
// holds what. Whatever only one part needs is that part's own.
#pragma once

#include "base/std.h"
#include "devices/allocation/allocator.h"
#include "devices/claims/claim.h"
#include "devices/claims/claim_table.h"
#include "devices/claims/device_use.h"
#include "devices/inventory/attributes.h"
#include "devices/inventory/inventory.h"
#include "devices/inventory/selectors.h"
#include "devices/plan/extended.h"
#include "devices/plan/plans.h"

namespace tutti::devices {

struct DeviceTables {
  explicit DeviceTables(const Places& where)
      : places(where),
        inventory(selectors),
        attributes(inventory),
        plans(selectors),
        extended(plans),
        use(inventory, attributes) {}
  DeviceTables(const DeviceTables&) = delete;
  DeviceTables& operator=(const DeviceTables&) = delete;

  const Places& places;
  SelectorTable selectors;
  Inventory inventory;
  AttributeTable attributes;
  PlanTable plans;
  ExtendedTable extended;  // fills up as pods are asked about
  DeviceUse use;
  ClaimTable claims;
  std::vector<Release> releases;  // asked for, not taken yet
};

}  // namespace tutti::devices
