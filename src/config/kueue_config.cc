#include "config/kueue_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>

#include "config/only_document.h"
#include "config/strict.h"
#include "wire/decode/decode_parts.h"
#include "wire/json_writer.h"

namespace tutti::config {
namespace {

using core::PodsReadyLimits;
using core::RequeueOrder;
using core::ShareRule;
using core::UndeclaredResources;
using wire::Field;

constexpr std::string_view kKueueConfigBeta1 = "config.kueue.x-k8s.io/v1beta1";
constexpr std::string_view kKueueConfigBeta2 = "config.kueue.x-k8s.io/v1beta2";
constexpr std::string_view kKueueConfigKind = "Configuration";
constexpr std::string_view kKueueConfigMap = "kueue-manager-config";
constexpr std::string_view kKueueConfigKey = "controller_manager_config.yaml";

constexpr wire::EnumTable<RequeueOrder, 2> kRequeueOrders = {{
    {"Eviction", RequeueOrder::eviction},
    {"Creation", RequeueOrder::creation},
}};
constexpr wire::EnumTable<ShareRule, 2> kShareRules = {{
    {"LessThanOrEqualToFinalShare", ShareRule::at_most_final_share},
    {"LessThanInitialShare", ShareRule::below_initial_share},
}};
constexpr wire::EnumTable<UndeclaredResources, 2> kQuotaChecks = {{
    {"BlockUndeclared", UndeclaredResources::block},
    {"IgnoreUndeclared", UndeclaredResources::ignore},
}};
constexpr wire::EnumTable<bool, 2> kTransformations = {{{"Retain", false}, {"Replace", true}}};

enum class Zero : bool { refused, allowed };

void read_span(const Field& at, std::string_view name, Zero zero, Millis& out) {
  at.member(name, [&](const Field& field) {
    std::string text;
    read(field, text);
    if (!field.value().is_string()) return;
    const Result<Millis> span = parse_duration(text);
    if (!span.ok()) return field.fail(span.error().message);
    if (*span < Millis::zero() || (*span == Millis::zero() && zero == Zero::refused)) {
      return field.fail(
          fmt::format("must be {} 0, is {}", zero == Zero::allowed ? "at least" : "above", text));
    }
    out = *span;
  });
}

void read_requeuing(const Field& at, PodsReadyLimits& out) {
  at("timestamp", out.order, kRequeueOrders);
  read_within(at, "backoffBaseSeconds", 0, kNoLimit, out.backoff_seconds);
  read_within(at, "backoffMaxSeconds", 0, kNoLimit, out.backoff_seconds_max);
  if (at.value().find("backoffLimitCount") == nullptr) return;
  at.member("backoffLimitCount", [&](const Field& field) {
    std::int32_t count = 0;
    read(field, count);
    if (count < 0) return field.fail(fmt::format("must be at least 0, is {}", count));
    out.retries_max = count;
  });
}

void read_pods_ready(const Field& at, bool old, std::optional<PodsReadyLimits>& out) {
  only_members(at, {"enable", "timeout", "recoveryTimeout", "blockAdmission", "requeuingStrategy"});
  bool enabled = true;
  if (old) {
    // The older version is off unless it says so.
    enabled = false;
    at("enable", enabled);
  }
  PodsReadyLimits limits;
  read_span(at, "timeout", Zero::refused, limits.timeout);
  limits.recovery_timeout = limits.timeout;
  read_span(at, "recoveryTimeout", Zero::allowed, limits.recovery_timeout);
  at("blockAdmission", limits.blocks_admission);
  at.member("requeuingStrategy", [&](const Field& field) { read_requeuing(field, limits); });
  out.reset();
  if (enabled) out = limits;
}

void check_share_rules(const Field& at, const std::vector<ShareRule>& rules) {
  const bool ordered =
      rules.size() < 2 || (rules.size() == 2 && rules[0] == ShareRule::at_most_final_share &&
                           rules[1] == ShareRule::below_initial_share);
  if (ordered) return;
  at.fail_member("preemptionStrategies",
                 "must be one of [LessThanOrEqualToFinalShare], [LessThanInitialShare], "
                 "[LessThanOrEqualToFinalShare, LessThanInitialShare]");
}

void read_fair_sharing(const Field& at, bool old, std::vector<ShareRule>& out) {
  only_members(at, {"enable", "preemptionStrategies"});
  bool enabled = !old;
  if (old) at("enable", enabled);
  std::vector<ShareRule> rules;
  at.list("preemptionStrategies",
          [&](const Field& item) { read(item, rules.emplace_back(), kShareRules); });
  check_share_rules(at, rules);
  if (rules.empty()) rules = {ShareRule::at_most_final_share, ShareRule::below_initial_share};
  if (enabled) out = std::move(rules);
}

void read_weights(const Field& at, std::map<std::string, double>& out) {
  at.each_entry([&](std::string_view name, const Field& field) {
    const wire::Value& value = field.value();
    if (!value.is_integer() && !value.is_number()) return field.fail_type("a number");
    const double weight = value.as_double();
    if (!std::isfinite(weight) || weight < 0) return field.fail("must be at least 0");
    out.emplace(name, weight);
  });
}

void read_history(const Field& at, std::optional<core::UsageHistory>& out) {
  only_members(at, {"usageHalfLifeTime", "usageSamplingInterval", "resourceWeights"});
  out.emplace();
  read_span(at, "usageHalfLifeTime", Zero::allowed, out->half_life);
  read_span(at, "usageSamplingInterval", Zero::refused, out->sampling_interval);
  at.member("resourceWeights", [&](const Field& field) { read_weights(field, out->weights); });
}

void read_transformation(const Field& at, core::ResourceTransformation& out) {
  at.required("input", out.input);
  at("strategy", out.replaces, kTransformations);
  at("multiplyBy", out.multiply_by);
  at("outputs", out.outputs);
}

// Members of `at` that are given and not among `heeded`.
void name_unheeded(const Field& at, std::string_view prefix,
                   std::initializer_list<std::string_view> heeded, std::vector<std::string>& out) {
  at.each_entry([&](std::string_view name, const Field&) {
    if (std::ranges::find(heeded, name) != heeded.end()) return;
    out.push_back(fmt::format("{}{}", prefix, name));
  });
}

void read_resources(const Field& at, core::QuotaConfig& out) {
  at("excludeResourcePrefixes", out.ignored_resources);
  at.list("transformations", [&](const Field& item) {
    core::ResourceTransformation transformation;
    read_transformation(item, transformation);
    const bool twice =
        std::ranges::find(out.transformations, transformation.input,
                          &core::ResourceTransformation::input) != out.transformations.end();
    if (twice) item.fail_member("input", "is transformed already: '" + transformation.input + "'");
    out.transformations.push_back(std::move(transformation));
  });
  at.list("deviceClassMappings", [&](const Field& item) {
    core::DeviceClassMapping& mapping = out.device_classes.emplace_back();
    item.required("name", mapping.resource);
    item("deviceClassNames", mapping.classes);
    if (mapping.classes.empty()) item.fail_member("deviceClassNames", "required");
  });
  at("quotaCheckStrategy", out.undeclared, kQuotaChecks);
}

void read_gates(const Field& at, std::map<std::string, bool>& out) {
  at.each_entry([&](std::string_view name, const Field& field) {
    bool on = false;
    read(field, on);
    out.emplace(name, on);
  });
}

std::string_view text_at(const wire::Value* object, std::string_view name) {
  const wire::Value* member = object != nullptr ? object->find(name) : nullptr;
  return member != nullptr && member->is_string() ? member->text() : std::string_view{};
}

}  // namespace

KueueConfig read_kueue_config(const wire::Field& at) {
  KueueConfig out;
  core::QuotaConfig& quota = out.quota;
  std::string api_version;
  std::string kind;
  at.required("apiVersion", api_version);
  at.required("kind", kind);
  if (at.failed()) return out;
  if (api_version != kKueueConfigBeta1 && api_version != kKueueConfigBeta2) {
    at.fail_member("apiVersion", fmt::format("must be {} or {}, is '{}'", kKueueConfigBeta1,
                                             kKueueConfigBeta2, api_version));
  }
  if (kind != kKueueConfigKind) {
    at.fail_member("kind", fmt::format("must be {}, is '{}'", kKueueConfigKind, kind));
  }
  const bool old = api_version == kKueueConfigBeta1;
  at("manageJobsWithoutQueueName", quota.manages_jobs_without_queue);
  at("managedJobsNamespaceSelector", quota.managed_namespaces);
  at.member("waitForPodsReady",
            [&](const Field& field) { read_pods_ready(field, old, quota.pods_ready); });
  at.member("fairSharing",
            [&](const Field& field) { read_fair_sharing(field, old, quota.fair_sharing); });
  at.member("admissionFairSharing",
            [&](const Field& field) { read_history(field, quota.admission_fair_sharing); });
  name_unheeded(at, "",
                {"apiVersion", "kind", "metadata", "manageJobsWithoutQueueName",
                 "managedJobsNamespaceSelector", "waitForPodsReady", "fairSharing",
                 "admissionFairSharing", "resources", "integrations", "featureGates"},
                out.unheeded);
  at.member("resources", [&](const Field& field) {
    read_resources(field, quota);
    name_unheeded(
        field, "resources.",
        {"excludeResourcePrefixes", "transformations", "deviceClassMappings", "quotaCheckStrategy"},
        out.unheeded);
  });
  at.member("integrations", [&](const Field& field) {
    field("frameworks", quota.frameworks);
    name_unheeded(field, "integrations.", {"frameworks"}, out.unheeded);
  });
  at.member("featureGates", [&](const Field& field) { read_gates(field, quota.feature_gates); });
  return out;
}

bool is_kueue_config(const wire::Value& document) {
  return text_at(&document, "kind") == kKueueConfigKind &&
         text_at(&document, "apiVersion").starts_with("config.kueue.x-k8s.io/");
}

Result<KueueConfig> parse_kueue_config(std::string_view text) {
  return read_only_document(text, read_kueue_config);
}

std::optional<std::string> kueue_config_in(const wire::Value& document) {
  if (text_at(&document, "apiVersion") != "v1" || text_at(&document, "kind") != "ConfigMap" ||
      text_at(document.find("metadata"), "name") != kKueueConfigMap) {
    return std::nullopt;
  }
  const wire::Value* data = document.find("data");
  if (data == nullptr || data->find(kKueueConfigKey) == nullptr) return std::nullopt;
  return std::string(text_at(data, kKueueConfigKey));
}

}  // namespace tutti::config
