#include "devices/readiness.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
namespace tutti::devices {
namespace {

const model::AllocatedDeviceStatus* status_of(const model::ResourceClaim& claim,
                                              const model::DeviceResult& result) {
  const auto at =
      std::ranges::find_if(claim.device_statuses, [&](const model::AllocatedDeviceStatus& each) {
        return each.driver == result.driver && each.pool == result.pool &&
               each.device == result.device && each.share_id == result.share_id;
      });
  return at == claim.device_statuses.end() ? nullptr : &*at;
}

}  // namespace

Readiness readiness(const model::ResourceClaim& claim) {
  TUTTI_CHECK(claim.allocation.has_value(), "devices that nobody has are not made ready");
  Readiness worst;
  for (const auto& result : claim.allocation->results) {
    const auto* status = status_of(claim, result);
    const auto is_true = [&](const std::string& type) {
      if (status == nullptr) return false;
      const auto* condition = model::find(status->conditions, type);
      return condition != nullptr && condition->status == "True";
    };
    const auto device = [&] {
      return fmt::format("device {}/{} of resource claim {}", result.pool, result.device,
                         claim.meta.name);
    };
    const auto failed = std::ranges::find_if(result.binding_failure_conditions, is_true);
    if (failed != result.binding_failure_conditions.end()) {
      return {Readiness::State::failed, fmt::format("{} reports {}", device(), *failed)};
    }
    const auto missing = std::ranges::find_if_not(result.binding_conditions, is_true);
    if (worst.text.empty() && missing != result.binding_conditions.end()) {
      worst = {Readiness::State::waiting,
               fmt::format("{} does not report {} yet", device(), *missing)};
    }
  }
  return worst;
}

}  // namespace tutti::devices
