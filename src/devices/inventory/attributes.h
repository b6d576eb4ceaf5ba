// Attributes of devices by their full names, and what all devices of a node say of one.
#pragma once

#include <map>

#include "base/std.h"
#include "devices/inventory/ids.h"
#include "devices/inventory/inventory.h"
#include "model/device.h"

namespace tutti::devices {

// `attribute` is fully qualified; a bare name of the device counts where the domain is its
// driver's. Null: the device lacks it.
const model::AttributeValue* find_attribute(const model::Device& device, std::string_view driver,
                                            std::string_view attribute);

// The values of the attribute that a device on offer has, as texts, in order, each once. An empty
// text is no value.
std::vector<std::string> values_of(const Inventory& inventory, DeviceId device,
                                   std::string_view attribute);
// Returns the values that the node's own devices have.
std::vector<std::string> values_at(const Inventory& inventory, ReachId node,
                                   std::string_view attribute);
// Returns the values of devices that several nodes may use, by reach; only reaches that have some.
std::map<ReachId, std::vector<std::string>> wide_values(const Inventory& inventory,
                                                        std::string_view attribute);

}  // namespace tutti::devices
