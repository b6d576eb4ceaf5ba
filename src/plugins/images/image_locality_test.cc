#include "plugins/images/image_locality.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::NodeId;
using test::node;
using test::pod;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

core::Prepared<core::ScoreEvaluator> prepare(Cluster& cluster, std::vector<std::string> images) {
  const auto made = pod("p").with([&](model::PodSpec& spec) {
    spec.containers.clear();
    for (auto& image : images) spec.containers.emplace_back().image = std::move(image);
  });
  return ImageLocality().prepare_score(cluster, cluster.class_of(cluster.set_pod(made)));
}

TEST(ImageLocality, scalesTheBytesPresentByHowManyNodesHaveThem) {
  Cluster cluster;
  const NodeId both = cluster.set_node(
      node("both").image("app:v1", 1000 * kMebibyte).image("tool:latest", 400 * kMebibyte));
  const NodeId one = cluster.set_node(node("one").image("app:v1", 1000 * kMebibyte));
  const NodeId none = cluster.set_node(node("none"));
  cluster.set_node(node("also none"));
  const auto single = prepare(cluster, {"app:v1"}).evaluator;
  EXPECT_EQ(single->score(both), 100 * (500 - 23) / (1000 - 23));
  EXPECT_EQ(single->score(one), 100 * (500 - 23) / (1000 - 23));
  EXPECT_EQ(single->score(none), 0);
  const auto pair = prepare(cluster, {"app:v1", "tool"}).evaluator;
  EXPECT_EQ(pair->score(both), 100 * (600 - 23) / (2000 - 23));
  EXPECT_EQ(pair->score(one), 100 * (500 - 23) / (2000 - 23));
  std::vector<std::int64_t> column(cluster.nodes().slots());
  pair->score(cluster.nodes().live(), column);
  EXPECT_EQ(column[both.index], pair->score(both));
}

TEST(ImageLocality, saysNothingWhenNoNodeHasAnyOfTheImages) {
  Cluster cluster;
  cluster.set_node(node("n").image("other:v1", 500 * kMebibyte));
  EXPECT_EQ(prepare(cluster, {"app:v1"}).verdict.code, core::Code::skip);
}

TEST(ImageLocality, ignoresImagesBelowTheFloor) {
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n").image("app:v1", 10 * kMebibyte));
  EXPECT_EQ(prepare(cluster, {"app:v1"}).evaluator->score(on), 0);
}

}  // namespace
}  // namespace tutti::plugins
