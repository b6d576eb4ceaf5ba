#include "devices/packing.h"

#include <algorithm>
#include <tuple>

namespace tutti::devices {
namespace {

// What the device takes of its pool's counters, each as thousandths of its whole.
std::int64_t weight(const Inventory& inventory, const DeviceEntry& entry) {
  const Pool& pool = inventory.pool(entry.pool);
  std::int64_t total = 0;
  for (const Charge& charge : entry.charges) {
    const std::int64_t whole = std::max<std::int64_t>(pool.counters[charge.counter].capacity, 1);
    total += charge.amount * 1000 / whole;
  }
  return total;
}

bool share_a_counter(const DeviceEntry& a, const DeviceEntry& b) {
  return std::ranges::any_of(a.charges, [&](const Charge& charge) {
    return std::ranges::find(b.charges, charge.counter, &Charge::counter) != b.charges.end();
  });
}

// Whether `other` could be given now but not beside `taken`.
bool blocks(const Ledger& ledger, const DeviceEntry& taken, const DeviceEntry& other) {
  return std::ranges::any_of(other.charges, [&](const Charge& charge) {
    const auto beside = std::ranges::find(taken.charges, charge.counter, &Charge::counter);
    return beside != taken.charges.end() &&
           ledger.available(taken.pool, charge.counter) < charge.amount + beside->amount;
  });
}

// What would be left of the device's tightest capacity, in thousandths of it.
std::int64_t free_share(const Ledger& ledger, DeviceId id, const model::Device& device) {
  std::int64_t least = 1000;
  for (const auto& capacity : device.capacity) {
    const std::int64_t whole = std::max<std::int64_t>(thousandths(capacity.value), 1);
    least = std::min(least, (whole - ledger.consumed(id, capacity.name)) /
                                std::max<std::int64_t>(whole / 1000, 1));
  }
  return least;
}

}  // namespace

std::int64_t blocked_by(const Inventory& inventory, const Ledger& ledger, DeviceId device) {
  const DeviceEntry& taken = inventory.device(device);
  std::int64_t total = 0;
  for (const DeviceId other : inventory.pool(taken.pool).devices) {
    const DeviceEntry& entry = inventory.device(other);
    if (other == device || ledger.held(other) || !share_a_counter(taken, entry)) continue;
    if (!ledger.counters_allow(other) || !blocks(ledger, taken, entry)) continue;
    total += weight(inventory, entry);
  }
  return total;
}

std::int64_t fullness(const Inventory& inventory, const Ledger& ledger, DeviceId device) {
  const model::Device& published = *inventory.device(device).device;
  if (published.allow_multiple && !ledger.dedicated(device)) {
    return 1000 - free_share(ledger, device, published);
  }
  return ledger.held(device) || !ledger.counters_allow(device) ? 1000 : 0;
}

std::vector<DeviceId> packed(const Inventory& inventory, const Ledger& ledger,
                             const std::vector<DeviceId>& devices) {
  using Rank = std::tuple<std::int64_t, bool, std::int64_t, std::size_t>;
  std::vector<std::pair<Rank, DeviceId>> ranked;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceEntry& entry = inventory.device(devices[i]);
    const std::int64_t blocked = entry.charges.empty() ? 0
                                                       : blocked_by(inventory, ledger, devices[i]) +
                                                             weight(inventory, entry);
    const bool shared = entry.device->allow_multiple;
    const bool fresh = shared && !ledger.held(devices[i]);
    const std::int64_t room = shared ? free_share(ledger, devices[i], *entry.device) : 0;
    ranked.push_back({{blocked, fresh, room, i}, devices[i]});
  }
  std::ranges::sort(ranked);
  std::vector<DeviceId> order;
  for (const auto& [rank, device] : ranked) order.push_back(device);
  return order;
}

}  // namespace tutti::devices
