#include "devices/allocation/ledger.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/digest.h"

namespace tutti::devices {

std::uint64_t digest_of(const Hold& hold) {
  Digest digest;
  digest.add(std::uint64_t{hold.device.index} * 2 + (hold.share ? 1 : 0));
  for (const auto& [name, amount] : hold.consumed) {
    digest.add(name);
    digest.add(static_cast<std::uint64_t>(amount));
  }
  return digest.value();
}

const Ledger::Use& Ledger::of(DeviceId id) const {
  static const Use kUnused;
  return id.index < uses_.size() ? uses_[id.index] : kUnused;
}

std::vector<std::int64_t>& Ledger::counters(PoolId pool) {
  TUTTI_CHECK(pool.index < inventory_.pool_count(), "counters of no pool");
  if (spent_.size() <= pool.index) spent_.resize(pool.index + std::size_t{1});
  auto& spent = spent_[pool.index];
  spent.resize(inventory_.pool(pool).counters.size(), 0);
  return spent;
}

void Ledger::charge(DeviceId id, std::int64_t sign) {
  const DeviceEntry& entry = inventory_.device(id);
  if (entry.charges.empty()) return;
  auto& spent = counters(entry.pool);
  for (const Charge& charge : entry.charges) {
    TUTTI_CHECK(charge.counter < spent.size(), "a charge on a counter that the pool has not");
    spent[charge.counter] += sign * charge.amount;
  }
}

// Sums of digests: the order of takes does not matter, and giving back is an exact inverse.
void Ledger::note(const Hold& hold, std::int32_t sign) {
  const ReachId reach = inventory_.device(hold.device).reach;
  if (!reach.valid()) return;
  if (states_.size() <= reach.index) states_.resize(reach.index + std::size_t{1}, 0);
  const std::uint64_t digest = digest_of(hold);
  states_[reach.index] += sign > 0 ? digest : -digest;
}

void Ledger::change(const Hold& hold, std::int32_t sign) {
  note(hold, sign);
  if (uses_.size() <= hold.device.index) uses_.resize(hold.device.index + std::size_t{1});
  Use& use = uses_[hold.device.index];
  const bool before = use.dedicated + use.shares > 0;
  (hold.share ? use.shares : use.dedicated) += sign;
  TUTTI_CHECK(use.shares >= 0 && use.dedicated >= 0, "a device was given back that nobody held");
  const bool after = use.dedicated + use.shares > 0;
  if (before != after) charge(hold.device, sign);
  for (const auto& [name, amount] : hold.consumed) {
    auto at = std::ranges::find(use.consumed, name, &std::pair<std::string, Sum>::first);
    if (at == use.consumed.end()) at = use.consumed.insert(at, {name, 0});
    at->second += Sum{sign} * amount;
    TUTTI_CHECK(at->second >= 0, "more of a capacity was given back than was taken");
    if (at->second == 0) use.consumed.erase(at);
  }
}

std::int64_t Ledger::consumed(DeviceId id, std::string_view capacity) const {
  const auto& amounts = of(id).consumed;
  const auto at = std::ranges::find(amounts, capacity, &std::pair<std::string, Sum>::first);
  constexpr Sum kMost = std::numeric_limits<std::int64_t>::max();
  return at == amounts.end() ? 0 : static_cast<std::int64_t>(std::min(at->second, kMost));
}

std::int64_t Ledger::available(PoolId pool, std::uint32_t counter) const {
  TUTTI_CHECK(counter < inventory_.pool(pool).counters.size(), "a counter of another pool");
  const std::int64_t capacity = inventory_.pool(pool).counters[counter].capacity;
  if (pool.index >= spent_.size() || counter >= spent_[pool.index].size()) return capacity;
  return capacity - spent_[pool.index][counter];
}

bool Ledger::counters_allow(DeviceId id) const {
  const DeviceEntry& entry = inventory_.device(id);
  return std::ranges::all_of(entry.charges, [&](const Charge& charge) {
    return available(entry.pool, charge.counter) >= charge.amount;
  });
}

void Ledger::recount(PoolId pool) {
  auto& spent = counters(pool);
  std::ranges::fill(spent, 0);
  for (const DeviceId id : inventory_.pool(pool).devices) {
    if (held(id)) charge(id, +1);
  }
}

bool Ledger::operator==(const Ledger& other) const {
  const std::size_t devices = std::max(uses_.size(), other.uses_.size());
  for (std::uint32_t i = 0; i < devices; ++i) {
    const Use& a = of({i});
    const Use& b = other.of({i});
    auto left = a.consumed;
    auto right = b.consumed;
    std::ranges::sort(left);
    std::ranges::sort(right);
    if (a.dedicated != b.dedicated || a.shares != b.shares || left != right) return false;
  }
  for (std::uint32_t p = 0; p < inventory_.pool_count(); ++p) {
    for (std::uint32_t c = 0; c < inventory_.pool({p}).counters.size(); ++c) {
      if (available({p}, c) != other.available({p}, c)) return false;
    }
  }
  return true;
}

}  // namespace tutti::devices
