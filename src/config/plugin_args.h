// The typed arguments of plugins: `args` of one entry of a profile's pluginConfig.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "wire/decode/field_reader.h"

namespace tutti::config {

// Arguments of a plugin that ships with Tutti are read strictly; those of any other plugin are kept
// as JSON for the plugin itself to read. Reports what is wrong at the field.
core::PluginArgs read_plugin_args(const wire::Field& at, std::string_view plugin);

}  // namespace tutti::config
