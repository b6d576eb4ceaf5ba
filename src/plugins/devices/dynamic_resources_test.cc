#include "plugins/devices/dynamic_resources.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::plugins {
namespace {

TEST(DynamicResources, refusesAPodThatAsksForClaims) {
  core::Cluster cluster;
  const auto id = cluster.set_pod(test::pod("p").with([](model::PodSpec& spec) {
    spec.resource_claims.push_back({.name = "gpu", .claim_name = "c", .template_name = {}});
  }));
  const auto prepared = DynamicResources().prepare_filter(cluster, cluster.class_of(id));
  EXPECT_EQ(prepared.verdict.code, core::Code::unresolvable);
  EXPECT_EQ(prepared.verdict.reason,
            "resource claim \"gpu\" cannot be allocated: claims are not supported");
}

TEST(DynamicResources, saysNothingAboutOtherPods) {
  core::Cluster cluster;
  const auto id = cluster.set_pod(test::pod("p"));
  const auto prepared = DynamicResources().prepare_filter(cluster, cluster.class_of(id));
  EXPECT_EQ(prepared.verdict.code, core::Code::skip);
}

}  // namespace
}  // namespace tutti::plugins
