#include "devices/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tutti::devices {
namespace {

const model::AttributeValue* find(const DeviceEntry& entry, const std::string& driver,
                                  const std::string& attribute) {
  const auto look_up = [&](std::string_view name) -> const model::AttributeValue* {
    const auto& all = entry.device->attributes;
    const auto at = std::ranges::lower_bound(all, name, {}, [](const model::DeviceAttribute& each) {
      return std::string_view(each.name);
    });
    return at != all.end() && at->name == name ? &at->value : nullptr;
  };
  if (const auto* exact = look_up(attribute)) return exact;
  const std::size_t slash = attribute.find('/');
  if (slash == std::string::npos || attribute.substr(0, slash) != driver) return nullptr;
  return look_up(std::string_view(attribute).substr(slash + 1));
}

// Values of one type and content have one text.
struct Texts {
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

}  // namespace

ValueSet AttributeTable::work_out(const std::string& attribute, DeviceId device) {
  const DeviceEntry& entry = inventory_.device(device);
  const auto* value = find(entry, inventory_.pool(entry.pool).driver, attribute);
  if (value == nullptr) return {};
  Texts texts;
  std::visit([&](const auto& held) { texts(held); }, *value);
  ValueSet set;
  for (const auto& text : texts.out) set.push_back(interned_.intern(text));
  std::ranges::sort(set);
  return set;
}

const ValueSet& AttributeTable::values(const std::string& attribute, DeviceId device) {
  Column& column = columns_[attribute];
  if (column.values.size() <= device.index) {
    column.values.resize(device.index + std::size_t{1});
    column.known.resize(device.index + std::size_t{1}, false);
  }
  if (!column.known[device.index]) {
    column.values[device.index] = work_out(attribute, device);
    column.known[device.index] = true;
  }
  return column.values[device.index];
}

void AttributeTable::forget(DeviceId device) {
  for (auto& [name, column] : columns_) {
    if (device.index < column.known.size()) column.known[device.index] = false;
  }
}

ConstraintState::ConstraintState(const ClaimPlan& plan, AttributeTable& attributes)
    : attributes_(attributes) {
  for (const auto& constraint : plan.constraints) all_.push_back({&constraint, {}});
}

bool ConstraintState::push(One& one, DeviceId device) {
  const ValueSet& own = attributes_.values(one.plan->attribute, device);
  if (own.empty()) return false;
  if (one.plan->distinct) {
    const bool clash = std::ranges::any_of(
        one.steps, [&](const ValueSet& other) { return !common(other, own).empty(); });
    if (clash) return false;
    one.steps.push_back(own);
    return true;
  }
  ValueSet left = one.steps.empty() ? own : common(one.steps.back(), own);
  if (left.empty()) return false;
  one.steps.push_back(std::move(left));
  return true;
}

int ConstraintState::add(std::size_t request, std::size_t wish, DeviceId device) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (!applies(all_[i], request, wish) || push(all_[i], device)) continue;
    for (std::size_t done = 0; done < i; ++done) {
      if (applies(all_[done], request, wish)) all_[done].steps.pop_back();
    }
    return static_cast<int>(i);
  }
  return -1;
}

void ConstraintState::remove(std::size_t request, std::size_t wish) {
  for (auto& one : all_) {
    if (applies(one, request, wish)) one.steps.pop_back();
  }
}

}  // namespace tutti::devices
