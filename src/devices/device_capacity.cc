#include "devices/device_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "base/check.h"
#include "devices/allocation/capacity.h"
#include "devices/allocation/packing.h"
#include "devices/inventory/health.h"

namespace tutti::devices {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// The first of the wish's selectors that does not take the device; their number if all do.
std::size_t first_objection(DeviceState& device_state, const WishPlan& wish, DeviceId device) {
  const DeviceEntry& entry = device_state.inventory().device(device);
  const std::string& driver = device_state.inventory().pool(entry.pool).driver;
  for (std::size_t i = 0; i < wish.selectors.size(); ++i) {
    if (device_state.selectors().answer(wish.selectors[i], device, driver, *entry.device) !=
        SelectorTable::Answer::yes) {
      return i;
    }
  }
  return wish.selectors.size();
}

// How the objecting selector fails on the device; null when it does not fail, or nothing objects.
const std::string* fault_of(DeviceState& device_state, const WishPlan& wish, std::size_t objection,
                            DeviceId device) {
  if (objection == wish.selectors.size()) return nullptr;
  const DeviceEntry& entry = device_state.inventory().device(device);
  const auto answer = device_state.selectors().answer(
      wish.selectors[objection], device, device_state.inventory().pool(entry.pool).driver,
      *entry.device);
  if (answer != SelectorTable::Answer::fault) return nullptr;
  return &device_state.selectors().fault(wish.selectors[objection], device);
}

void count_use(DeviceState& device_state, const WishPlan& wish, DeviceId device, Tally& counts) {
  const auto& published = *device_state.inventory().device(device).device;
  const Ledger& ledger = device_state.ledger();
  const auto taken = consumption(published, wish.capacity);
  if (!taken) {
    ++counts.unfit;
  } else if (wish.admin) {
    ++counts.free;
  } else if (published.allow_multiple ? ledger.dedicated(device) : ledger.held(device)) {
    ++counts.held;
  } else if (published.allow_multiple && !has_room(ledger, device, published, *taken)) {
    ++counts.full;
  } else if (!ledger.held(device) && !ledger.counters_allow(device)) {
    ++counts.blocked;
  } else {
    ++counts.free;
  }
}

std::size_t needed(const WishPlan& wish) {
  TUTTI_CHECK(wish.all || wish.count > 0, "a request for nothing");
  return wish.all ? 1 : wish.count;
}

std::string capacity_text(const WishPlan& wish) {
  std::vector<std::string> parts;
  for (const auto& [name, amount] : wish.capacity) parts.push_back(name + " " + amount.text());
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The selector that rules out most of the class.
std::string strictest(DeviceState& device_state, const WishPlan& wish, const Tally& counts) {
  const auto most = std::ranges::max_element(counts.by_selector);
  const auto at = static_cast<std::size_t>(most - counts.by_selector.begin());
  return device_state.selectors().expression(wish.selectors[wish.class_selectors + at]);
}

std::size_t ruled_out(const Tally& counts) {
  return std::accumulate(counts.by_selector.begin(), counts.by_selector.end(), std::size_t{0});
}

std::string constraint_text(const ClaimPlan& plan) {
  if (plan.constraints.empty()) return {};
  const auto& first = plan.constraints.front();
  return fmt::format("{} {}", first.distinct ? "distinctAttribute" : "matchAttribute",
                     first.attribute);
}

Reason reason_for(DeviceState& device_state, const ClaimPlan& plan, const WishPlan& wish,
                  const Tally& counts) {
  const std::string& of = wish.device_class;
  const std::size_t need = needed(wish);
  if (counts.of_class == 0) return {fmt::format("no device of class {}", of)};
  if (counts.of_class < need) return {fmt::format("too few devices of class {}", of)};
  const std::size_t matching = counts.of_class - ruled_out(counts) - counts.failed;
  if (matching < need) {
    return {fmt::format("{} of class {} match selector \"{}\"",
                        matching == 0 ? "no devices" : "too few devices", of,
                        strictest(device_state, wish, counts))};
  }
  const std::size_t healthy = matching - counts.unhealthy.size();
  if (healthy < need || (wish.all && !counts.unhealthy.empty())) {
    const auto& entry = device_state.inventory().device(counts.unhealthy.front());
    const auto* taint = forbidding_taint(entry, wish.tolerations);
    TUTTI_CHECK(taint != nullptr, "a device is unwell for no reason");
    return {fmt::format("{} of class {} (taint {})", kUnhealthy, of, text_of(*taint)), false, true};
  }
  if (counts.suitable() < need) {
    return {fmt::format("no device of class {} offers {}", of, capacity_text(wish))};
  }
  if (counts.free < need || (wish.all && counts.free < counts.suitable())) {
    if (counts.full > counts.held && counts.full > counts.blocked) {
      return {fmt::format("Insufficient {} on devices of class {}", capacity_text(wish), of), true};
    }
    if (counts.blocked > counts.held) {
      return {fmt::format("no counters left for devices of class {}", of), true};
    }
    return {fmt::format("Insufficient devices of class {}", of), true};
  }
  const std::string constraint = constraint_text(plan);
  if (!constraint.empty()) {
    return {fmt::format("no free devices of class {} satisfy {}", of, constraint),
            counts.free < counts.suitable()};
  }
  return {fmt::format("the devices of class {} cannot serve all its requests at once", of),
          counts.free < counts.suitable()};
}

// Whether the claim alone could be served; then it is the others that stand in its way.
bool serves_alone(DeviceState& device_state, const Wanted& wanted, NodeIndex node) {
  return device_state.search().fits(node, {&wanted, 1}, nullptr) == Solution::Outcome::found;
}

// The request that is furthest from being served, by its best alternative.
Reason worst_of(DeviceState& device_state, const ClaimPlan& plan,
                std::span<const DeviceId> devices) {
  Reason last{"the devices of the node cannot serve all its requests at once", true};
  for (const auto& request : plan.requests) {
    Reason best;
    bool served = false;
    for (const auto& wish : request.wishes) {
      const Tally counts = tally(device_state, wish, devices);
      served = served || counts.free >= needed(wish);
      const Reason reason = reason_for(device_state, plan, wish, counts);
      if (best.text.empty() || (reason.curable && !best.curable)) best = reason;
    }
    last = best;
    if (!served) return best;
  }
  return last;
}

// Returns the node's devices that the claim may have, as far as its pod is confined. A claim
// with admin access is not confined: it may have them all.
std::vector<DeviceId> devices_for(DeviceState& device_state, const Wanted& wanted, NodeIndex node) {
  auto devices = devices_at(device_state.inventory(), device_state.places(), node);
  const auto looks_on = [](const RequestPlan& request) {
    return std::ranges::any_of(request.wishes, &WishPlan::admin);
  };
  if (!wanted.confinement.valid() ||
      std::ranges::any_of(device_state.plans().plan(wanted.plan).requests, looks_on)) {
    return devices;
  }
  const Bounds bounds = device_state.confined_pods().bounds_at(wanted.confinement, node);
  std::erase_if(devices, [&](DeviceId device) {
    return !lies_within(device_state.inventory(), device, bounds);
  });
  return devices;
}

// At most how many claims of the plan the free ones of these devices can serve.
std::int64_t room_of(DeviceState& device_state, PlanId id, std::span<const DeviceId> devices) {
  const bool shareable = std::ranges::any_of(devices, [&](DeviceId device) {
    return device_state.inventory().device(device).device->allow_multiple;
  });
  std::int64_t least = kUnlimited;
  for (const auto& request : device_state.plans().plan(id).requests) {
    std::int64_t sum = 0;
    for (const auto& wish : request.wishes) {
      if (wish.admin || shareable) return kUnlimited;
      const auto free = static_cast<std::int64_t>(tally(device_state, wish, devices).free);
      sum += free / static_cast<std::int64_t>(needed(wish));
    }
    least = std::min(least, sum);
  }
  return least;
}

}  // namespace

Tally tally(DeviceState& device_state, const WishPlan& wish, std::span<const DeviceId> devices) {
  Tally counts;
  TUTTI_CHECK(wish.class_selectors <= wish.selectors.size(), "the class has more than all");
  counts.by_selector.resize(wish.selectors.size() - wish.class_selectors, 0);
  for (const DeviceId device : devices) {
    const std::size_t objection = first_objection(device_state, wish, device);
    const std::string* fault = fault_of(device_state, wish, objection, device);
    if (objection < wish.class_selectors && fault == nullptr) continue;
    ++counts.of_class;
    if (fault != nullptr) {
      if (counts.failed++ == 0) counts.fault = *fault;
    } else if (objection < wish.selectors.size()) {
      ++counts.by_selector[objection - wish.class_selectors];
    } else if (forbidding_taint(device_state.inventory().device(device), wish.tolerations) !=
               nullptr) {
      counts.unhealthy.push_back(device);
    } else {
      count_use(device_state, wish, device, counts);
    }
  }
  return counts;
}

std::vector<Reason> reasons_at(DeviceState& device_state, std::span<const Wanted> wanted,
                               NodeIndex node) {
  for (const Wanted& want : device_state.questions().wanted_at(node, wanted)) {
    const bool granted = want.claim.valid() && device_state.claim(want.claim).granted;
    if (serves_alone(device_state, want, node)) continue;
    if (granted) {
      return {{fmt::format("the devices of resource claim {} cannot be used there",
                           device_state.claim(want.claim).name.second)}};
    }
    const Reason known = worst_of(device_state, device_state.plans().plan(want.plan),
                                  devices_for(device_state, want, node));
    const auto trouble = trouble_at(device_state.inventory(), device_state.places(), node);
    // Devices that nobody can count yet may be what the node lacks; those that would do it has.
    if (trouble.empty() || known.curable || known.unhealthy) return {known};
    return {{trouble}};
  }
  return {{"its resource claims cannot be served together", true}};
}

std::int64_t room_at(DeviceState& device_state, const Wanted& wanted, NodeIndex node) {
  return room_of(device_state, wanted.plan, devices_for(device_state, wanted, node));
}

std::int64_t room_within(DeviceState& device_state, std::span<const Wanted> wanted,
                         std::span<const NodeIndex> nodes) {
  // What is held now may move aside.
  if (device_state.search().may_move_grants()) return kUnlimited;
  std::int64_t least = kUnlimited;
  for (const Wanted& want : wanted) {
    // What is shared is one for all, and what nodes may advertise instead is theirs to count.
    if (want.claim.valid() || want.extended.valid()) continue;
    std::set<DeviceId> there;
    for (const NodeIndex node : nodes) {
      const auto here = devices_for(device_state, want, node);
      there.insert(here.begin(), here.end());
    }
    const std::vector<DeviceId> devices(there.begin(), there.end());
    least = std::min(least, room_of(device_state, want.plan, devices));
  }
  return least;
}

std::int64_t fullness_at(DeviceState& device_state, std::span<const Wanted> wanted,
                         NodeIndex node) {
  const auto devices = devices_at(device_state.inventory(), device_state.places(), node);
  std::int64_t full = 0;
  std::int64_t count = 0;
  for (const Wanted& want : device_state.questions().wanted_at(node, wanted)) {
    if (want.claim.valid() && device_state.claim(want.claim).granted) continue;
    for (const auto& request : device_state.plans().plan(want.plan).requests) {
      const WishPlan& wish = request.wishes.front();
      full += 1000 * static_cast<std::int64_t>(needed(wish));
      for (const DeviceId device : devices) {
        if (first_objection(device_state, wish, device) < wish.selectors.size()) continue;
        full += fullness(device_state.inventory(), device_state.ledger(), device);
        ++count;
      }
    }
  }
  return count == 0 ? 0 : std::min<std::int64_t>(full / count, 1000);
}

}  // namespace tutti::devices
