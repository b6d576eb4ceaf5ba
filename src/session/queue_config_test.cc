#include "session/queue_config.h"

#include <gtest/gtest.h>

namespace tutti::session {
namespace {

constexpr std::string_view kScheduler = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: A\n";
constexpr std::string_view kKueue =
    "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n";

std::string join(std::string_view a, std::string_view b) {
  return std::string(a) + "---\n" + std::string(b);
}

TEST(QueueConfig, isFoundBesideAConfigurationOfTheScheduler) {
  const ConfigTexts texts = split_config(join(kScheduler, kKueue));
  EXPECT_TRUE(texts.scheduler.starts_with(kScheduler));
  EXPECT_EQ(texts.kueue, "\n\n---\n" + std::string(kKueue));
}

TEST(QueueConfig, mayBeAlone) {
  EXPECT_TRUE(split_config(kKueue).scheduler.empty());
  EXPECT_EQ(split_config(kKueue).kueue, kKueue);
  EXPECT_TRUE(split_config(kScheduler).kueue.empty());
  EXPECT_EQ(split_config(kScheduler).scheduler, kScheduler);
}

sim::Script with_config_map(std::string_view config) {
  auto map = std::make_shared<model::OtherObject>();
  map->api_version = "v1";
  map->kind_name = "ConfigMap";
  map->meta.ns = "kueue-system";
  map->meta.name = "kueue-manager-config";
  map->document = std::make_shared<const std::string>(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kueue-manager-config"},)"
      R"("data":{"controller_manager_config.yaml":")" +
      std::string(config) + "\"}}");
  sim::Script script;
  script.actions.push_back({.key = model::key_of(*map), .object = map});
  return script;
}

constexpr std::string_view kManages =
    R"(apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nmanageJobsWithoutQueueName: true\n)";

TEST(QueueConfig, isTakenFromTheConfigMapOfACluster) {
  const auto found = kueue_config_for(with_config_map(kManages), std::nullopt);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found->quota.manages_jobs_without_queue);
  EXPECT_TRUE(queue_rules(found->quota).holds_work_without_queue);
}

TEST(QueueConfig, isRefusedWhereTwoOfThemDiffer) {
  const auto found = kueue_config_for(with_config_map(kManages), config::KueueConfig{});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message,
            "ConfigMap kueue-system/kueue-manager-config: differs from Kueue's Configuration that "
            "--config gives");
}

TEST(QueueConfig, isKueuesDefaultWhereThereIsNone) {
  const auto found = kueue_config_for({}, std::nullopt);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->quota, core::QuotaConfig{});
  EXPECT_TRUE(queue_rules(found->quota).reports_readiness);
}

}  // namespace
}  // namespace tutti::session
