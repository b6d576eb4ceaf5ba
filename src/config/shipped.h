// Configurations that come with the program, for wishes that many have: `--profile pack-gpus`.
#pragma once

#include "base/std.h"

namespace tutti::config {

// A KubeSchedulerConfiguration as a user would write it; nothing for a name that is none.
std::optional<std::string_view> shipped_config(std::string_view name);
std::vector<std::string> shipped_names();

}  // namespace tutti::config
