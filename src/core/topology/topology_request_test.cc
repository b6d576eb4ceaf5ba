#include "core/topology/topology_request.h"

#include <gtest/gtest.h>

#include "core/topology/levels.h"
#include "model/topology.h"
#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;
using Annotations = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<const model::Pod> asking(const std::string& name, const Annotations& annotations) {
  auto made = std::make_shared<model::Pod>(*pod(name).build());
  for (const auto& [key, value] : annotations) {
    test::put(made->meta.annotations, "kueue.x-k8s.io/podset-" + key, value);
  }
  return made;
}

TEST(TopologyRequest, readsKueuesAnnotations) {
  const auto request = topology_request(*asking("p", {{"required-topology", "block"},
                                                      {"preferred-topology", "rack"},
                                                      {"slice-required-topology", "host"},
                                                      {"slice-size", "4"}}));
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(*request, (TopologyRequest{"block", "rack", false, "host", 4}));
  EXPECT_TRUE(topology_request(*asking("p", {})).ok());
  EXPECT_TRUE(topology_request(*asking("p", {}))->none());
}

TEST(TopologyRequest, namesTheAnnotationThatMakesNoSense) {
  struct Case {
    std::string_view name;
    Annotations annotations;
    std::string_view message;
  };
  const Case cases[] = {
      {"size is no number",
       {{"slice-required-topology", "rack"}, {"slice-size", "x"}},
       "podset-slice-size: 'x' is not a number of pods"},
      {"size is zero",
       {{"slice-required-topology", "rack"}, {"slice-size", "0"}},
       "podset-slice-size: '0' is not a number of pods"},
      {"size alone", {{"slice-size", "2"}}, "podset-slice-size: needs"},
      {"slice alone",
       {{"slice-required-topology", "rack"}},
       "podset-slice-required-topology: needs"},
      {"anywhere and somewhere",
       {{"unconstrained-topology", "true"}, {"required-topology", "rack"}},
       "podset-unconstrained-topology: contradicts"},
  };
  for (const auto& [name, annotations, message] : cases) {
    SCOPED_TRACE(name);
    const auto request = topology_request(*asking("p", annotations));
    ASSERT_FALSE(request.ok());
    EXPECT_NE(request.error().message.find(message), std::string::npos) << request.error().message;
  }
}

TEST(TopologyRequest, mustBeTheSameForAllMembersAndDivideThem) {
  Cluster cluster;
  const PodId a = cluster.set_pod(asking("a", {{"required-topology", "rack"}}));
  const PodId b = cluster.set_pod(asking("b", {{"required-topology", "block"}}));
  const PodId both[] = {a, b};
  EXPECT_EQ(topology_request(cluster, both).error().message,
            "pods a and b ask for different topologies in their annotations");
  const Annotations slices = {{"slice-required-topology", "rack"}, {"slice-size", "2"}};
  const PodId three[] = {cluster.set_pod(asking("c", slices)), cluster.set_pod(asking("d", slices)),
                         cluster.set_pod(asking("e", slices))};
  EXPECT_NE(
      topology_request(cluster, three).error().message.find("2 does not divide the 3 members"),
      std::string::npos);
}

TEST(Rank, comesFromTheIndexOrElseFromTheName) {
  struct Case {
    std::string_view name;
    std::shared_ptr<const model::Pod> pod;
    std::optional<std::int64_t> rank;
  };
  const Case cases[] = {
      {"name", pod("worker-12"), 12},
      {"name without a dash", pod("w3"), 3},
      {"no number", pod("leader"), std::nullopt},
      {"completion index", pod("x-9").label("batch.kubernetes.io/job-completion-index", "4"), 4},
      {"index of a pod group", pod("x").label("kueue.x-k8s.io/pod-group-pod-index", "7"), 7},
  };
  for (const auto& [name, asked, rank] : cases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(rank_of(*asked), rank);
  }
}

TEST(Rank, ordersNumbersAsNumbersEvenWithoutRanks) {
  Cluster cluster;
  std::vector<PodId> pods;
  for (const auto* name : {"b-10", "a-2", "b-2", "a-10"})
    pods.push_back(cluster.set_pod(pod(name)));
  sort_by_rank(cluster, pods);
  std::string order;
  for (const PodId each : pods) order += cluster.pod(each).object->meta.name + " ";
  EXPECT_EQ(order, "a-2 a-10 b-2 b-10 ");
}

std::shared_ptr<const model::Topology> levels(const std::string& name,
                                              std::vector<std::string> keys) {
  auto made = std::make_shared<model::Topology>();
  made->meta.name = name;
  made->levels = std::move(keys);
  return made;
}

TopologyRequest asks(std::string required, std::string preferred = {}) {
  TopologyRequest request;
  request.required = std::move(required);
  request.preferred = std::move(preferred);
  return request;
}

TEST(Levels, areThoseOfTheTopologyThatKnowsTheKeys) {
  Cluster cluster;
  cluster.set_node(node("n").label("block", "b").label("rack", "r").label("row", "x"));
  EXPECT_EQ(levels_for(cluster, asks("block", "rack")).keys,
            (std::vector<std::string>{"block", "rack"}));
  cluster.set_object(levels("a", {"row"}));
  cluster.set_object(levels("b", {"block", "rack", "kubernetes.io/hostname"}));
  EXPECT_EQ(levels_for(cluster, asks("rack")).keys,
            (std::vector<std::string>{"block", "rack", "kubernetes.io/hostname"}));
}

TEST(Levels, sayWhichNodeOrLabelIsWrong) {
  Cluster cluster;
  cluster.set_node(node("n1").label("block", "b1").label("rack", "r"));
  cluster.set_node(node("n2").label("block", "b2").label("rack", "r"));
  const auto missing = levels_for(cluster, asks("row")).verdict;
  EXPECT_EQ(missing.code, Code::unschedulable);
  EXPECT_EQ(missing.reason, "no node has label row");
  const auto split = levels_for(cluster, asks("block", "rack")).verdict;
  EXPECT_EQ(split.code, Code::error);
  EXPECT_EQ(split.reason,
            "labels contradict each other: node n2 has rack=r in block=b2, node n1 in block=b1");
  cluster.set_object(levels("a", {"block", "rack"}));
  const auto order = levels_for(cluster, asks("rack", "block")).verdict;
  EXPECT_EQ(order.reason, "preferred topology block is wider than the required topology rack");
}

}  // namespace
}  // namespace tutti::core
