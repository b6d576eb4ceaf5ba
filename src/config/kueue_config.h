// Kueue's Configuration (config.kueue.x-k8s.io v1beta1, v1beta2): what of it decides about quota.
// Nobody acts on it yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/resources.h"
#include "model/selector.h"
#include "wire/value.h"

namespace tutti::config {

enum class RequeueOrder : std::uint8_t { eviction, creation };

// How long pods may take to become ready.
struct PodsReadyLimits {
  Millis timeout = std::chrono::minutes(30);
  Millis recovery_timeout = std::chrono::minutes(30);  // 0: recovery is not watched
  bool blocks_admission = false;
  RequeueOrder order = RequeueOrder::eviction;
  std::optional<std::int32_t> retries_max;  // absent: no end
  std::int32_t backoff_seconds = 60;
  std::int32_t backoff_seconds_max = 3600;
};

// Victims by shares: after the eviction, or before it.
enum class ShareRule : std::uint8_t { at_most_final_share, below_initial_share };

struct UsageHistory {
  Millis half_life{0};
  Millis sampling_interval = std::chrono::minutes(5);
  std::map<std::string, double> weights;  // by resource; 1 where none is given
};

struct ResourceTransformation {
  std::string input;
  bool replaces = false;    // else the input is counted beside its outputs
  std::string multiply_by;  // empty: by one
  model::ResourceList outputs;
};

struct DeviceClassMapping {
  std::string resource;
  std::vector<std::string> classes;
};

struct KueueConfig {
  bool manages_jobs_without_queue = false;
  std::optional<model::LabelSelector> managed_namespaces;
  std::optional<PodsReadyLimits> pods_ready = PodsReadyLimits{};
  std::vector<ShareRule> fair_sharing;  // empty: no fair sharing
  std::optional<UsageHistory> admission_fair_sharing;
  std::vector<std::string> ignored_resources;  // prefixes of their names
  std::vector<ResourceTransformation> transformations;
  std::vector<DeviceClassMapping> device_classes;
  std::vector<std::string> frameworks;
  std::map<std::string, bool> feature_gates;
  // Members that were given and are not heeded: "leaderElection", "integrations.labelKeysToCopy".
  std::vector<std::string> unheeded;
};

// The error lists lines and fields.
Result<KueueConfig> parse_kueue_config(std::string_view text);

// The text of the configuration in a document: the document itself, or the ConfigMap
// kueue-manager-config, as clusters have it. Nothing: the document is something else.
std::optional<std::string> kueue_config_text(const wire::Value& document);

}  // namespace tutti::config
