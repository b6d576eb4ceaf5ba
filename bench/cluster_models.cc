#include "cluster_models.h"

#include <fmt/format.h>

#include <map>

#include "support/build.h"

namespace tutti::bench {

std::vector<std::shared_ptr<const model::Node>> make_nodes(std::size_t count, bool varied) {
  std::vector<std::shared_ptr<const model::Node>> nodes;
  nodes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto node = test::node(fmt::format("node-{:06}", i));
    node.cpu("64").memory("256Gi").pods("110");
    node.label("topology.kubernetes.io/zone", fmt::format("zone-{}", i % 3));
    node.label("example.com/rack", fmt::format("rack-{}", i / 40));
    if (varied) {
      node.label("pool", i % 4 == 0 ? "batch" : "general");
      if (i % 10 == 0) node.taint("dedicated", "research", "NoSchedule");
    }
    nodes.push_back(node.build());
  }
  return nodes;
}

std::shared_ptr<const model::Pod> small_pod(std::size_t number, const char* group) {
  static std::map<std::string, std::shared_ptr<const model::PodSpec>> specs;
  auto& spec = specs[group];
  if (!spec) spec = test::pod("template").cpu("1").memory("2Gi").group(group).build()->spec;
  auto pod =
      std::make_shared<model::Pod>(*test::pod(fmt::format("{}-{:07}", group, number)).build());
  pod->spec = spec;
  return pod;
}

std::shared_ptr<const model::Pod> odd_pod(std::size_t number) {
  auto pod = test::pod(fmt::format("odd-{:07}", number));
  pod.cpu(fmt::format("{}m", 100 + number % 1900)).memory(fmt::format("{}Mi", 64 + number % 4093));
  if (number % 3 == 0) pod.node_selector("pool", number % 2 == 0 ? "batch" : "general");
  if (number % 5 == 0) {
    pod.toleration({.key = "dedicated",
                    .op = model::Toleration::Operator::equal,
                    .value = "research",
                    .effect = "NoSchedule",
                    .toleration_seconds = {}});
  }
  if (number % 7 == 0) {
    pod.toleration({.key = fmt::format("team-{}", number % 97),
                    .op = model::Toleration::Operator::exists,
                    .value = {},
                    .effect = {},
                    .toleration_seconds = {}});
  }
  return pod.build();
}

}  // namespace tutti::bench
