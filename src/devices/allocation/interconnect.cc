#include "devices/allocation/interconnect.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::devices {

void InterconnectTable::devices_changed() {
  columns_.clear();
  held_.clear();
  in_use_.clear();
  touched_.clear();
  ++version_;
}

void InterconnectTable::touch(DeviceId device) {
  if (!held_.empty()) touched_.push_back(device);
}

SpanId InterconnectTable::of(AttributeId attribute, DeviceId device) {
  if (!attribute.valid()) return {};
  if (columns_.size() <= attribute.index || !columns_[attribute.index].known) build(attribute);
  const auto& known = columns_[attribute.index].of_device;
  return device.index < known.size() ? known[device.index] : SpanId{};
}

// Values that only one node has are no spans.
void InterconnectTable::build(AttributeId attribute) {
  settle();
  if (columns_.size() <= attribute.index) columns_.resize(attribute.index + std::size_t{1});
  Column& column = columns_[attribute.index];
  column.known = true;
  struct Value {
    ReachId first;
    bool several = false;
    SpanId span;
  };
  std::unordered_map<std::uint32_t, Value> values;
  const auto each = [&](auto&& body) {
    for (std::uint32_t i = 0; i < inventory_.device_count(); ++i) {
      const DeviceEntry& entry = inventory_.device({i});
      if (entry.device == nullptr || inventory_.is_wide(entry.reach)) continue;
      const std::uint32_t value = attributes_.domain(attribute, {i});
      if (value != kNoIndex) body(DeviceId{i}, entry.reach, value);
    }
  };
  each([&](DeviceId, ReachId reach, std::uint32_t value) {
    const auto [at, fresh] = values.try_emplace(value, Value{reach, false, {}});
    at->second.several = at->second.several || at->second.first != reach;
  });
  each([&](DeviceId device, ReachId, std::uint32_t value) {
    Value& known = values.at(value);
    if (!known.several) return;
    if (!known.span.valid()) {
      known.span = {static_cast<std::uint32_t>(held_.size())};
      held_.push_back(0);
    }
    column.of_device.resize(inventory_.device_count());
    column.of_device[device.index] = known.span;
    in_use_.resize(inventory_.device_count());
    in_use_[device.index] = ledger_.held(device);
    if (in_use_[device.index]) ++held_[known.span.index];
  });
}

void InterconnectTable::count(DeviceId device, std::int64_t sign) {
  for (const Column& column : columns_) {
    if (device.index >= column.of_device.size()) continue;
    const SpanId span = column.of_device[device.index];
    if (!span.valid()) continue;
    const bool before = held_[span.index] > 0;
    held_[span.index] += sign;
    TUTTI_CHECK(held_[span.index] >= 0, "a span loses a device that nobody held");
    if (before != (held_[span.index] > 0)) ++version_;
  }
}

void InterconnectTable::settle() {
  for (const DeviceId device : touched_) {
    const bool now = ledger_.held(device);
    if (device.index >= in_use_.size() || in_use_[device.index] == now) continue;
    in_use_[device.index] = now;
    count(device, now ? +1 : -1);
  }
  touched_.clear();
}

bool InterconnectTable::untouched(SpanId span) {
  settle();
  TUTTI_CHECK(span.index < held_.size(), "a span of devices that have changed since");
  return held_[span.index] == 0;
}

std::uint64_t InterconnectTable::version() {
  settle();
  return version_;
}

std::string InterconnectTable::check() const {
  std::vector<std::int64_t> counted(held_.size(), 0);
  for (const Column& column : columns_) {
    for (std::uint32_t i = 0; i < column.of_device.size(); ++i) {
      // What was touched since is counted when somebody asks.
      const bool pending = std::ranges::find(touched_, DeviceId{i}) != touched_.end();
      const bool held = pending ? in_use_[i] : ledger_.held({i});
      if (column.of_device[i].valid() && held) ++counted[column.of_device[i].index];
    }
  }
  return counted == held_ ? std::string() : "the use of spanning domains differs after a rebuild";
}

}  // namespace tutti::devices
