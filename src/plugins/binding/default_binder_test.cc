#include "plugins/binding/default_binder.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using test::node;
using test::pod;

class RecordingPort final : public core::ClusterPort {
 public:
  void bind(const core::BindRequest& request) override { bound.push_back(request); }
  void evict(const core::PodReference&, const model::Condition&) override {}
  void patch_pod(const core::PodStatusPatch&) override {}
  void patch_group(const core::GroupConditionPatch&) override {}
  void record(const core::EventRecord&) override {}
  void update(const model::ObjectPtr&) override {}
  std::vector<core::BindRequest> bound;
};

TEST(DefaultBinder, bindsThePodToTheNodeByName) {
  Cluster cluster;
  RecordingPort port;
  const auto on = cluster.set_node(node("n"));
  const auto id = cluster.set_pod(pod("p"));
  EXPECT_TRUE(DefaultBinder().bind(cluster, port, id, on).success());
  ASSERT_EQ(port.bound.size(), 1U);
  EXPECT_EQ(port.bound[0].node, "n");
  EXPECT_EQ(port.bound[0].pod.name, "p");
  EXPECT_EQ(port.bound[0].pod.uid, "pod-p");
}

}  // namespace
}  // namespace tutti::plugins
