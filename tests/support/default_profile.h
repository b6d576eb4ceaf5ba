// The profile that `tutti run` uses without --config. For tests that link all plugins.
#pragma once

#include <utility>
#include <vector>

#include "base/check.h"
#include "core/framework/profile.h"
#include "plugins/registry.h"

namespace tutti::test {

inline std::vector<core::Profile> default_profiles() {
  auto built = plugins::build_profile(core::ProfileConfig{});
  TUTTI_CHECK(built.ok(), built.ok() ? "" : built.error().message);
  std::vector<core::Profile> made;
  made.push_back(*std::move(built));
  return made;
}

inline core::SchedulerConfig default_config() {
  core::SchedulerConfig made;
  made.profiles.emplace_back();
  return made;
}

}  // namespace tutti::test
