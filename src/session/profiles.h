// The scheduler's configuration and the profiles it describes.
#pragma once

#include <istream>

#include "base/result.h"
#include "base/std.h"
#include "config/daemon_config.h"
#include "core/framework/config.h"
#include "core/framework/profile.h"

namespace tutti::session {

// In the place of a path: a configuration that comes with the program (config/shipped.h).
inline constexpr std::string_view kShippedPrefix = "profile ";

// Reads a KubeSchedulerConfiguration file, which may have Kueue's Configuration in it; "-" for
// standard input; an empty path is the default.
Result<config::DaemonConfig> load_config(const std::string& path, std::istream& in);

// What people call it: the path, "profile pack-gpus", or "default".
std::string config_name(const std::string& path);

// `plugin_dir` empty: the built-in plugins only. Errors name the configuration file.
Result<std::vector<core::Profile>> build_profiles(const core::SchedulerConfig& config,
                                                  const std::string& config_path,
                                                  const std::string& plugin_dir);

}  // namespace tutti::session
