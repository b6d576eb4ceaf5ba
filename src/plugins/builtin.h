// The table behind registry.h: every built-in plugin with its place in the default order.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

using MadePlugin = Result<std::unique_ptr<core::Plugin>>;

struct Builtin {
  std::string_view name;
  std::int32_t weight;  // of scores, 0: none
  MadePlugin (*make)(const core::PluginArgs& args);
};

// In default order; all are enabled by default.
std::span<const Builtin> builtins();

}  // namespace tutti::plugins
