#include "devices/allocation/packing.h"

#include <algorithm>
#include <tuple>

#include "devices/allocation/domain_order.h"
#include "devices/inventory/health.h"

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

// Counters of one device lie next to each other, so that most pairs are told apart at once.
bool are_far_apart(const std::vector<Charge>& a, const std::vector<Charge>& b) {
  return a.empty() || b.empty() || a.back().counter < b.front().counter ||
         b.back().counter < a.front().counter;
}

// Calls `body` with the two charges on every counter that both take from; stops when it says true.
template <typename Body>
bool any_shared(const std::vector<Charge>& a, const std::vector<Charge>& b, Body&& body) {
  if (are_far_apart(a, b)) return false;
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    if (left->counter == right->counter) {
      if (body(*left, *right)) return true;
      ++left;
    } else {
      left->counter < right->counter ? ++left : ++right;
    }
  }
  return false;
}

// Whether `other` could be given now but not beside `taken`.
bool blocks(const Ledger& ledger, const DeviceEntry& taken, const DeviceEntry& other) {
  return any_shared(taken.charges, other.charges, [&](const Charge& mine, const Charge& theirs) {
    return ledger.available(taken.pool, mine.counter) < mine.amount + theirs.amount;
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

// Equal for devices that leave as much, domains apart.
using Rank = std::tuple<std::int64_t, std::int64_t, bool, std::int64_t>;

Rank rank_of(const Inventory& inventory, const Ledger& ledger, DeviceId device) {
  const DeviceEntry& entry = inventory.device(device);
  const bool shared = entry.device->allow_multiple;
  const bool fresh = shared && !ledger.held(device);
  const std::int64_t room = shared ? free_share(ledger, device, *entry.device) : 0;
  if (entry.charges.empty()) return {0, 0, fresh, room};
  const Cut cut = cut_by(inventory, ledger, device);
  const std::int64_t own = weight(inventory, entry);
  return {std::max(cut.largest, own), cut.blocked + own, fresh, room};
}

bool could_be_given(const Inventory& inventory, const Ledger& ledger, DeviceId device,
                    const Packing& packing) {
  const DeviceEntry& entry = inventory.device(device);
  if (packing.tolerations != nullptr && forbidding_taint(entry, *packing.tolerations) != nullptr) {
    return false;
  }
  if (entry.device->allow_multiple && ledger.held(device)) return !ledger.dedicated(device);
  return !ledger.held(device) && ledger.counters_allow(device);
}

}  // namespace

Cut cut_by(const Inventory& inventory, const Ledger& ledger, DeviceId device) {
  const DeviceEntry& taken = inventory.device(device);
  Cut cut;
  for (const DeviceId other : inventory.pool(taken.pool).devices) {
    const DeviceEntry& entry = inventory.device(other);
    const auto any = [](const Charge&, const Charge&) { return true; };
    if (other == device || !any_shared(taken.charges, entry.charges, any)) continue;
    const std::int64_t weighs = weight(inventory, entry);
    cut.there += weighs;
    cut.largest_there = std::max(cut.largest_there, weighs);
    if (ledger.held(other) || !ledger.counters_allow(other)) continue;
    if (!blocks(ledger, taken, entry)) continue;
    cut.blocked += weighs;
    cut.largest = std::max(cut.largest, weighs);
  }
  return cut;
}

std::int64_t fullness(const Inventory& inventory, const Ledger& ledger, DeviceId device) {
  const model::Device& published = *inventory.device(device).device;
  if (published.allow_multiple && !ledger.dedicated(device)) {
    return 1000 - free_share(ledger, device, published);
  }
  return ledger.held(device) || !ledger.counters_allow(device) ? 1000 : 0;
}

bool untouched(const Inventory& inventory, const Ledger& ledger, DeviceId device,
               const Packing& packing) {
  const DeviceEntry& entry = inventory.device(device);
  const auto& counters = inventory.pool(entry.pool).counters;
  const bool cut_up = std::ranges::any_of(entry.charges, [&](const Charge& charge) {
    return ledger.available(entry.pool, charge.counter) < counters[charge.counter].capacity;
  });
  return !cut_up && !ledger.held(device) && could_be_given(inventory, ledger, device, packing);
}

std::vector<DeviceId> packed(const Inventory& inventory, const Ledger& ledger,
                             AttributeTable& attributes, const std::vector<DeviceId>& devices,
                             const Packing& packing) {
  std::vector<std::pair<Rank, DeviceId>> ranked;
  for (const DeviceId device : devices) {
    if (!could_be_given(inventory, ledger, device, packing)) continue;
    ranked.emplace_back(rank_of(inventory, ledger, device), device);
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<Rank, DeviceId>::first);
  DomainOrder domains(inventory, ledger, attributes, packing);
  std::vector<DeviceId> order;
  for (auto from = ranked.begin(); from != ranked.end();) {
    std::vector<DeviceId> equals;
    const Rank rank = from->first;
    for (; from != ranked.end() && from->first == rank; ++from) equals.push_back(from->second);
    const std::size_t left = packing.needed - std::min(packing.needed, order.size());
    domains.arrange(equals, left, order);
  }
  return order;
}

}  // namespace tutti::devices
