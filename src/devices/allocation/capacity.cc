#include "devices/allocation/capacity.h"

#include <algorithm>
#include <limits>

namespace tutti::devices {
namespace {

__extension__ typedef __int128 Wide;  // sums and multiples of amounts

constexpr Wide kThousandths = 1000;

Wide rounded_up(const Quantity& quantity, bool whole) {
  return whole ? quantity.units() * kThousandths : thousandths(quantity);
}

// Bounds that thousandths cannot say are counted in whole units.
bool counts_whole(const model::CapacityPolicy::Range& range) {
  const auto exact = [](const Quantity& quantity) {
    return Quantity::from_milli(quantity.milli()) == quantity;
  };
  return !exact(range.min) || (range.max && !exact(*range.max)) ||
         (range.step && !exact(*range.step));
}

std::optional<std::int64_t> in_range(const model::CapacityPolicy::Range& range,
                                     const Quantity& asked) {
  const bool whole = counts_whole(range);
  const Wide least = rounded_up(range.min, whole);
  Wide amount = std::max(rounded_up(asked, whole), least);
  if (range.step) {
    const Wide step = std::max<Wide>(rounded_up(*range.step, whole), 1);
    amount = least + (amount - least + step - 1) / step * step;
  }
  if (range.max && amount > rounded_up(*range.max, whole)) return std::nullopt;
  if (amount > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(amount);
}

std::optional<std::int64_t> among(const std::vector<Quantity>& values, const Quantity& asked) {
  const auto enough = std::ranges::lower_bound(values, asked);
  if (enough == values.end()) return std::nullopt;
  return thousandths(*enough);
}

std::optional<std::int64_t> amount_of(const model::DeviceCapacity& capacity,
                                      const Quantity* asked) {
  const auto& policy = capacity.policy;
  if (asked == nullptr) {
    return thousandths(policy && policy->standard ? *policy->standard : capacity.value);
  }
  if (policy && policy->range) return in_range(*policy->range, *asked);
  if (policy && !policy->valid_values.empty()) {
    if (policy->standard && *asked == *policy->standard) return thousandths(*asked);
    return among(policy->valid_values, *asked);
  }
  return thousandths(*asked);
}

const Quantity* find(const model::NamedAmounts& asked, const std::string& name) {
  const auto at = std::ranges::find(asked, name, &std::pair<std::string, Quantity>::first);
  return at == asked.end() ? nullptr : &at->second;
}

}  // namespace

std::optional<Amounts> consumption(const model::Device& device, const model::NamedAmounts& asked) {
  for (const auto& [name, amount] : asked) {
    if (std::ranges::find(device.capacity, name, &model::DeviceCapacity::name) ==
        device.capacity.end()) {
      return std::nullopt;
    }
  }
  Amounts taken;
  for (const auto& capacity : device.capacity) {
    const Quantity* wanted = find(asked, capacity.name);
    if (wanted == nullptr && !device.allow_multiple) continue;
    const auto amount = amount_of(capacity, wanted);
    if (!amount || *amount > thousandths(capacity.value)) return std::nullopt;
    if (device.allow_multiple) taken.emplace_back(capacity.name, *amount);
  }
  return taken;
}

bool has_room(const Ledger& ledger, DeviceId id, const model::Device& device,
              const Amounts& consumption) {
  return std::ranges::all_of(consumption, [&](const auto& entry) {
    const auto capacity =
        std::ranges::find(device.capacity, entry.first, &model::DeviceCapacity::name);
    return capacity != device.capacity.end() &&
           entry.second <= thousandths(capacity->value) - ledger.consumed(id, entry.first);
  });
}

}  // namespace tutti::devices
