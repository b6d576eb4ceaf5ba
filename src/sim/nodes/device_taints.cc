#include "sim/nodes/device_taints.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "devices/inventory/health.h"

namespace tutti::sim {
namespace {

using model::Device;
using model::DeviceResult;
using model::DeviceTaint;
using model::DeviceTaintRule;
using model::ResourceSlice;

constexpr std::string_view kNoExecute = "NoExecute";

bool ends_pods(const DeviceTaint& taint) { return taint.effect == kNoExecute; }

bool ends_pods(const ResourceSlice& slice) {
  return std::ranges::any_of(slice.devices, [](const Device& device) {
    return std::ranges::any_of(device.taints, [](const auto& taint) { return ends_pods(taint); });
  });
}

bool given_and_other(const std::optional<std::string>& wanted, const std::string& is) {
  return wanted && *wanted != is;
}

bool selects(const DeviceTaintRule& rule, const std::string& driver, const std::string& pool,
             const std::string& device) {
  return rule.selector && !given_and_other(rule.selector->driver, driver) &&
         !given_and_other(rule.selector->pool, pool) &&
         !given_and_other(rule.selector->device, device);
}

std::string place_of(const std::string& device, const DeviceTaint& taint) {
  return device + " " + devices::text_of(taint);
}

}  // namespace

bool selects(const DeviceTaintRule& rule, const DeviceResult& device) {
  return selects(rule, device.driver, device.pool, device.device);
}

std::optional<std::chrono::seconds> patience(const DeviceResult& device, DeviceTaint taint) {
  taint.effect = kNoExecute;
  std::optional<std::int64_t> shortest;
  for (const auto& toleration : device.tolerations) {
    if (!devices::tolerates(toleration, taint)) continue;
    if (!toleration.toleration_seconds) return std::nullopt;
    shortest = std::min(shortest.value_or(std::numeric_limits<std::int64_t>::max()),
                        *toleration.toleration_seconds);
  }
  return std::chrono::seconds(std::max<std::int64_t>(shortest.value_or(0), 0));
}

// --- what happened -------------------------------------------------------------------------------

bool DeviceTaints::observe(const store::WatchEvent& event) {
  switch (event.object().kind) {
    case model::Kind::resource_slice:
      return observe_slice(event);
    case model::Kind::device_taint_rule:
      return observe_rule(event);
    default:
      return false;
  }
}

// Driver and pool of a slice do not change.
bool DeviceTaints::observe_slice(const store::WatchEvent& event) {
  const auto& slice = model::as<ResourceSlice>(event.object());
  const std::string& name = slice.meta.name;
  Pool& pool = pools_[{slice.driver, slice.pool}];
  tainted_slices_ -= pool.tainted.size();
  const bool was_tainted = !pool.tainted.empty();
  pool.tainted.erase(name);
  pool.slices.erase(name);
  Dates dates;
  if (event.after) {
    pool.slices.emplace(name, std::static_pointer_cast<const ResourceSlice>(event.after));
    if (ends_pods(slice)) pool.tainted.insert(name);
    const Dates& known = slice_dates_[name];
    for (const Device& device : slice.devices) {
      for (const DeviceTaint& taint : device.taints) {
        if (!ends_pods(taint)) continue;
        const std::string place = place_of(device.name, taint);
        dates.emplace(place, date(taint, place, known));
      }
    }
  }
  if (dates.empty()) {
    slice_dates_.erase(name);
  } else {
    slice_dates_[name] = std::move(dates);
  }
  tainted_slices_ += pool.tainted.size();
  return was_tainted || !pool.tainted.empty();
}

bool DeviceTaints::observe_rule(const store::WatchEvent& event) {
  const auto rule_of = [](const model::ObjectPtr& object) {
    return object ? &model::as<DeviceTaintRule>(*object) : nullptr;
  };
  const auto* const before = rule_of(event.before);
  const auto* const after = rule_of(event.after);
  const std::string& name = event.object().meta.name;
  // Only its status changed: what its users are told comes from here.
  if (before && after && before->selector == after->selector && before->taint == after->taint) {
    rules_[name] = std::static_pointer_cast<const DeviceTaintRule>(event.after);
    return false;
  }
  if (before && ends_pods(before->taint)) --evicting_rules_;
  if (after && ends_pods(after->taint)) ++evicting_rules_;
  if (!after) {
    rules_.erase(name);
    rule_dates_.erase(name);
    return true;
  }
  const std::string place = place_of({}, after->taint);
  rule_dates_[name] = {{place, date(after->taint, place, rule_dates_[name])}};
  rules_[name] = std::static_pointer_cast<const DeviceTaintRule>(event.after);
  return true;
}

// A taint that does not say when it was added was added when it came. So was one that says so for
// another world: later than now, or before the start of a world that is no copy.
Instant DeviceTaints::date(const DeviceTaint& taint, const std::string& place,
                           const Dates& known) const {
  const Instant now = plane_.clock.now();
  const bool before_start = taint.added && *taint.added < plane_.clock.start();
  if (taint.added && *taint.added <= now && (plane_.copied || !before_start)) return *taint.added;
  const auto at = known.find(place);
  return at != known.end() ? at->second : now;
}

// --- what follows --------------------------------------------------------------------------------

std::int64_t DeviceTaints::Pool::generation() const {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (const auto& [name, slice] : slices) highest = std::max(highest, slice->generation);
  return highest;
}

std::optional<DeviceTaints::Deadline> DeviceTaints::deadline(const DeviceResult& result) const {
  std::optional<Deadline> first;
  const auto consider = [&](const DeviceTaint& taint, Instant since, const std::string& rule) {
    const auto time = patience(result, taint);
    if (!time) return;
    const Instant when = later(since, *time);
    if (first && first->when <= when) return;
    const std::string cause = fmt::format("{} on {}/{}/{}", devices::text_of(taint), result.driver,
                                          result.pool, result.device);
    first = Deadline{when, cause, rule};
  };
  const auto pool = pools_.find({result.driver, result.pool});
  if (pool != pools_.end() && !pool->second.tainted.empty()) {
    const std::int64_t generation = pool->second.generation();
    for (const std::string& name : pool->second.tainted) {
      const ResourceSlice& slice = *pool->second.slices.at(name);
      if (slice.generation != generation) continue;
      const auto device = std::ranges::find(slice.devices, result.device, &Device::name);
      if (device == slice.devices.end()) continue;
      for (const DeviceTaint& taint : device->taints) {
        if (!ends_pods(taint)) continue;
        consider(taint, slice_dates_.at(name).at(place_of(device->name, taint)), {});
      }
    }
  }
  for (const auto& [name, rule] : rules_) {
    if (!ends_pods(rule->taint) || !selects(*rule, result)) continue;
    consider(rule->taint, rule_dates_.at(name).begin()->second, name);
  }
  return first;
}

std::size_t DeviceTaints::published_under(const DeviceTaintRule& rule) const {
  std::size_t count = 0;
  for (const auto& [names, pool] : pools_) {
    const std::int64_t generation = pool.generation();
    for (const auto& [slice_name, slice] : pool.slices) {
      if (slice->generation != generation) continue;
      count += static_cast<std::size_t>(
          std::ranges::count_if(slice->devices, [&, &id = names](const Device& device) {
            return selects(rule, id.first, id.second, device.name);
          }));
    }
  }
  return count;
}

}  // namespace tutti::sim
