#include "plugins/loader.h"

#include <dlfcn.h>

#include "core/framework/per_node_adapter.h"

namespace tutti::plugins {
namespace {

Error failure(Error::Code code, const std::filesystem::path& file, const std::string& problem) {
  return {code, "plugin library " + file.string() + ": " + problem};
}

// A name becomes a file name, so it must not be able to leave the folder.
bool plain(const std::string& name) {
  return !name.empty() && name.find_first_not_of(
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                              "uvwxyz0123456789_-") == std::string::npos;
}

Result<const core::PluginLibrary*> open_library(const std::filesystem::path& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failure(Error::Code::io, file, dlerror());
  void* const symbol = dlsym(library, core::kPluginSymbol);
  if (symbol == nullptr) {
    return failure(Error::Code::invalid, file,
                   std::string("exports no ") + core::kPluginSymbol +
                       "; was it built with TUTTI_EXPORT_PLUGIN of this release?");
  }
  return reinterpret_cast<core::PluginEntry>(symbol)();
}

}  // namespace

Result<std::unique_ptr<core::Plugin>> PluginLoader::load(const std::string& name,
                                                         const std::string& args_json) const {
  if (!plain(name)) return Error{Error::Code::invalid, "'" + name + "' is no plugin name"};
  const auto file = folder_ / ("lib" + name + ".so");
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return failure(Error::Code::not_found, file, "no such file");
  }
  TUTTI_ASSIGN(const core::PluginLibrary* const library, open_library(file));
  if (library == nullptr || library->api_version != core::kPluginApiVersion ||
      library->layout != core::kPluginLayout || library->make == nullptr) {
    return failure(Error::Code::invalid, file,
                   "built for another release of Tutti; build it again with this one's headers");
  }
  std::string problem;
  auto plugin = library->make(args_json, problem);
  if (!plugin) return failure(Error::Code::invalid, file, "bad arguments: " + problem);
  return std::unique_ptr<core::Plugin>(
      std::make_unique<core::PerNodeAdapter>(name, std::move(plugin)));
}

}  // namespace tutti::plugins
