#include "devices/allocation/result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/digest.h"

namespace tutti::devices {
namespace {

// In the form of a random (version 4) UUID, out of what makes the share what it is.
std::string share_id(std::string_view uid, std::string_view device, std::size_t index) {
  Digest digest;
  digest.add(uid);
  digest.add(device);
  digest.add(std::uint64_t{index});
  const std::uint64_t high = digest.value();
  digest.add(std::uint64_t{1});
  const std::uint64_t low = digest.value();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffff'ffff'ffff);
}

Quantity quantity_of(std::int64_t milli, const model::DeviceCapacity* published) {
  // In the driver's own family: 6Gi of 24Gi, not 6442450944.
  constexpr std::int64_t kKibi = std::int64_t{1000} * 1024;
  const bool binary = published != nullptr && published->value.text().ends_with('i');
  if (!binary || milli % kKibi != 0) return Quantity::from_milli(milli);
  return *Quantity::parse(fmt::format("{}Ki", milli / kKibi));
}

model::NamedAmounts consumed(const model::Device& device, const Amounts& amounts) {
  model::NamedAmounts out;
  for (const auto& [name, milli] : amounts) {
    const auto at = std::ranges::find(device.capacity, name, &model::DeviceCapacity::name);
    out.emplace_back(name, quantity_of(milli, at == device.capacity.end() ? nullptr : &*at));
  }
  std::ranges::sort(out, {}, &std::pair<std::string, Quantity>::first);
  return out;
}

model::DeviceResult result_of(const Inventory& inventory, const ClaimPlan& plan, const Pick& pick,
                              std::string_view uid, std::size_t index) {
  TUTTI_CHECK(
      pick.request < plan.requests.size() && pick.wish < plan.requests[pick.request].wishes.size(),
      "a device was granted by another plan");
  const WishPlan& wish = plan.requests[pick.request].wishes[pick.wish];
  const DeviceEntry& entry = inventory.device(pick.hold.device);
  TUTTI_CHECK(entry.device != nullptr, "a device is given that is not on offer");
  const Pool& pool = inventory.pool(entry.pool);
  model::DeviceResult result;
  result.request = wish.name;
  result.driver = pool.driver;
  result.pool = pool.name;
  result.device = entry.name;
  result.admin_access = pick.admin;
  result.tolerations = wish.tolerations;
  result.binding_conditions = entry.device->binding_conditions;
  result.binding_failure_conditions = entry.device->binding_failure_conditions;
  if (pick.hold.share) {
    result.share_id = share_id(uid, inventory.text(pick.hold.device), index);
    result.consumed_capacity = consumed(*entry.device, pick.hold.consumed);
  }
  return result;
}

// Every request the config is for: none listed means all.
void add_config(model::Allocation& allocation, std::string source,
                std::vector<std::string> requests, const model::OpaqueConfig& opaque,
                std::size_t all) {
  if (requests.size() == all) requests.clear();
  allocation.config.push_back({std::move(source), std::move(requests), opaque});
}

void add_configs(model::Allocation& allocation, const PlanTable& plans, const ClaimPlan& plan,
                 const Grant& grant) {
  std::vector<const WishPlan*> chosen(plan.requests.size(), nullptr);
  for (const Pick& pick : grant) {
    chosen[pick.request] = &plan.requests[pick.request].wishes[pick.wish];
  }
  std::erase(chosen, nullptr);
  std::vector<std::string> classes;
  for (const WishPlan* wish : chosen) {
    if (std::ranges::find(classes, wish->device_class) == classes.end()) {
      classes.push_back(wish->device_class);
    }
  }
  for (const auto& name : classes) {
    const model::DeviceClass* of = plans.find_class(name);
    if (of == nullptr) continue;
    for (const auto& opaque : of->config) {
      std::vector<std::string> requests;
      for (const WishPlan* wish : chosen) {
        if (wish->device_class == name) requests.push_back(wish->name);
      }
      add_config(allocation, "FromClass", std::move(requests), opaque, plan.requests.size());
    }
  }
  for (const auto& config : plan.spec.config) {
    const auto applies = [&](const std::string& name) {
      return std::ranges::any_of(chosen, [&](const WishPlan* wish) {
        return wish->name == name || wish->name.starts_with(name + "/");
      });
    };
    if (config.requests.empty() || std::ranges::any_of(config.requests, applies)) {
      add_config(allocation, "FromClaim", config.requests, config.opaque, plan.requests.size());
    }
  }
}

std::optional<std::vector<model::NodeSelectorTerm>> selector_of(const Inventory& inventory,
                                                                const Grant& grant,
                                                                std::string_view node) {
  model::NodeSelectorTerm all;
  const auto merge = [](std::vector<model::Requirement>& into,
                        const std::vector<model::Requirement>& more) {
    for (const auto& requirement : more) {
      if (std::ranges::find(into, requirement) == into.end()) into.push_back(requirement);
    }
  };
  for (const Pick& pick : grant) {
    const DeviceEntry& entry = inventory.device(pick.hold.device);
    const Reach& reach = inventory.reach(entry.reach);
    if (reach.kind == model::DeviceReach::Kind::node || entry.device->binds_to_node) {
      model::NodeSelectorTerm pinned;
      pinned.match_fields.push_back(
          {"metadata.name", model::Requirement::Operator::in, {std::string(node)}});
      return std::vector{pinned};
    }
    for (const auto& term : reach.selector) {
      merge(all.match_expressions, term.match_expressions);
      merge(all.match_fields, term.match_fields);
    }
  }
  if (all.match_expressions.empty() && all.match_fields.empty()) return std::nullopt;
  return std::vector{all};
}

}  // namespace

model::Allocation allocation_of(const Inventory& inventory, const PlanTable& plans,
                                const ClaimPlan& plan, const Grant& grant, std::string_view node,
                                std::string_view uid) {
  model::Allocation allocation;
  for (std::size_t i = 0; i < grant.size(); ++i) {
    allocation.results.push_back(result_of(inventory, plan, grant[i], uid, i));
  }
  add_configs(allocation, plans, plan, grant);
  allocation.node_selector = selector_of(inventory, grant, node);
  return allocation;
}

std::vector<Hold> holds_of(Inventory& inventory, const model::Allocation& allocation) {
  std::vector<Hold> holds;
  for (const auto& result : allocation.results) {
    if (result.admin_access) continue;
    Hold hold;
    hold.device = inventory.device_id(result.driver, result.pool, result.device);
    hold.share = !result.share_id.empty();
    for (const auto& [name, amount] : result.consumed_capacity) {
      hold.consumed.emplace_back(name, thousandths(amount));
    }
    holds.push_back(std::move(hold));
  }
  return holds;
}

}  // namespace tutti::devices
