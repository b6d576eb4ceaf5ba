// Kueue's Configuration (config.kueue.x-k8s.io v1beta1, v1beta2): what of it decides about quota.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "core/framework/quota_config.h"
#include "wire/decode/field_reader.h"
#include "wire/value.h"

namespace tutti::config {

struct KueueConfig {
  core::QuotaConfig quota;
  // Members that were given and are not heeded: "leaderElection", "integrations.labelKeysToCopy".
  std::vector<std::string> unheeded;
};

// Whether the document is a Configuration of Kueue, of whatever version.
bool is_kueue_config(const wire::Value& document);
KueueConfig read_kueue_config(const wire::Field& at);

// The error lists lines and fields.
Result<KueueConfig> parse_kueue_config(std::string_view text);

// The text of the configuration in the ConfigMap kueue-manager-config, as clusters have it.
// Nothing: the document is something else.
std::optional<std::string> kueue_config_in(const wire::Value& document);

}  // namespace tutti::config
