// Device taints: what keeps a device from being given out, and who puts up with it.
#pragma once

#include "base/std.h"
#include "devices/inventory/inventory.h"
#include "model/device.h"

namespace tutti::devices {

// The first taint that forbids giving the device to someone with these tolerations; null when none
// does. Only NoSchedule and NoExecute forbid.
const model::DeviceTaint* forbidding_taint(const DeviceEntry& entry,
                                           std::span<const model::Toleration> tolerations);

bool tolerates(const model::Toleration& toleration, const model::DeviceTaint& taint);
bool tolerated(const model::DeviceTaint& taint, std::span<const model::Toleration> tolerations);

// "gpu.example.com/xid=79:NoExecute"
std::string text_of(const model::DeviceTaint& taint);

}  // namespace tutti::devices
