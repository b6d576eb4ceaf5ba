#include "devices/allocation/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "devices/inventory/attributes.h"

namespace tutti::devices {
namespace {

constexpr std::string_view kAnyDomain = "*/";

// The name behind the domain, or all of it where there is none.
std::string_view bare(std::string_view attribute) {
  const std::size_t slash = attribute.find('/');
  return slash == std::string_view::npos ? attribute : attribute.substr(slash + 1);
}

const model::AttributeValue* find_any(const model::Device& device, std::string_view name) {
  const auto& all = device.attributes;
  const auto at = std::ranges::find(all, name, [](const auto& each) { return bare(each.name); });
  return at != all.end() ? &at->value : nullptr;
}

const model::AttributeValue* find(const model::Device& device, const std::string& driver,
                                  const std::string& attribute) {
  if (attribute.starts_with(kAnyDomain)) return find_any(device, bare(attribute));
  return find_attribute(device, driver, attribute);
}

// Values of one type and content have one text.
struct AttributeTexts {
  std::vector<std::string> out;
  void operator()(std::monostate) {}
  void operator()(std::int64_t value) { out.push_back(fmt::format("i{}", value)); }
  void operator()(bool value) { out.push_back(value ? "bt" : "bf"); }
  void operator()(const std::string& value) { out.push_back("s" + value); }
  void operator()(const model::VersionText& value) { out.push_back("v" + value.text); }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    for (const T& value : values) (*this)(value);
  }
  void operator()(const std::vector<bool>& values) {
    for (const bool value : values) (*this)(value);
  }
};

ValueSet common(const ValueSet& a, const ValueSet& b) {
  ValueSet out;
  std::ranges::set_intersection(a, b, std::back_inserter(out));
  return out;
}

bool meet(const ValueSet& a, const ValueSet& b) {
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    if (*left == *right) return true;
    *left < *right ? ++left : ++right;
  }
  return false;
}

}  // namespace

ValueSet AttributeTable::work_out(const std::string& attribute, DeviceId device) {
  const DeviceEntry& entry = inventory_.device(device);
  const auto* value = find(*entry.device, inventory_.pool(entry.pool).driver, attribute);
  if (value == nullptr) return {};
  AttributeTexts texts;
  std::visit([&](const auto& held) { texts(held); }, *value);
  ValueSet set;
  for (const auto& text : texts.out) set.push_back(interned_.intern(text));
  std::ranges::sort(set);
  return set;
}

AttributeId AttributeTable::id(const std::string& attribute) {
  const auto [at, fresh] =
      ids_.try_emplace(attribute, AttributeId{static_cast<std::uint32_t>(columns_.size())});
  if (fresh) columns_.push_back({attribute, {}, {}});
  return at->second;
}

std::vector<AttributeId> AttributeTable::ids(std::span<const std::string> attributes) {
  std::vector<AttributeId> made;
  for (const auto& attribute : attributes) {
    made.push_back(inventory_.may_publish(bare(attribute)) ? id(attribute) : AttributeId{});
  }
  return made;
}

const ValueSet& AttributeTable::values(AttributeId attribute, DeviceId device) {
  Column& column = columns_[attribute.index];
  if (column.values.size() <= device.index) {
    column.values.resize(device.index + std::size_t{1});
    column.known.resize(device.index + std::size_t{1}, false);
  }
  if (!column.known[device.index]) {
    column.values[device.index] = work_out(column.attribute, device);
    column.known[device.index] = true;
  }
  return column.values[device.index];
}

void AttributeTable::forget(DeviceId device) {
  for (auto& column : columns_) {
    if (device.index < column.known.size()) column.known[device.index] = false;
  }
}

ConstraintState::ConstraintState(const ClaimPlan& plan, AttributeTable& attributes)
    : attributes_(attributes) {
  for (const auto& constraint : plan.constraints) all_.push_back({&constraint, {}});
}

bool ConstraintState::breaks(const One& one, DeviceId device) const {
  const ValueSet& own = attributes_.values(one.plan->attribute, device);
  if (own.empty()) return true;
  if (one.plan->distinct) {
    return std::ranges::any_of(one.steps, [&](const ValueSet& other) { return meet(other, own); });
  }
  return !one.steps.empty() && !meet(one.steps.back(), own);
}

void ConstraintState::push(One& one, DeviceId device) {
  const ValueSet& own = attributes_.values(one.plan->attribute, device);
  const bool narrows = !one.plan->distinct && !one.steps.empty();
  one.steps.push_back(narrows ? common(one.steps.back(), own) : own);
}

int ConstraintState::add(std::size_t request, std::size_t wish, DeviceId device) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (applies(all_[i], request, wish) && breaks(all_[i], device)) return static_cast<int>(i);
  }
  for (One& one : all_) {
    if (applies(one, request, wish)) push(one, device);
  }
  return -1;
}

bool ConstraintState::allows(std::size_t request, std::size_t wish, DeviceId device) const {
  return std::ranges::none_of(
      all_, [&](const One& one) { return applies(one, request, wish) && breaks(one, device); });
}

void ConstraintState::remove(std::size_t request, std::size_t wish) {
  for (auto& one : all_) {
    if (applies(one, request, wish)) one.steps.pop_back();
  }
}

}  // namespace tutti::devices
