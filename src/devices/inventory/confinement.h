// Confinement: the domains that the devices of a pod must lie in, each a value of an attribute.
//
// A device that lacks the attribute lies in no domain of it and may be used with any. Admin access
// holds nothing and is not confined.
#pragma once

#include <compare>
#include <map>

#include "base/std.h"
#include "devices/inventory/ids.h"
#include "devices/inventory/inventory.h"

namespace tutti::devices {

struct Bound {
  std::string attribute;  // fully qualified
  std::string value;      // as text
  auto operator<=>(const Bound&) const = default;
};
using Bounds = std::vector<Bound>;  // in order, each once

// Whether the device, which is on offer, may be used within these bounds.
bool lies_within(const Inventory& inventory, DeviceId device, const Bounds& bounds);

// Sets of bounds by number. An invalid id stands for none.
class ConfinementTable {
 public:
  ConfinementId intern(const Bounds& bounds);
  // What is within both.
  ConfinementId both(ConfinementId one, ConfinementId other);
  const Bounds& bounds(ConfinementId id) const;

 private:
  std::map<Bounds, ConfinementId> ids_;
  std::vector<const Bounds*> bounds_;
};

}  // namespace tutti::devices
