// How a configured profile becomes a Profile. The list of plugins is builtin.h.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/profile.h"
#include "plugins/loader.h"

namespace tutti::plugins {

// What every profile starts from, in the order plugins are asked, with their score weights.
std::vector<core::PluginRef> default_plugins();

// Merges the profile's wishes over the defaults with kube-scheduler's rules:
//
//   multiPoint: defaults without the disabled ones ("*": all), then the enabled ones; one that is
//               already there is changed in place.
//   a point:    plugins named by both multiPoint and the point, in the point's order; then the rest
//               of multiPoint without the point's disabled ones; then the rest of the point.
//
// A name that is not built in is asked of `loader`, if there is one. Errors name the profile and
// the plugin: unknown, enabled twice, not implementing the point, bad arguments; and a profile
// without exactly one queue order or without anything to bind.
Result<core::Profile> build_profile(const core::ProfileConfig& config,
                                    const PluginLoader* loader = nullptr);

}  // namespace tutti::plugins
