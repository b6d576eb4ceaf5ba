#include "devices/inventory/attributes.h"

#include <algorithm>

namespace tutti::devices {
namespace {

struct TextCollector {
  std::vector<std::string>& out;
  void operator()(std::monostate) const {}
  void operator()(std::int64_t value) const { out.push_back(std::to_string(value)); }
  void operator()(bool value) const { out.emplace_back(value ? "true" : "false"); }
  void operator()(const std::string& value) const {
    if (!value.empty()) out.push_back(value);
  }
  void operator()(const model::VersionText& value) const { (*this)(value.text); }
  void operator()(const std::vector<bool>& values) const {
    for (const bool value : values) (*this)(value);
  }
  template <typename T>
  void operator()(const std::vector<T>& values) const {
    for (const T& value : values) (*this)(value);
  }
};

void add_values(const Inventory& inventory, DeviceId device, std::string_view attribute,
                std::vector<std::string>& values) {
  const DeviceEntry& entry = inventory.device(device);
  const auto* value = find_attribute(*entry.device, inventory.pool(entry.pool).driver, attribute);
  if (value != nullptr) std::visit(TextCollector{values}, *value);
}

std::vector<std::string> in_order(std::vector<std::string> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

const model::AttributeValue* find_attribute(const model::Device& device, std::string_view driver,
                                            std::string_view attribute) {
  const auto look_up = [&](std::string_view name) -> const model::AttributeValue* {
    const auto& all = device.attributes;
    const auto at = std::ranges::lower_bound(all, name, {}, [](const model::DeviceAttribute& each) {
      return std::string_view(each.name);
    });
    return at != all.end() && at->name == name ? &at->value : nullptr;
  };
  if (const auto* exact = look_up(attribute)) return exact;
  const std::size_t slash = attribute.find('/');
  if (slash == std::string_view::npos || attribute.substr(0, slash) != driver) return nullptr;
  return look_up(attribute.substr(slash + 1));
}

std::vector<std::string> values_of(const Inventory& inventory, DeviceId device,
                                   std::string_view attribute) {
  std::vector<std::string> values;
  add_values(inventory, device, attribute, values);
  return in_order(std::move(values));
}

std::vector<std::string> values_at(const Inventory& inventory, ReachId node,
                                   std::string_view attribute) {
  std::vector<std::string> values;
  for (const PoolId pool : inventory.pools_at(node)) {
    for (const DeviceId device : inventory.pool(pool).devices) {
      if (inventory.device(device).reach != node) continue;
      add_values(inventory, device, attribute, values);
    }
  }
  return in_order(std::move(values));
}

std::map<ReachId, std::vector<std::string>> wide_values(const Inventory& inventory,
                                                        std::string_view attribute) {
  std::map<ReachId, std::vector<std::string>> found;
  for (const PoolId pool : inventory.wide_pools()) {
    for (const DeviceId device : inventory.pool(pool).devices) {
      const ReachId reach = inventory.device(device).reach;
      if (inventory.is_wide(reach)) add_values(inventory, device, attribute, found[reach]);
    }
  }
  for (auto& [reach, values] : found) values = in_order(std::move(values));
  std::erase_if(found, [](const auto& each) { return each.second.empty(); });
  return found;
}

}  // namespace tutti::devices
