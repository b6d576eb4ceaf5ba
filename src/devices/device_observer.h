// DeviceObserver: enters what is observed of devices and claims, and says what that may change.
#pragma once

#include "base/std.h"
#include "devices/claims/claim_groups.h"
#include "devices/claims/device_tables.h"
#include "devices/decisions/movable_grants.h"
#include "model/device.h"
#include "model/object.h"

namespace tutti::devices {

// What an observation may change: nothing; whether pods that wait for it can go on; any answer.
enum class News : std::uint8_t { none, waiters, answers };

class DeviceObserver {
 public:
  // All must outlive it.
  DeviceObserver(DeviceTables& tables, ClaimGroups& groups, MovableGrants& movable)
      : tables_(tables), groups_(groups), movable_(movable) {}

  // Kinds that have no part in it are ignored.
  News set(const model::ObjectPtr& object);
  News remove(const model::Object& object);

 private:
  News set_claim(std::shared_ptr<const model::ResourceClaim> object);
  News remove_claim(std::string_view ns, std::string_view name);
  News pools_changed(const std::vector<PoolId>& pools);
  News classes_changed();
  void adopt(const model::ResourceClaim& object, const std::string& pod_uid);

  DeviceTables& tables_;
  ClaimGroups& groups_;
  MovableGrants& movable_;
};

}  // namespace tutti::devices
