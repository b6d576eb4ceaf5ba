#include "config/profile_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "config/broker_args.h"
#include "config/plugin_args.h"
#include "config/strict.h"

namespace tutti::config {
namespace {

using wire::Field;

core::PluginRef read_reference(const Field& at) {
  only_members(at, {"name", "weight"});
  core::PluginRef out;
  at.required("name", out.name);
  read_within(at, "weight", 0, 10'000, out.weight);
  return out;
}

core::PluginSet read_plugin_set(const Field& at) {
  only_members(at, {"enabled", "disabled"});
  core::PluginSet out;
  at.list("enabled", [&](const Field& item) {
    core::PluginRef plugin = read_reference(item);
    const bool seen = std::ranges::any_of(
        out.enabled, [&](const auto& other) { return other.name == plugin.name; });
    if (seen) item.fail(fmt::format("'{}' is enabled twice", plugin.name));
    if (plugin.name == "*") item.fail("'*' can only be disabled");
    out.enabled.push_back(std::move(plugin));
  });
  at.list("disabled",
          [&](const Field& item) { out.disabled.push_back(read_reference(item).name); });
  return out;
}

void read_plugins(const Field& at, core::ProfileConfig& out) {
  at.each_entry([&](std::string_view section, const Field& field) {
    const auto name = std::ranges::find(core::kPointNames, section);
    if (name == core::kPointNames.end()) return field.fail("no extension point of this name");
    if (field.value().is_null()) return;
    const auto point = static_cast<core::Point>(name - core::kPointNames.begin());
    out.at(point) = read_plugin_set(field);
  });
}

void read_plugin_config(const Field& at, core::ProfileConfig& out) {
  only_members(at, {"name", "args"});
  std::string name;
  at.required("name", name);
  if (name == kBrokerPlugin) {
    if (out.broker) return at.fail(fmt::format("'{}' is configured twice", name));
    out.broker.emplace();
    at.member("args", [&](const Field& field) { out.broker = read_broker_args(field); });
    return;
  }
  core::PluginArgs args;
  at.member("args", [&](const Field& field) { args = read_plugin_args(field, name); });
  if (!out.args.emplace(name, std::move(args)).second) {
    at.fail(fmt::format("'{}' is configured twice", name));
  }
}

}  // namespace

core::ProfileConfig read_profile(const Field& at) {
  only_members(at, {"schedulerName", "plugins", "pluginConfig", "percentageOfNodesToScore"});
  core::ProfileConfig out;
  at("schedulerName", out.scheduler_name);
  std::int32_t percentage = 0;
  read_within(at, "percentageOfNodesToScore", 0, 100, percentage);
  at.member("plugins", [&](const Field& field) { read_plugins(field, out); });
  at.list("pluginConfig", [&](const Field& item) { read_plugin_config(item, out); });
  return out;
}

}  // namespace tutti::config
