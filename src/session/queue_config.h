// Where Kueue's configuration comes from, and who needs which part of it.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "config/kueue_config.h"
#include "controllers/queues/work/queue_rules.h"
#include "core/framework/quota_config.h"
#include "sim/script/script.h"

namespace tutti::session {

// A file given to --config may have Kueue's Configuration beside a KubeSchedulerConfiguration, each
// a document of its own. Each text has empty lines where the other is, so that line numbers stay
// right. Empty: there is no such document.
struct ConfigTexts {
  std::string scheduler;
  std::string kueue;
};
ConfigTexts split_config(std::string_view text);

// That of the ConfigMap in which clusters have it, if it is among the objects; else `given`, else
// what Kueue does without a configuration. An error: it is wrong, or differs from `given`.
Result<config::KueueConfig> kueue_config_for(const sim::Script& script,
                                             const std::optional<config::KueueConfig>& given);

controllers::QueueRules queue_rules(const core::QuotaConfig& config);

}  // namespace tutti::session
