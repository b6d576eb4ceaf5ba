// How quota is handed out, as plain values: what Kueue's Configuration decides. config/kueue_config
// reads it. A QuotaConfig without changes is what Kueue does without a configuration.
#pragma once

#include <chrono>
#include <map>

#include "base/std.h"
#include "base/time.h"
#include "model/resources.h"
#include "model/selector.h"

namespace tutti::core {

// The moment that counts as the timestamp of a request in its queue after its pods were late.
enum class RequeueOrder : std::uint8_t { eviction, creation };

// waitForPodsReady: how long pods may take to become ready.
struct PodsReadyLimits {
  Millis timeout = std::chrono::minutes(30);
  Millis recovery_timeout = std::chrono::minutes(30);  // 0: recovery is not watched
  bool blocks_admission = false;
  RequeueOrder order = RequeueOrder::eviction;
  std::optional<std::int32_t> retries_max;  // absent: no end
  std::int32_t backoff_seconds = 60;
  std::int32_t backoff_seconds_max = 3600;
  bool operator==(const PodsReadyLimits&) const = default;
};

// fairSharing.preemptionStrategies: LessThanOrEqualToFinalShare, LessThanInitialShare.
enum class ShareRule : std::uint8_t { at_most_final_share, below_initial_share };

// admissionFairSharing: whose turn it is inside one queue.
struct UsageHistory {
  Millis half_life{0};
  Millis sampling_interval = std::chrono::minutes(5);
  std::map<std::string, double> weights;  // by resource; 1 where none is given
  bool operator==(const UsageHistory&) const = default;
};

struct ResourceTransformation {
  std::string input;
  bool replaces = false;    // else the input is counted beside its outputs
  std::string multiply_by;  // a resource of the same request; empty: by one
  model::ResourceList outputs;
  bool operator==(const ResourceTransformation&) const = default;
};

struct DeviceClassMapping {
  std::string resource;
  std::vector<std::string> classes;
  bool operator==(const DeviceClassMapping&) const = default;
};

// resources.quotaCheckStrategy: whether a resource that the queue does not cover blocks a request.
enum class UndeclaredResources : std::uint8_t { block, ignore };

struct QuotaConfig {
  bool manages_jobs_without_queue = false;
  // Absent: every namespace but kube-system and kueue-system.
  std::optional<model::LabelSelector> managed_namespaces;
  std::optional<PodsReadyLimits> pods_ready = PodsReadyLimits{};
  std::vector<ShareRule> fair_sharing;  // in the order to try; empty: no fair sharing
  std::optional<UsageHistory> admission_fair_sharing;
  std::vector<std::string> ignored_resources;  // prefixes of their names
  std::vector<ResourceTransformation> transformations;
  std::vector<DeviceClassMapping> device_classes;
  UndeclaredResources undeclared = UndeclaredResources::block;
  std::vector<std::string> frameworks;  // "batch/job"; empty: all of them
  std::map<std::string, bool> feature_gates;
  bool operator==(const QuotaConfig&) const = default;
};

}  // namespace tutti::core
