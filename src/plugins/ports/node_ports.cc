#include "plugins/ports/node_ports.h"

#include <algorithm>
#include <vector>

namespace tutti::plugins {
namespace {

constexpr std::string_view kEveryAddress = "0.0.0.0";

using Ports = std::vector<core::HostPort>;

bool conflict(const Ports& wanted, const Ports& taken) {
  return std::ranges::any_of(wanted, [&](const core::HostPort& a) {
    return std::ranges::any_of(taken, [&](const auto& b) { return plugins::conflict(a, b); });
  });
}

class PortFilter final : public core::FilterEvaluator {
 public:
  PortFilter(const core::Cluster& cluster, const Ports& wanted)
      : cluster_(cluster), wanted_(wanted) {}

  // Few pods use host ports: finding the shapes in the way first leaves most nodes untouched.
  void filter(Bitset& nodes) const override {
    std::vector<core::ShapeId> in_the_way;
    for (const auto& [shape, count] : cluster_.populations().special()) {
      if (conflict(wanted_, cluster_.shape(shape).host_ports)) in_the_way.push_back(shape);
    }
    if (in_the_way.empty()) return;
    std::ranges::sort(in_the_way);
    nodes.for_each_set([&](std::size_t i) {
      const auto on_node =
          cluster_.populations().special_on(core::NodeId{static_cast<std::uint32_t>(i)});
      const bool blocked = std::ranges::any_of(on_node, [&](const core::ShapeCount& there) {
        return std::ranges::binary_search(in_the_way, there.shape);
      });
      if (blocked) nodes.reset(i);
    });
  }
  bool accepts(core::NodeId node) const override {
    return std::ranges::none_of(cluster_.populations().special_on(node),
                                [&](const core::ShapeCount& there) {
                                  return conflict(wanted_, cluster_.shape(there.shape).host_ports);
                                });
  }
  std::vector<core::PluginStatus> explain(core::NodeId) const override {
    return {{core::Code::unschedulable, NodePorts::kName,
             "node(s) didn't have free ports for the requested pod ports"}};
  }
  core::Effect changed(const core::Change& change) override {
    return cluster_.shape(change.shape).host_ports.empty() ? core::Effect::none
                                                           : core::Effect::node;
  }

 private:
  const core::Cluster& cluster_;
  const Ports& wanted_;  // of the class's shape, which lives as long as the class
};

}  // namespace

bool conflict(const core::HostPort& a, const core::HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kEveryAddress || b.ip == kEveryAddress);
}

core::EventKind NodePorts::wakes_on() const {
  return core::EventKind::node_added | core::EventKind::pod_removed;
}

bool NodePorts::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                               const core::ClusterEvent& event) const {
  const auto pod = cluster.pods().find(rejected.meta.uid);
  if (!pod || !event.node.valid()) return true;
  const auto& wanted = cluster.shape(cluster.pod(*pod).shape).host_ports;
  return cluster.nodes().live().test(event.node.index) &&
         PortFilter(cluster, wanted).accepts(event.node);
}

core::Prepared<core::FilterEvaluator> NodePorts::prepare_filter(const core::Cluster& cluster,
                                                                const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const Ports& wanted = cluster.shape(pods.shape).host_ports;
  if (wanted.empty()) return Prepared::skip();
  return Prepared::ready(std::make_unique<PortFilter>(cluster, wanted));
}

}  // namespace tutti::plugins
