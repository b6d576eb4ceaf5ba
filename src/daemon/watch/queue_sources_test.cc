#include "daemon/watch/queue_sources.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::daemon {
namespace {

constexpr const char* kVersion = "kueue.x-k8s.io/v1beta2";

std::vector<kube::Offer> offers_of(const std::string& version, bool readable) {
  return std::vector<kube::Offer>(queue_resources().size(), kube::Offer{version, readable});
}

TEST(QueueSources, areNoneWhereKueueIsUnknown) {
  const auto sources = queue_sources(offers_of("", false));
  EXPECT_TRUE(sources.resources.empty());
  EXPECT_TRUE(sources.lines.empty());
}

TEST(QueueSources, areAllKindsInTheServedVersion) {
  const auto sources = queue_sources(offers_of(kVersion, true));
  ASSERT_EQ(sources.resources.size(), queue_resources().size());
  for (const kube::Resource& each : sources.resources) {
    EXPECT_EQ(each.group_version, kVersion);
    EXPECT_EQ(each.read_templates, each.kind == model::Kind::admission_request);
  }
  EXPECT_EQ(sources.resources.back().plural, "workloads");
}

TEST(QueueSources, doWithoutCohortsAndChecksButNotWithoutQueues) {
  auto offers = offers_of(kVersion, true);
  offers[1] = offers[2] = {};
  EXPECT_EQ(queue_sources(offers).resources.size(), queue_resources().size() - 2);
  offers[4] = {};
  EXPECT_TRUE(queue_sources(offers).resources.empty());
}

TEST(QueueSources, sayWhatMayNotBeRead) {
  auto offers = offers_of(kVersion, true);
  offers[3].readable = false;
  const auto sources = queue_sources(offers);
  EXPECT_TRUE(sources.resources.empty());
  ASSERT_EQ(sources.lines.size(), 1U);
  EXPECT_NE(sources.lines[0].first.find("clusterqueues"), std::string::npos);
}

}  // namespace
}  // namespace tutti::daemon
