// PluginLoader: users' plugins from a folder of shared libraries, one lib<Name>.so per plugin. The
// library is the user's own code and runs with Tutti's rights; nothing is loaded that the
// configuration does not name.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/std.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class PluginLoader {
 public:
  explicit PluginLoader(std::filesystem::path folder) : folder_(std::move(folder)) {}
  virtual ~PluginLoader() = default;

  // Loads the library of that plugin and makes the plugin. not_found: there is no such file. The
  // library stays loaded until the process ends, because the plugin's code lives in it.
  virtual Result<std::unique_ptr<core::Plugin>> load(const std::string& name,
                                                     const std::string& args_json) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tutti::plugins
