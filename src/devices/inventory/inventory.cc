#include "devices/inventory/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/check.h"

namespace tutti::devices {
namespace {

std::string joined(std::string_view a, std::string_view b) {
  return std::string(a).append("/").append(b);
}

bool selects(const model::DeviceTaintRule& rule, const Pool& pool, const std::string& device) {
  if (!rule.selector) return false;
  const auto fits = [](const std::optional<std::string>& wanted, const std::string& is) {
    return !wanted || *wanted == is;
  };
  return fits(rule.selector->driver, pool.driver) && fits(rule.selector->pool, pool.name) &&
         fits(rule.selector->device, device);
}

// Returns the slot of an attribute's name, with or without its domain.
std::size_t slot_of(std::string_view attribute) {
  const std::string_view name = attribute.substr(attribute.find('/') + 1);
  return std::hash<std::string_view>{}(name) % 4096;
}

}  // namespace

std::int64_t thousandths(const Quantity& quantity) { return quantity.milli(); }

PoolId Inventory::pool_id(std::string_view driver, std::string_view name) {
  const auto [at, fresh] = pool_ids_.try_emplace(joined(driver, name),
                                                 PoolId{static_cast<std::uint32_t>(pools_.size())});
  if (fresh) {
    auto& pool = pools_.emplace_back().pool;
    pool.driver = driver;
    pool.name = name;
  }
  return at->second;
}

DeviceId Inventory::device_id(std::string_view driver, std::string_view pool,
                              std::string_view device) {
  const PoolId of = pool_id(driver, pool);
  const auto [at, fresh] = device_ids_.try_emplace(
      joined(joined(driver, pool), device), DeviceId{static_cast<std::uint32_t>(devices_.size())});
  if (fresh) {
    auto& entry = devices_.emplace_back();
    entry.pool = of;
    entry.name = device;
  }
  return at->second;
}

std::string Inventory::text(DeviceId id) const {
  const Pool& pool = pool_of(id);
  return fmt::format("{}/{}/{}", pool.driver, pool.name, device(id).name);
}

ReachId Inventory::reach_of_node(std::string_view node) {
  const auto [at, fresh] = node_reaches_.try_emplace(
      std::string(node), ReachId{static_cast<std::uint32_t>(reaches_.size())});
  if (fresh) reaches_.push_back({model::DeviceReach::Kind::node, std::string(node), {}});
  return at->second;
}

ReachId Inventory::find_node_reach(const std::string& node) const {
  const auto known = node_reaches_.find(node);
  return known == node_reaches_.end() ? ReachId{} : known->second;
}

ReachId Inventory::intern(const model::DeviceReach& reach) {
  if (reach.kind == model::DeviceReach::Kind::node) return reach_of_node(reach.node);
  for (std::uint32_t i = 0; i < reaches_.size(); ++i) {
    if (reaches_[i].kind == reach.kind && reaches_[i].selector == reach.selector) return {i};
  }
  reaches_.push_back({reach.kind, {}, reach.selector});
  return {static_cast<std::uint32_t>(reaches_.size() - 1)};
}

std::vector<PoolId> Inventory::set_slice(SlicePtr slice) {
  const PoolId pool = pool_id(slice->driver, slice->pool);
  const std::string name = slice->meta.name;
  std::vector<PoolId> changed;
  if (const auto known = slices_.find(name); known != slices_.end()) {
    // Drivers may not move a slice to another pool, but nothing here relies on it.
    const PoolId before = pool_id(known->second->driver, known->second->pool);
    if (before != pool) changed = remove_slice(name);
  }
  slices_[name] = slice;
  pools_[pool.index].slices[name] = std::move(slice);
  rebuild(pool);
  changed.push_back(pool);
  return changed;
}

std::vector<PoolId> Inventory::remove_slice(const std::string& name) {
  const auto known = slices_.find(name);
  if (known == slices_.end()) return {};
  const PoolId pool = pool_id(known->second->driver, known->second->pool);
  TUTTI_CHECK(pools_[pool.index].slices.erase(name) == 1, "a slice is listed under its pool");
  slices_.erase(known);
  rebuild(pool);
  return {pool};
}

std::vector<PoolId> Inventory::pools_under(const model::DeviceTaintRule& rule) const {
  std::vector<PoolId> found;
  for (std::uint32_t i = 0; i < pools_.size(); ++i) {
    const Pool& pool = pools_[i].pool;
    if (std::ranges::any_of(pool.devices,
                            [&](DeviceId id) { return selects(rule, pool, device(id).name); })) {
      found.push_back({i});
    }
  }
  return found;
}

std::vector<PoolId> Inventory::set_rule(std::shared_ptr<const model::DeviceTaintRule> rule) {
  auto changed = remove_rule(rule->meta.name);
  for (const PoolId pool : pools_under(*rule)) {
    if (std::ranges::find(changed, pool) == changed.end()) changed.push_back(pool);
  }
  rules_[rule->meta.name] = std::move(rule);
  for (const PoolId pool : changed) rebuild(pool);
  return changed;
}

std::vector<PoolId> Inventory::remove_rule(const std::string& name) {
  const auto known = rules_.extract(name);
  if (known.empty()) return {};
  const auto changed = pools_under(*known.mapped());
  for (const PoolId pool : changed) rebuild(pool);
  return changed;
}

void Inventory::withdraw(PoolSlot& slot) {
  for (const DeviceId id : slot.pool.devices) {
    auto& entry = devices_[id.index];
    entry.device = nullptr;
    entry.charges.clear();
    entry.taints.clear();
    entry.unhealthy_rule.clear();
    selectors_.forget(id);
  }
  slot.pool.devices.clear();
  slot.pool.counters.clear();
  slot.pool.has_binding_conditions = false;
  slot.pool.problem.clear();
}

void Inventory::rebuild(PoolId id) {
  PoolSlot& slot = pools_[id.index];
  withdraw(slot);
  std::int64_t newest = -1;
  for (const auto& [name, slice] : slot.slices) newest = std::max(newest, slice->generation);
  std::vector<SlicePtr> current;
  for (const auto& [name, slice] : slot.slices) {
    if (slice->generation == newest) current.push_back(slice);
  }
  slot.pool.generation = newest;
  if (judge(slot, current)) {
    for (const auto& slice : current) {
      for (const auto& device : slice->devices) offer(id, *slice, device);
    }
  }
  note_trouble(id, current);
  list(id);
}

void Inventory::note_trouble(PoolId id, const std::vector<SlicePtr>& current) {
  std::erase(troubled_, id);
  std::vector<ReachId> reaches;
  if (pools_[id.index].pool.state != Pool::State::complete && !current.empty()) {
    troubled_.push_back(id);
    sort(troubled_);
    const auto add = [&](const model::DeviceReach& reach) {
      if (reach.kind == model::DeviceReach::Kind::unknown) return;
      const ReachId made = intern(reach);
      if (std::ranges::find(reaches, made) == reaches.end()) reaches.push_back(made);
    };
    for (const auto& slice : current) {
      if (slice->reach.kind != model::DeviceReach::Kind::per_device) {
        add(slice->reach);
        continue;
      }
      for (const auto& device : slice->devices) add(device.reach);
    }
  }
  pools_[id.index].pool.reaches = std::move(reaches);
}

// Whether the slices are the whole pool, and mean something together.
bool Inventory::judge(PoolSlot& slot, const std::vector<SlicePtr>& current) {
  Pool& pool = slot.pool;
  pool.state = Pool::State::incomplete;
  if (current.empty()) return false;
  const auto wanted = current.front()->slice_count;
  if (static_cast<std::int64_t>(current.size()) != wanted) {
    pool.problem =
        fmt::format("pool {} of driver {} is incomplete: {} of {} slices of generation {}",
                    pool.name, pool.driver, current.size(), wanted, pool.generation);
    return false;
  }
  pool.state = Pool::State::invalid;
  std::set<std::string_view> names;
  for (const auto& slice : current) {
    for (const auto& device : slice->devices) {
      if (names.insert(device.name).second) continue;
      pool.problem = fmt::format("pool {} of driver {} is invalid: device {} is published twice",
                                 pool.name, pool.driver, device.name);
      return false;
    }
  }
  if (!add_counters(pool, current)) return false;
  pool.state = Pool::State::complete;
  return true;
}

bool Inventory::add_counters(Pool& pool, const std::vector<SlicePtr>& current) {
  std::set<std::string_view> sets;
  for (const auto& slice : current) {
    for (const auto& set : slice->shared_counters) {
      if (!sets.insert(set.name).second) {
        pool.problem =
            fmt::format("pool {} of driver {} is invalid: counter set {} is published twice",
                        pool.name, pool.driver, set.name);
        return false;
      }
      for (const auto& [name, amount] : set.counters) {
        pool.counters.push_back({set.name, name, thousandths(amount)});
      }
    }
  }
  std::ranges::sort(pool.counters, {},
                    [](const Counter& counter) { return std::tie(counter.set, counter.name); });
  std::vector<Charge> ignored;
  for (const auto& slice : current) {
    for (const auto& device : slice->devices) {
      if (!charge(pool, device, ignored)) {
        pool.problem = fmt::format(
            "pool {} of driver {} is invalid: device {} consumes a counter that is not published",
            pool.name, pool.driver, device.name);
        return false;
      }
    }
  }
  return true;
}

bool Inventory::charge(const Pool& pool, const model::Device& device,
                       std::vector<Charge>& charges) {
  for (const auto& set : device.consumes) {
    for (const auto& [name, amount] : set.counters) {
      const auto wanted = std::tie(set.name, name);
      const auto at = std::ranges::lower_bound(
          pool.counters, wanted, {},
          [](const Counter& counter) { return std::tie(counter.set, counter.name); });
      if (at == pool.counters.end() || std::tie(at->set, at->name) != wanted) return false;
      if (amount.zero()) continue;
      charges.push_back(
          {static_cast<std::uint32_t>(at - pool.counters.begin()), thousandths(amount)});
    }
  }
  std::ranges::sort(charges, {}, &Charge::counter);
  return true;
}

bool Inventory::may_publish(std::string_view attribute_name) const {
  return attribute_names_.test(slot_of(attribute_name));
}

void Inventory::offer(PoolId id, const model::ResourceSlice& slice, const model::Device& device) {
  const bool own = slice.reach.kind == model::DeviceReach::Kind::per_device;
  const auto& reach = own ? device.reach : slice.reach;
  if (reach.kind == model::DeviceReach::Kind::unknown ||
      reach.kind == model::DeviceReach::Kind::per_device) {
    return;  // usable from nowhere we know of
  }
  Pool& pool = pools_[id.index].pool;
  const DeviceId made = device_id(pool.driver, pool.name, device.name);
  auto& entry = devices_[made.index];
  TUTTI_CHECK(entry.device == nullptr, "a device is offered twice");
  entry.device = &device;
  entry.reach = intern(reach);
  entry.taints = device.taints;
  TUTTI_CHECK(charge(pool, device, entry.charges), "a pool that was judged has every counter");
  apply_rules(entry);
  for (const auto& attribute : device.attributes) attribute_names_.set(slot_of(attribute.name));
  pools_[id.index].pool.devices.push_back(made);
  pools_[id.index].pool.has_binding_conditions |= !device.binding_conditions.empty();
}

void Inventory::apply_rules(DeviceEntry& entry) {
  const Pool& pool = pools_[entry.pool.index].pool;
  for (const auto& [name, rule] : rules_) {
    if (!selects(*rule, pool, entry.name)) continue;
    entry.taints.push_back(rule->taint);
    if (rule->taint.effect != "None" && entry.unhealthy_rule.empty()) entry.unhealthy_rule = name;
  }
}

// Brings the lists of pools per node, and of wide pools, up to date with this pool.
void Inventory::list(PoolId id) {
  PoolSlot& slot = pools_[id.index];
  for (const ReachId node : slot.listed_at) {
    TUTTI_CHECK(std::erase(local_[node], id) == 1, "a pool is listed once at each of its nodes");
  }
  if (!slot.listed_wide.empty()) {
    TUTTI_CHECK(std::erase(wide_, id) == 1, "a pool is listed once among the wide");
  }
  const auto note_changed = [&] {
    changed_reaches_.insert(slot.listed_at.begin(), slot.listed_at.end());
    changed_reaches_.insert(slot.listed_wide.begin(), slot.listed_wide.end());
  };
  note_changed();
  slot.listed_at.clear();
  slot.listed_wide.clear();
  for (const DeviceId device : slot.pool.devices) {
    const ReachId reach = devices_[device.index].reach;
    auto& listed = is_wide(reach) ? slot.listed_wide : slot.listed_at;
    if (std::ranges::find(listed, reach) == listed.end()) listed.push_back(reach);
  }
  for (const ReachId node : slot.listed_at) {
    local_[node].push_back(id);
    sort(local_[node]);
  }
  note_changed();
  if (slot.listed_wide.empty()) return;
  wide_.push_back(id);
  sort(wide_);
}

bool Inventory::before(PoolId a, PoolId b) const {
  const auto rank = [&](PoolId id) {
    const Pool& of = pools_[id.index].pool;
    return std::tuple(of.has_binding_conditions, std::string_view(of.driver),
                      std::string_view(of.name));
  };
  return rank(a) < rank(b);
}

void Inventory::sort(std::vector<PoolId>& pools) const {
  std::ranges::sort(pools, [&](PoolId a, PoolId b) { return before(a, b); });
}

std::span<const PoolId> Inventory::pools_at(ReachId node) const {
  const auto at = local_.find(node);
  if (at == local_.end()) return {};
  return at->second;
}

}  // namespace tutti::devices
