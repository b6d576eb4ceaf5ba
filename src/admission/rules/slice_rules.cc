// Rules of ResourceSlice: what a driver may publish.
#include <algorithm>
#include <set>

#include "admission/checks/checks.h"
#include "admission/checks/selector_rules.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

using model::Device;
using model::DeviceReach;
using model::ResourceSlice;

constexpr std::size_t kSliceDevicesMax = 128;
// For slices whose devices have taints, consume counters or have attributes with several values.
constexpr std::size_t kElaborateDevicesMax = 64;
constexpr std::size_t kPropertiesMax = 32;
constexpr std::size_t kTextMax = 64;
constexpr std::size_t kCounterSetsMax = 8;
constexpr std::size_t kConsumedSetsMax = 2;
constexpr std::size_t kCountersMax = 32;
constexpr std::size_t kTaintsMax = 16;
constexpr std::size_t kBindingConditionsMax = 4;
constexpr std::size_t kValidValuesMax = 10;

void check_text(std::string_view text, const Path& path, Findings& findings) {
  if (text.size() > kTextMax) {
    findings.add(path, "must have at most {} bytes, has {}", kTextMax, text.size());
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.size() == 1 || text.front() != '0');
}

// MAJOR.MINOR.PATCH, maybe with what semver.org allows behind it.
void check_version(std::string_view text, const Path& path, Findings& findings) {
  check_text(text, path, findings);
  std::string_view rest = text.substr(0, text.find_first_of("-+"));
  bool good = true;
  for (int dots = 2; dots > 0; --dots) {
    const std::size_t dot = rest.find('.');
    good = good && dot != std::string_view::npos && is_number(rest.substr(0, dot));
    rest = good ? rest.substr(dot + 1) : std::string_view{};
  }
  if (!good || !is_number(rest)) {
    findings.add(path.field("version"), "must be a semantic version such as 1.2.3, is '{}'", text);
  }
}

void check_attribute(const model::DeviceAttribute& attribute, const Path& path,
                     Findings& findings) {
  check_qualified_name(attribute.name, path, findings);
  if (std::holds_alternative<std::monostate>(attribute.value)) {
    findings.add(path, "must have exactly one value: int, bool, string, version or a list of one");
  }
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    check_text(*text, path, findings);
  }
  if (const auto* version = std::get_if<model::VersionText>(&attribute.value)) {
    check_version(version->text, path, findings);
  }
}

void check_policy(const model::DeviceCapacity& capacity, const Path& path, Findings& findings) {
  const Path policy = path.field("requestPolicy");
  const auto& values = capacity.policy->valid_values;
  check_at_most_items(values.size(), kValidValuesMax, policy.field("validValues"), findings);
  if (std::ranges::adjacent_find(values, std::ranges::greater_equal{}) != values.end()) {
    findings.add(policy.field("validValues"), "must rise from each value to the next");
  }
  if (!capacity.policy->range) return;
  const auto& range = *capacity.policy->range;
  if (range.min.negative()) {
    findings.add(policy.field("validRange.min"), "must be at least 0, is {}", range.min.text());
  }
  if (range.max && *range.max < range.min) {
    findings.add(policy.field("validRange.max"), "must be at least min {}, is {}", range.min.text(),
                 range.max->text());
  }
  if (range.step && (range.step->negative() || range.step->zero())) {
    findings.add(policy.field("validRange.step"), "must be more than 0, is {}", range.step->text());
  }
}

void check_capacity(const model::DeviceCapacity& capacity, bool shared, const Path& path,
                    Findings& findings) {
  check_qualified_name(capacity.name, path, findings);
  if (capacity.value.negative()) {
    findings.add(path.field("value"), "must be at least 0, is {}", capacity.value.text());
  }
  if (!capacity.policy) return;
  if (!shared) {
    findings.add(path.field("requestPolicy"), "needs allowMultipleAllocations: true");
  }
  check_policy(capacity, path, findings);
}

void check_counters(const model::CounterSet& set, std::string_view name_field, const Path& path,
                    Findings& findings) {
  check_dns_label(set.name, path.field(name_field), findings);
  check_at_most_items(set.counters.size(), kCountersMax, path.field("counters"), findings);
  if (set.counters.empty()) findings.add(path.field("counters"), "is required");
  for (const auto& [name, amount] : set.counters) {
    check_dns_label(name, path.entry("counters", name), findings);
    if (amount.negative()) {
      findings.add(path.entry("counters", name), "must be at least 0, is {}", amount.text());
    }
  }
}

