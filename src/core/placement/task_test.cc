#include "core/placement/task.h"

#include <gtest/gtest.h>

#include <string>

#include "core/topology/topology_cache.h"
#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;
using test::pod_group;
using Membership = GroupTable::Membership;

// Racks r1 (a) and r2 (b), a node c outside any rack, and a gang of three in rack domains.
class TaskTest : public testing::Test {
 protected:
  TaskTest() {
    cluster_.set_node(node("a").label("rack", "r1"));
    cluster_.set_node(node("b").label("rack", "r2"));
    cluster_.set_node(node("c"));
    leaf_.group = groups_.set(pod_group("g").gang(3).topology("rack").build());
  }
  void waiting(const std::string& name) {
    leaf_.members.push_back(cluster_.set_pod(pod(name).group("g")));
    groups_.add_pod(leaf_.group, leaf_.members.back(), Membership::pending);
  }
  void running(const std::string& name, const std::string& on) {
    const PodId id = cluster_.set_pod(pod(name).group("g").on(on));
    groups_.add_pod(leaf_.group, id, Membership::assigned);
  }
  Task task(const TopologyRequest& request = {}) const {
    return make_task(cluster_, groups_, leaf_, request);
  }
  std::string complaint(const TopologyRequest& request = {}) const {
    const Status status = check_running(cluster_, task(request));
    return status.ok() ? "" : status.error().message;
  }

  static TopologyRequest slices_of(std::size_t size) {
    TopologyRequest request;
    request.slice_key = "rack";
    request.slice_size = size;
    return request;
  }

  Cluster cluster_;
  GroupTable groups_;
  Subtree leaf_;
};

TEST_F(TaskTest, needsWhatIsMissingBesideThoseThatRun) {
  running("p-0", "a");
  waiting("p-1");
  waiting("p-2");
  EXPECT_FALSE(task().stands);
  EXPECT_EQ(task().minimum, 2U);
}

TEST_F(TaskTest, thatStandsMayGrowByOne) {
  for (const std::string name : {"p-0", "p-1", "p-2"}) running(name, "a");
  EXPECT_TRUE(task().stands);
  EXPECT_FALSE(task().waits());
  waiting("p-3");
  waiting("p-4");
  EXPECT_TRUE(task().stands);
  EXPECT_TRUE(task().waits());
  EXPECT_EQ(task().minimum, 1U);
}

TEST_F(TaskTest, countsTheMembersThatSlicesBring) {
  running("p-0", "a");
  for (const std::string name : {"p-1", "p-2", "p-3"}) waiting(name);
  const Task sliced = task(slices_of(2));
  EXPECT_EQ(sliced.minimum, 2U);
  ASSERT_EQ(sliced.children.size(), 2U);
  EXPECT_EQ(sliced.children[0].worth, 1U);
  EXPECT_EQ(sliced.children[0].scheduled.size(), 1U);
  EXPECT_EQ(sliced.children[1].worth, 2U);
}

TEST_F(TaskTest, namesAMemberThatRunsOutsideItsDomain) {
  running("p-0", "a");
  EXPECT_EQ(complaint(), "");
  running("p-1", "c");
  EXPECT_EQ(complaint(), "scheduled member p-1 is on node c without label rack");
}

TEST_F(TaskTest, namesAMemberThatRunsOutsideItsSlice) {
  groups_.set(pod_group("g").gang(3).build());
  running("p-0", "a");
  running("p-2", "b");
  waiting("p-1");
  EXPECT_EQ(complaint(slices_of(2)), "");
  running("p-3", "a");
  EXPECT_EQ(complaint(slices_of(2)), "scheduled member p-3 is in rack=r1 and others in r2");
}

TEST_F(TaskTest, leavesOutWhoAsksForLevelsThatNoNodeHas) {
  TopologyCache topology;
  auto asking = std::make_shared<model::Pod>(*pod("p-0").group("g").build());
  test::put(asking->meta.annotations, "kueue.x-k8s.io/podset-preferred-topology", "row");
  leaf_.members.push_back(cluster_.set_pod(asking));
  groups_.add_pod(leaf_.group, leaf_.members.back(), Membership::pending);
  EXPECT_FALSE(make_task(cluster_, groups_, topology, leaf_).waits());
}

}  // namespace
}  // namespace tutti::core
