#include "devices/holdings.h"

#include <algorithm>

#include "devices/allocation/capacity.h"

namespace tutti::devices {
namespace {

__extension__ typedef __int128 Wide;  // products of an amount

constexpr std::int64_t kWhole = 1000;

// In thousandths; a little counts as something.
std::int64_t part(std::int64_t amount, std::int64_t whole) {
  if (amount >= whole) return kWhole;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(Wide{amount} * kWhole / whole));
}

std::int64_t share_of(const model::Device& device, const Hold& hold) {
  std::int64_t most = 0;
  for (const auto& [name, amount] : hold.consumed) {
    const auto known = std::ranges::find(device.capacity, name, &model::DeviceCapacity::name);
    if (known != device.capacity.end()) {
      most = std::max(most, part(amount, thousandths(known->value)));
    }
  }
  return most;
}

std::int64_t portion(const DeviceState& device_state, const Hold& hold) {
  const DeviceEntry& entry = device_state.inventory().device(hold.device);
  if (entry.device == nullptr) return kWhole;
  if (hold.share) {
    const std::int64_t by_capacity = share_of(*entry.device, hold);
    if (by_capacity > 0) return by_capacity;
    return kWhole / std::max<std::int64_t>(1, device_state.ledger().shares(hold.device));
  }
  if (entry.charges.empty()) return kWhole;
  std::int64_t most = 1;
  const Pool& pool = device_state.inventory().pool(entry.pool);
  for (const Charge& charge : entry.charges) {
    most = std::max(most, part(charge.amount, pool.counters[charge.counter].capacity));
  }
  return most;
}

std::int64_t users_of(const Claim& claim, std::int64_t group_size) {
  if (claim.object == nullptr) return 1;
  std::int64_t users = 0;
  for (const model::ConsumerReference& consumer : claim.object->reserved_for) {
    users += consumer.resource == "podgroups" ? std::max<std::int64_t>(1, group_size) : 1;
  }
  return std::max<std::int64_t>(1, users);
}

}  // namespace

std::int64_t held_thousandths(const DeviceState& device_state, const model::Pod& pod,
                              std::int64_t group_size) {
  std::int64_t held = 0;
  for (const ClaimId id : device_state.claims_of(pod).claims) {
    const Claim& claim = device_state.claim(id);
    if (claim.extended()) continue;
    std::int64_t of_claim = 0;
    for (const Hold& hold : claim.observed) of_claim += portion(device_state, hold);
    held += of_claim / users_of(claim, group_size);
  }
  return held;
}

}  // namespace tutti::devices
