// Any bytes as a scheduler configuration: refused with a message, or a configuration that keeps
// what core/config.h promises.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "config/scheduler_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = tutti::config::parse_config({reinterpret_cast<const char*>(data), size});
  if (!config.ok()) {
    TUTTI_CHECK(!config.error().message.empty());
    return 0;
  }
  TUTTI_CHECK(!config->profiles.empty());
  TUTTI_CHECK(config->initial_backoff <= config->max_backoff);
  std::set<std::string> names;
  for (const auto& profile : config->profiles) {
    TUTTI_CHECK(names.insert(profile.scheduler_name).second);
  }
  return 0;
}
