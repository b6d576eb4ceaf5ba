// ConstraintState: matchAttribute and distinctAttribute of one claim while its devices are chosen.
//
// Attribute values are interned with their types, so that comparing them is comparing numbers; an
// attribute with several values is the set of them. A later pick can never heal an earlier "no".
#pragma once

#include <unordered_map>

#include "base/interner.h"
#include "base/std.h"
#include "devices/inventory/ids.h"
#include "devices/inventory/inventory.h"
#include "devices/plan/plans.h"

namespace tutti::devices {

using ValueSet = std::vector<std::uint32_t>;  // sorted; empty: the device lacks the attribute

// The values of attributes that constraints and domains name, worked out once per device version.
class AttributeTable {
 public:
  explicit AttributeTable(const Inventory& inventory) : inventory_(inventory) {}

  // `attribute` is fully qualified; a bare name of the device counts where the domain is its
  // driver's. "*/name" is the first attribute of that name, whatever its domain.
  AttributeId id(const std::string& attribute);
  // Returns the ids of as many attributes; invalid for those that no device can have.
  std::vector<AttributeId> ids(std::span<const std::string> attributes);
  // Returns the values of a device on offer.
  const ValueSet& values(AttributeId attribute, DeviceId device);
  const ValueSet& values(const std::string& attribute, DeviceId device) {
    return values(id(attribute), device);
  }
  // The domain that a single value names; kNoIndex: no value, or several.
  std::uint32_t domain(AttributeId attribute, DeviceId device) {
    if (!attribute.valid()) return kNoIndex;
    const ValueSet& held = values(attribute, device);
    return held.size() == 1 ? held.front() : kNoIndex;
  }
  // The device was published anew, or is gone.
  void forget(DeviceId device);

 private:
  struct Column {
    std::string attribute;
    std::vector<ValueSet> values;  // by device
    std::vector<bool> known;
  };
  ValueSet work_out(const std::string& attribute, DeviceId device);

  const Inventory& inventory_;
  Interner interned_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, AttributeId> ids_;
};

class ConstraintState {
 public:
  ConstraintState(const ClaimPlan& plan, AttributeTable& attributes);

  // Takes the device into account for this wish of this request, or leaves everything as it was and
  // says which constraint is broken (its index), -1 for none.
  int add(std::size_t request, std::size_t wish, DeviceId device);
  // Whether add() would succeed.
  bool allows(std::size_t request, std::size_t wish, DeviceId device) const;
  // Undoes the latest add() that succeeded, which must have been with these arguments.
  void remove(std::size_t request, std::size_t wish);

 private:
  struct One {
    const ConstraintPlan* plan;
    std::vector<ValueSet> steps;  // of match: what is left in common; of distinct: each one's own
  };
  bool applies(const One& one, std::size_t request, std::size_t wish) const {
    return ((one.plan->wishes[request] >> wish) & 1U) != 0;
  }
  bool breaks(const One& one, DeviceId device) const;
  void push(One& one, DeviceId device);

  AttributeTable& attributes_;
  std::vector<One> all_;
};

}  // namespace tutti::devices
