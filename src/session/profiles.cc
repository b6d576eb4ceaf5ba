#include "session/profiles.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "config/scheduler_config.h"
#include "config/shipped.h"
#include "plugins/registry.h"
#include "session/manifests/file_text.h"

namespace tutti::session {

Result<config::DaemonConfig> load_config(const std::string& path, std::istream& in) {
  if (path.empty()) return config::DaemonConfig{config::default_config(), {}, {}, {}};
  if (path.starts_with(kShippedPrefix)) {
    const auto shipped = config::shipped_config(path.substr(kShippedPrefix.size()));
    TUTTI_CHECK(shipped.has_value(), "the command line knows the names of profiles");
    return config::parse_daemon_config(*shipped);
  }
  TUTTI_ASSIGN(const std::string text, read_input(path, in));
  Result<config::DaemonConfig> parsed = config::parse_daemon_config(text);
  if (parsed.ok()) return parsed;
  return Error{parsed.error().code, at_place(path, parsed.error().message)};
}

std::string config_name(const std::string& path) { return path.empty() ? "default" : path; }

Result<std::vector<core::Profile>> build_profiles(const core::SchedulerConfig& config,
                                                  const std::string& config_path,
                                                  const std::string& plugin_dir) {
  std::error_code problem;
  if (!plugin_dir.empty() && !std::filesystem::is_directory(plugin_dir, problem)) {
    return Error{Error::Code::invalid, "--plugin-dir: there is no folder " + plugin_dir};
  }
  const plugins::PluginLoader loader(plugin_dir);
  std::vector<core::Profile> profiles;
  for (const core::ProfileConfig& profile : config.profiles) {
    auto built = plugins::build_profile(profile, plugin_dir.empty() ? nullptr : &loader);
    if (!built.ok()) {
      return Error{built.error().code, at_place(config_path, built.error().message)};
    }
    profiles.push_back(*std::move(built));
  }
  return profiles;
}

}  // namespace tutti::session
