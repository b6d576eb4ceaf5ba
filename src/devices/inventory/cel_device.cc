#include "devices/inventory/cel_device.h"

#include <algorithm>

namespace tutti::devices {

void DeviceMap::sort() {
  std::ranges::sort(entries_, {}, [](const auto& entry) { return entry.first; });
}

const cel::Value* DeviceMap::look_up(const cel::Value& key) const {
  if (!key.is(cel::Kind::string)) return nullptr;
  const auto at = std::ranges::lower_bound(entries_, key.as_text(), {},
                                           [](const auto& entry) { return entry.first; });
  return at != entries_.end() && at->first == key.as_text() ? &at->second : nullptr;
}

cel::Value DeviceMap::find(const cel::Value& key) const {
  const cel::Value* found = look_up(key);
  if (found != nullptr) return *found;
  return key.is(cel::Kind::string) ? missing_ : cel::Value{};
}

bool DeviceMap::contains(const cel::Value& key) const { return look_up(key) != nullptr; }

cel::Value DeviceMap::key(std::size_t index) const {
  return cel::Value::string(entries_[index].first);
}

namespace {

// "example.com/type" is id "type" of domain "example.com"; "type" is of the driver's own.
std::pair<std::string_view, std::string_view> split(std::string_view name,
                                                    std::string_view driver) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

}  // namespace

DeviceMap& CelDevice::domain(std::deque<std::pair<std::string_view, DeviceMap>>& domains,
                             std::string_view name) const {
  for (auto& [known, map] : domains) {
    if (known == name) return map;
  }
  return domains.emplace_back(name, DeviceMap{}).second;
}

CelDevice::CelDevice(std::string driver, const model::Device& device) : driver_(std::move(driver)) {
  for (const auto& attribute : device.attributes) {
    const auto [in, id] = split(attribute.name, driver_);
    domain(attribute_domains_, in).add(id, value_of(attribute.value));
  }
  for (const auto& entry : device.capacity) {
    const auto [in, id] = split(entry.name, driver_);
    domain(capacity_domains_, in).add(id, cel::Value::quantity(entry.value));
  }
  const auto finish = [&](auto& domains, DeviceMap& outer) {
    for (auto& [name, inner] : domains) {
      inner.sort();
      outer.add(name, cel::Value::map(inner));
    }
    outer.sort();
    outer.answer_missing_with(cel::Value::map(nothing_));
  };
  finish(attribute_domains_, attributes_);
  finish(capacity_domains_, capacity_);
  root_.add("driver", cel::Value::string(driver_));
  root_.add("attributes", cel::Value::map(attributes_));
  root_.add("capacity", cel::Value::map(capacity_));
  root_.add("allowMultipleAllocations", cel::Value::boolean(device.allow_multiple));
  root_.sort();
}

cel::Value CelDevice::version(const std::string& text) {
  const auto parsed = cel::Semver::parse(text);
  if (!parsed.ok()) return cel::Value::string(text);
  return cel::Value::semver(versions_.emplace_back(*parsed));
}

cel::Value CelDevice::value_of(const model::AttributeValue& value) {
  const auto list_of = [&](const auto& items, auto&& make) {
    DeviceList& list = lists_.emplace_back();
    for (const auto& item : items) list.add(make(item));
    return cel::Value::list(list);
  };
  struct Visitor {
    CelDevice& facts;
    decltype(list_of)& list;
    cel::Value operator()(std::monostate) const { return cel::Value::null(); }
    cel::Value operator()(std::int64_t number) const { return cel::Value::integer(number); }
    cel::Value operator()(bool flag) const { return cel::Value::boolean(flag); }
    cel::Value operator()(const std::string& text) const { return cel::Value::string(text); }
    cel::Value operator()(const model::VersionText& v) const { return facts.version(v.text); }
    cel::Value operator()(const std::vector<std::int64_t>& items) const {
      return list(items, [](std::int64_t item) { return cel::Value::integer(item); });
    }
    cel::Value operator()(const std::vector<bool>& items) const {
      return list(items, [](bool item) { return cel::Value::boolean(item); });
    }
    cel::Value operator()(const std::vector<std::string>& items) const {
      return list(items, [](const std::string& item) { return cel::Value::string(item); });
    }
    cel::Value operator()(const std::vector<model::VersionText>& items) const {
      return list(items, [this](const model::VersionText& v) { return facts.version(v.text); });
    }
  };
  return std::visit(Visitor{*this, list_of}, value);
}

}  // namespace tutti::devices
