#include "devices/inventory/confinement.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "devices/inventory/attributes.h"

namespace tutti::devices {

bool lies_within(const Inventory& inventory, DeviceId device, const Bounds& bounds) {
  return std::ranges::all_of(bounds, [&](const Bound& bound) {
    const auto values = values_of(inventory, device, bound.attribute);
    return values.empty() || std::ranges::find(values, bound.value) != values.end();
  });
}

ConfinementId ConfinementTable::intern(const Bounds& bounds) {
  if (bounds.empty()) return {};
  const auto [at, fresh] =
      ids_.try_emplace(bounds, ConfinementId{static_cast<std::uint32_t>(bounds_.size())});
  if (fresh) bounds_.push_back(&at->first);
  return at->second;
}

ConfinementId ConfinementTable::both(ConfinementId one, ConfinementId other) {
  if (!one.valid() || one == other) return other;
  if (!other.valid()) return one;
  Bounds all;
  std::ranges::set_union(bounds(one), bounds(other), std::back_inserter(all));
  return intern(all);
}

const Bounds& ConfinementTable::bounds(ConfinementId id) const {
  static const Bounds kNone;
  TUTTI_CHECK(!id.valid() || id.index < bounds_.size(), "a confinement of another table");
  return id.valid() ? *bounds_[id.index] : kNone;
}

}  // namespace tutti::devices
