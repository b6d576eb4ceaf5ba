#include "devices/claims/device_use.h"

#include <algorithm>

namespace tutti::devices {

void DeviceUse::take(const Grant& grant) {
  for (const Pick& pick : grant) {
    if (!pick.admin) ledger_.take(pick.hold);
  }
}

void DeviceUse::give_back(const Grant& grant) {
  for (const Pick& pick : grant) {
    if (!pick.admin) ledger_.give_back(pick.hold);
  }
}

bool DeviceUse::can_take(const Grant& grant) const {
  return std::ranges::all_of(grant, [&](const Pick& pick) {
    return pick.admin || (pick.hold.share ? !ledger_.dedicated(pick.hold.device)
                                          : !ledger_.held(pick.hold.device));
  });
}

void DeviceUse::touch(DeviceId device) {
  spans_.touch(device);
  const DeviceEntry& entry = inventory_.device(device);
  // Counters belong to the pool: what is taken here may be what a device elsewhere lacks.
  const auto elsewhere = [&](DeviceId other) {
    return inventory_.device(other).reach != entry.reach;
  };
  const bool shares_counters =
      !entry.charges.empty() && std::ranges::any_of(inventory_.pool(entry.pool).devices, elsewhere);
  if (!entry.reach.valid() || inventory_.is_wide(entry.reach) || shares_counters) {
    note_wide_change();
  }
}

void DeviceUse::touch(const Grant& grant) {
  for (const Pick& pick : grant) touch(pick.hold.device);
}

void DeviceUse::devices_changed() {
  spans_.devices_changed();
  note_wide_change();
}

}  // namespace tutti::devices
