#include "devices/decisions/claim_reach.h"

#include <algorithm>
#include <set>

namespace tutti::devices {

bool ClaimReach::usable(const Claim& claim, NodeIndex node, ConfinementId confinement) const {
  if (confinement.valid() && !confined_.stays_within(claim, confined_.bounds_at(confinement, node)))
    return false;
  return std::ranges::all_of(claim.grant, [&](const Pick& pick) {
    const DeviceEntry& entry = tables_.inventory.device(pick.hold.device);
    if (entry.device == nullptr) return false;
    if (entry.device->binds_to_node) {
      return std::ranges::all_of(claim.holders,
                                 [&](const Holder& holder) { return holder.node == node; });
    }
    return tables_.inventory.is_wide(entry.reach) ? tables_.places.reaches(entry.reach, node)
                                                  : tables_.places.own(node) == entry.reach;
  });
}

bool ClaimReach::wants(const WishPlan& wish, DeviceId device) {
  const DeviceEntry& entry = tables_.inventory.device(device);
  return std::ranges::all_of(wish.selectors, [&](SelectorId selector) {
    return tables_.selectors.answer(selector, device, tables_.inventory.pool(entry.pool).driver,
                                    *entry.device) == SelectorTable::Answer::yes;
  });
}

bool ClaimReach::may_go_wide(const ClaimPlan& plan) {
  for (const PoolId pool : tables_.inventory.wide_pools()) {
    for (const DeviceId device : tables_.inventory.pool(pool).devices) {
      for (const auto& request : plan.requests) {
        for (const auto& wish : request.wishes) {
          if (wants(wish, device)) return true;
        }
      }
    }
  }
  return false;
}

bool ClaimReach::could_reach(const Claim& claim, NodeIndex node) {
  const auto from_all = [&](DeviceId device) {
    const ReachId reach = tables_.inventory.device(device).reach;
    return tables_.inventory.is_wide(reach) &&
           std::ranges::all_of(claim.holders, [&](const Holder& holder) {
             return tables_.places.reaches(reach, holder.node);
           });
  };
  if (std::ranges::all_of(claim.holders, [&](const Holder& each) { return each.node == node; })) {
    return true;
  }
  std::vector<DeviceId> shared;
  for (const DeviceId device : devices_at(tables_.inventory, tables_.places, node)) {
    if (from_all(device)) shared.push_back(device);
  }
  return std::ranges::all_of(
      tables_.plans.plan(claim.plan).requests, [&](const RequestPlan& request) {
        return std::ranges::any_of(request.wishes, [&](const WishPlan& wish) {
          const auto enough =
              std::ranges::count_if(shared, [&](DeviceId device) { return wants(wish, device); });
          return static_cast<std::size_t>(enough) >= (wish.all ? 1 : wish.count);
        });
      });
}

std::vector<ReachId> ClaimReach::reaches_of(ClaimId id) {
  std::vector<ReachId> found;
  const auto& requests = tables_.plans.plan(tables_.claims[id].plan).requests;
  if (requests.empty()) return found;
  std::vector<PoolId> pools;
  for (std::uint32_t i = 0; i < tables_.inventory.pool_count(); ++i) pools.push_back({i});
  std::ranges::sort(pools, [&](PoolId a, PoolId b) { return tables_.inventory.before(a, b); });
  std::set<ReachId> seen;
  for (const PoolId pool : pools) {
    for (const DeviceId device : tables_.inventory.pool(pool).devices) {
      const ReachId reach = tables_.inventory.device(device).reach;
      const auto takes = [&](const WishPlan& wish) { return wants(wish, device); };
      if (seen.contains(reach) || !std::ranges::any_of(requests.front().wishes, takes)) continue;
      seen.insert(reach);
      found.push_back(reach);
    }
  }
  return found;
}

}  // namespace tutti::devices
