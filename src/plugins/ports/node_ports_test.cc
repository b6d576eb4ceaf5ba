#include "plugins/ports/node_ports.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::NodeId;
using model::Protocol;
using test::node;
using test::pod;

TEST(NodePorts, refusesAPortThatIsTaken) {
  struct Case {
    std::string_view name;
    std::int32_t port;
    Protocol protocol;
    std::string ip;
    bool accepted;
  };
  // The node's pod has TCP 80 on 10.0.0.1 and UDP 53 on every address.
  const Case cases[] = {
      {"the same", 80, Protocol::tcp, "10.0.0.1", false},
      {"the same on every address", 80, Protocol::tcp, "", false},
      {"another address", 80, Protocol::tcp, "10.0.0.2", true},
      {"another protocol", 80, Protocol::udp, "10.0.0.1", true},
      {"another port", 81, Protocol::tcp, "10.0.0.1", true},
      {"one address of a port taken on all", 53, Protocol::udp, "10.0.0.9", false},
  };
  for (const auto& [name, port, protocol, ip, accepted] : cases) {
    SCOPED_TRACE(name);
    Cluster cluster;
    const NodeId on = cluster.set_node(node("n"));
    const NodeId free = cluster.set_node(node("free"));
    cluster.set_pod(
        pod("there").host_port(80, Protocol::tcp, "10.0.0.1").host_port(53, Protocol::udp).on("n"));
    const auto id = cluster.set_pod(pod("new").host_port(port, protocol, ip));
    const auto filter = NodePorts().prepare_filter(cluster, cluster.class_of(id)).evaluator;
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->accepts(on), accepted);
    EXPECT_TRUE(filter->accepts(free));
    Bitset nodes = cluster.nodes().live();
    filter->filter(nodes);
    EXPECT_EQ(nodes.test(on.index), accepted);
    EXPECT_TRUE(nodes.test(free.index));
  }
}

TEST(NodePorts, seesPodsPlacedAfterItWasPrepared) {
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n"));
  const auto first = cluster.set_pod(pod("first").host_port(80));
  const auto second = cluster.set_pod(pod("second").host_port(80));
  const auto filter = NodePorts().prepare_filter(cluster, cluster.class_of(second)).evaluator;
  ASSERT_TRUE(filter->accepts(on));
  cluster.place(first, on);
  EXPECT_EQ(filter->changed({on, cluster.pod(first).shape, cluster.pod(first).labels, 1}),
            core::Effect::node);
  EXPECT_FALSE(filter->accepts(on));
  EXPECT_EQ(filter->explain(on)[0].reason,
            "node(s) didn't have free ports for the requested pod ports");
}

TEST(NodePorts, saysNothingAboutPodsWithoutHostPorts) {
  Cluster cluster;
  cluster.set_node(node("n"));
  const auto id = cluster.set_pod(pod("p"));
  EXPECT_EQ(NodePorts().prepare_filter(cluster, cluster.class_of(id)).verdict.code,
            core::Code::skip);
}

}  // namespace
}  // namespace tutti::plugins
