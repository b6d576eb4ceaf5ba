// CelDevice: what a selector can see of one device, in the form CEL reads it.
//
//   device.driver                            string
//   device.attributes["domain"].id           int, bool, string, version (semver) or a list of one
//   device.capacity["domain"].id             quantity
//   device.allowMultipleAllocations          bool
//
// A name without a domain belongs to the driver's. A domain that the device knows nothing of is an
// empty map; an id that it lacks is a fault when an expression asks for it.
#pragma once

#include <deque>

#include "base/std.h"
#include "cel/cel.h"
#include "cel/value/semver.h"
#include "model/device.h"

namespace tutti::devices {

// A sorted map from text that owns its keys by reference.
class DeviceMap final : public cel::Map {
 public:
  void add(std::string_view key, cel::Value value) { entries_.emplace_back(key, value); }
  void sort();
  // Answers for keys that are not there, in place of nothing.
  void answer_missing_with(cel::Value value) { missing_ = value; }

  cel::Value find(const cel::Value& key) const override;
  bool contains(const cel::Value& key) const override;
  std::size_t size() const override { return entries_.size(); }
  cel::Value key(std::size_t index) const override;
  cel::Value value(std::size_t index) const override { return entries_[index].second; }
  std::string_view type_name() const override { return "kubernetes.DRADevice"; }

 private:
  const cel::Value* look_up(const cel::Value& key) const;

  std::vector<std::pair<std::string_view, cel::Value>> entries_;
  cel::Value missing_;
};

class DeviceList final : public cel::List {
 public:
  void add(cel::Value value) { items_.push_back(value); }
  std::size_t size() const override { return items_.size(); }
  cel::Value at(std::size_t index) const override { return items_[index]; }

 private:
  std::vector<cel::Value> items_;
};

class CelDevice {
 public:
  // The device must outlive the facts.
  CelDevice(std::string driver, const model::Device& device);
  CelDevice(const CelDevice&) = delete;
  CelDevice& operator=(const CelDevice&) = delete;

  cel::Value value() const { return cel::Value::object(root_); }

 private:
  cel::Value value_of(const model::AttributeValue& value);
  cel::Value version(const std::string& text);
  // The inner map of a domain, made when it is first named.
  DeviceMap& domain(std::deque<std::pair<std::string_view, DeviceMap>>& domains,
                    std::string_view name) const;

  const std::string driver_;
  DeviceMap root_;
  DeviceMap attributes_;
  DeviceMap capacity_;
  DeviceMap nothing_;
  std::deque<std::pair<std::string_view, DeviceMap>> attribute_domains_;
  std::deque<std::pair<std::string_view, DeviceMap>> capacity_domains_;
  std::deque<cel::Semver> versions_;
  std::deque<DeviceList> lists_;
};

}  // namespace tutti::devices