void check_counter_sets(const std::vector<model::CounterSet>& sets, std::size_t most,
                        std::string_view list, std::string_view name_field, const Path& path,
                        Findings& findings) {
  check_at_most_items(sets.size(), most, path.field(list), findings);
  Unique names;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Path set = path.item(list, i);
    names.see(sets[i].name, set.field(name_field), findings);
    check_counters(sets[i], name_field, set, findings);
  }
}

void check_reach(const DeviceReach& reach, bool of_device, const Path& path, Findings& findings) {
  switch (reach.kind) {
    case DeviceReach::Kind::unknown:
      findings.add(path, "must have exactly one of nodeName, nodeSelector, allNodes{}",
                   of_device ? "" : ", perDeviceNodeSelection");
      return;
    case DeviceReach::Kind::node:
      return check_dns_subdomain(reach.node, path.field("nodeName"), findings);
    case DeviceReach::Kind::selector:
      if (reach.selector.size() != 1) {
        findings.add(path.field("nodeSelector.nodeSelectorTerms"),
                     "must have exactly one entry, has {}", reach.selector.size());
      }
      return check_node_terms(reach.selector, "nodeSelectorTerms", path.field("nodeSelector"),
                              findings);
    case DeviceReach::Kind::all:
    case DeviceReach::Kind::per_device:
      return;
  }
}

void check_properties(const Device& device, const Path& path, Findings& findings) {
  if (device.attributes.size() + device.capacity.size() > kPropertiesMax) {
    findings.add(path, "must have at most {} attributes and capacities together, has {}",
                 kPropertiesMax, device.attributes.size() + device.capacity.size());
  }
  for (const auto& attribute : device.attributes) {
    check_attribute(attribute, path.entry("attributes", attribute.name), findings);
  }
  for (const auto& capacity : device.capacity) {
    check_capacity(capacity, device.allow_multiple, path.entry("capacity", capacity.name),
                   findings);
  }
  check_counter_sets(device.consumes, kConsumedSetsMax, "consumesCounters", "counterSet", path,
                     findings);
}

void check_device(const Device& device, bool own_reach, const Path& path, Findings& findings) {
  check_dns_label(device.name, path.field("name"), findings);
  check_properties(device, path, findings);
  check_at_most_items(device.taints.size(), kTaintsMax, path.field("taints"), findings);
  for (std::size_t i = 0; i < device.taints.size(); ++i) {
    check_device_taint(device.taints[i], path.item("taints", i), findings);
  }
  check_at_most_items(device.binding_conditions.size(), kBindingConditionsMax,
                      path.field("bindingConditions"), findings);
  check_at_most_items(device.binding_failure_conditions.size(), kBindingConditionsMax,
                      path.field("bindingFailureConditions"), findings);
  if (own_reach) check_reach(device.reach, true, path, findings);
}

bool is_list(const model::DeviceAttribute& attribute) { return attribute.value.index() > 4; }

bool elaborate(const Device& device) {
  return !device.taints.empty() || !device.consumes.empty() ||
         std::ranges::any_of(device.attributes, is_list);
}

void check_devices(const ResourceSlice& slice, const Path& spec, Findings& findings) {
  const bool fewer = std::ranges::any_of(slice.devices, elaborate);
  check_at_most_items(slice.devices.size(), fewer ? kElaborateDevicesMax : kSliceDevicesMax,
                      spec.field("devices"), findings);
  Unique names;
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    const Path device = spec.item("devices", i);
    names.see(slice.devices[i].name, device.field("name"), findings);
    check_device(slice.devices[i], slice.reach.kind == DeviceReach::Kind::per_device, device,
                 findings);
  }
}

}  // namespace

void check_kind(const ResourceSlice& slice, Findings& findings) {
  const Path spec("spec");
  check_dns_subdomain(slice.driver, spec.field("driver"), findings);
  const Path pool = spec.field("pool");
  if (slice.pool.empty()) findings.add(pool.field("name"), "is required");
  check_at_least(slice.generation, 0, pool.field("generation"), findings);
  check_at_least(slice.slice_count, 1, pool.field("resourceSliceCount"), findings);
  check_reach(slice.reach, false, spec, findings);
  if (!slice.devices.empty() && !slice.shared_counters.empty()) {
    findings.add(spec.field("sharedCounters"), "must be in a slice of its own, beside {} devices",
                 slice.devices.size());
  }
  check_devices(slice, spec, findings);
  check_counter_sets(slice.shared_counters, kCounterSetsMax, "sharedCounters", "name", spec,
                     findings);
}

}  // namespace tutti::admission
