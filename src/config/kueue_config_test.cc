#include "config/kueue_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "wire/reader.h"

namespace tutti::config {
namespace {

using namespace std::chrono_literals;
using core::RequeueOrder;
using core::ShareRule;

Result<KueueConfig> parse_kueue(std::string_view body, std::string_view version = "v1beta2") {
  return parse_kueue_config(
      fmt::format("apiVersion: config.kueue.x-k8s.io/{}\nkind: Configuration\n{}", version, body));
}

KueueConfig must_parse_kueue(std::string_view body, std::string_view version = "v1beta2") {
  Result<KueueConfig> config = parse_kueue(body, version);
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : config.error().message);
  return config.ok() ? *std::move(config) : KueueConfig{};
}

TEST(KueueConfig, watchesPodsForHalfAnHourUnlessTold) {
  const KueueConfig config = must_parse_kueue("");

  ASSERT_TRUE(config.quota.pods_ready);
  EXPECT_EQ(config.quota.pods_ready->timeout, 30min);
  EXPECT_EQ(config.quota.pods_ready->backoff_seconds, 60);
  EXPECT_TRUE(config.quota.fair_sharing.empty());
  EXPECT_FALSE(config.quota.manages_jobs_without_queue);
  EXPECT_TRUE(config.unheeded.empty());
}

TEST(KueueConfig, readsWhatDecidesAboutQuotaAndNamesTheRest) {
  const KueueConfig config = must_parse_kueue(R"(
manageJobsWithoutQueueName: true
managedJobsNamespaceSelector: {matchLabels: {team: a}}
waitForPodsReady:
  timeout: 5m
  recoveryTimeout: 0s
  blockAdmission: true
  requeuingStrategy: {timestamp: Creation, backoffLimitCount: 3, backoffBaseSeconds: 10}
fairSharing: {preemptionStrategies: [LessThanInitialShare]}
admissionFairSharing: {usageHalfLifeTime: 1h, resourceWeights: {cpu: 0.1, nvidia.com/gpu: 10}}
resources:
  excludeResourcePrefixes: [example.com/]
  transformations: [{input: nvidia.com/mig-1g, strategy: Replace, outputs: {example.com/gib: 5}}]
  deviceClassMappings: [{name: whole-gpus, deviceClassNames: [gpu.example.com]}]
  quotaCheckStrategy: IgnoreUndeclared
integrations: {frameworks: [batch/job], labelKeysToCopy: [a]}
featureGates: {PartialAdmission: false}
leaderElection: {leaderElect: true}
)");

  EXPECT_TRUE(config.quota.manages_jobs_without_queue);
  ASSERT_TRUE(config.quota.pods_ready);
  EXPECT_EQ(config.quota.pods_ready->timeout, 5min);
  EXPECT_EQ(config.quota.pods_ready->recovery_timeout, 0s);
  EXPECT_EQ(config.quota.pods_ready->order, RequeueOrder::creation);
  EXPECT_EQ(config.quota.pods_ready->retries_max, 3);
  EXPECT_EQ(config.quota.fair_sharing, std::vector{ShareRule::below_initial_share});
  ASSERT_TRUE(config.quota.admission_fair_sharing);
  EXPECT_EQ(config.quota.admission_fair_sharing->half_life, 1h);
  EXPECT_EQ(config.quota.admission_fair_sharing->sampling_interval, 5min);
  EXPECT_EQ(config.quota.admission_fair_sharing->weights.at("cpu"), 0.1);
  EXPECT_EQ(config.quota.transformations.at(0).outputs.at(0).first, "example.com/gib");
  EXPECT_TRUE(config.quota.transformations.at(0).replaces);
  EXPECT_EQ(config.quota.device_classes.at(0).classes, std::vector<std::string>{"gpu.example.com"});
  EXPECT_EQ(config.quota.frameworks, std::vector<std::string>{"batch/job"});
  EXPECT_FALSE(config.quota.feature_gates.at("PartialAdmission"));
  EXPECT_EQ(config.unheeded,
            (std::vector<std::string>{"leaderElection", "integrations.labelKeysToCopy"}));
  EXPECT_EQ(config.quota.undeclared, core::UndeclaredResources::ignore);
}

TEST(KueueConfig, asksTheOlderVersionWhetherAPartIsOn) {
  EXPECT_FALSE(must_parse_kueue("waitForPodsReady: {timeout: 5m}", "v1beta1").quota.pods_ready);
  EXPECT_TRUE(must_parse_kueue("waitForPodsReady: {enable: true}", "v1beta1").quota.pods_ready);
  EXPECT_TRUE(
      must_parse_kueue("fairSharing: {enable: false}", "v1beta1").quota.fair_sharing.empty());
  EXPECT_EQ(must_parse_kueue("fairSharing: {enable: true}", "v1beta1").quota.fair_sharing.size(),
            2U);
}

TEST(KueueConfig, namesLineAndFieldOfWhatItRefuses) {
  const struct {
    std::string body;
    std::string message;
  } refusals[] = {
      {"waitForPodsReady: {timeout: 0s}",
       "line 3: waitForPodsReady.timeout: must be above 0, is 0s"},
      {"waitForPodsReady: {timeuot: 1s}", "line 3: waitForPodsReady.timeuot: unknown field"},
      {"waitForPodsReady: {requeuingStrategy: {timestamp: Now}}",
       "line 3: waitForPodsReady.requeuingStrategy.timestamp: unknown value 'Now', expected one "
       "of Eviction, Creation"},
      {"fairSharing:\n  preemptionStrategies: [LessThanInitialShare, LessThanInitialShare]",
       "line 4: fairSharing.preemptionStrategies: must be one of"},
      {"admissionFairSharing: {resourceWeights: {cpu: -1}}",
       "line 3: admissionFairSharing.resourceWeights.cpu: must be at least 0"},
      {"resources: {transformations: [{input: a}, {input: a}]}",
       "line 3: resources.transformations[1].input: is transformed already: 'a'"},
      {"resources: {deviceClassMappings: [{name: a}]}",
       "line 3: resources.deviceClassMappings[0].deviceClassNames: required"},
      {"resources: {quotaCheckStrategy: Ignore}",
       "line 3: resources.quotaCheckStrategy: unknown value 'Ignore', expected one of "
       "BlockUndeclared, IgnoreUndeclared"},
      {"featureGates: {A: yes-please}", "line 3: featureGates.A: expected a boolean"},
      {"manageJobsWithoutQueueName: 1", "line 3: manageJobsWithoutQueueName: expected a boolean"},
  };
  for (const auto& [body, message] : refusals) {
    SCOPED_TRACE(body);
    const auto config = parse_kueue(body);
    ASSERT_FALSE(config.ok());
    EXPECT_TRUE(config.error().message.starts_with(message)) << config.error().message;
  }
  EXPECT_FALSE(parse_kueue("", "v1alpha1").ok());
}

TEST(KueueConfig, isFoundInTheConfigMapOfACluster) {
  const auto found = [](std::string_view text) {
    std::optional<std::string> config;
    const Status status = wire::read_documents(text, [&](wire::Document&& document) {
      config = kueue_config_in(document.root());
      return ok_status();
    });
    EXPECT_TRUE(status.ok());
    return config;
  };
  const auto mapped = found(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue-manager-config}\ndata:\n"
      "  controller_manager_config.yaml: |\n    apiVersion: config.kueue.x-k8s.io/v1beta2\n"
      "    kind: Configuration\n");
  ASSERT_TRUE(mapped);
  EXPECT_TRUE(parse_kueue_config(*mapped).ok());
  EXPECT_FALSE(found("{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}"));
  EXPECT_FALSE(found("{apiVersion: v1, kind: Node}"));
}

}  // namespace
}  // namespace tutti::config
