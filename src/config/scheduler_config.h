// The scheduler's configuration as people write it: KubeSchedulerConfiguration of
// kubescheduler.config.k8s.io/v1, in YAML or JSON.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "config/daemon_config.h"
#include "core/framework/config.h"

namespace tutti::config {

// Strict, as kube-scheduler is: a member that the format does not have is an error, and so is a
// value outside its range. The error says "line 7: profiles[0].plugins.score.enabled[1].weight: …".
//
// What has no meaning here (parallelism, profiling) is checked for its shape and otherwise ignored.
// Extenders would change decisions and are refused.
Result<DaemonConfig> parse_daemon_config(std::string_view text);

// The part of it that decides, for worlds without an API server. The rest is checked all the same,
// so that one file serves all worlds.
Result<core::SchedulerConfig> parse_config(std::string_view text);

// Without a configuration: one profile named "tutti" with every default.
core::SchedulerConfig default_config();

}  // namespace tutti::config
