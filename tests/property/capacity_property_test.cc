// The figures of `tutti capacity` on random small clusters, against the scheduler itself: a gang of
// the size reported for a level is placed, one of a member more is not; and every device is counted
// once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "capacity/report.h"
#include "core/scheduler/scheduler.h"
#include "property/seeds.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/fake_port.h"

namespace tutti {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

// What a random cluster has, and the kind of pod that is measured.
struct SmallCluster {
  std::vector<std::shared_ptr<const model::Node>> nodes;
  std::vector<std::shared_ptr<const model::Pod>> pods;  // on nodes
  test::PodBuilder like = test::pod("like");
  std::string text;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  SmallCluster make() {
    SmallCluster made;
    const std::size_t nodes = 1 + below(6);
    for (std::size_t i = 0; i < nodes; ++i) made.nodes.push_back(make_node(i, made.text));
    const std::size_t pods = below(8);
    for (std::size_t i = 0; i < pods; ++i) made.pods.push_back(make_pod(i, nodes, made.text));
    shape(made.like, made.text);
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(n)); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  std::shared_ptr<const model::Node> make_node(std::size_t i, std::string& text) {
    auto node = test::node("n" + std::to_string(i));
    const std::size_t cpu = 1 + below(6);
    const std::size_t gpus = below(5);
    node.cpu(std::to_string(cpu)).pods(std::to_string(2 + below(5)));
    node.allocatable(kGpu, std::to_string(gpus));
    text += fmt::format("\n  n{} cpu {} gpus {}", i, cpu, gpus);
    if (!one_in(6)) node.label("zone", std::to_string(below(2)));
    if (!one_in(6)) node.label("rack", std::to_string(below(3)));
    if (one_in(2)) node.label("pool", "a");
    if (one_in(5)) node.taint("dedicated", "x", "NoSchedule"), text += " tainted";
    if (one_in(6)) node.unschedulable(), text += " cordoned";
    return node;
  }

  std::shared_ptr<const model::Pod> make_pod(std::size_t i, std::size_t nodes, std::string& text) {
    const std::size_t node = below(nodes);
    auto pod = test::pod("p" + std::to_string(i)).on("n" + std::to_string(node));
    const std::size_t cpu = 1 + below(2);
    pod.cpu(std::to_string(cpu)).request(kGpu, std::to_string(below(2)));
    if (one_in(3)) pod.label("app", "x");
    text += fmt::format("\n  p{} cpu {} on n{}", i, cpu, node);
    return pod;
  }

  void shape(test::PodBuilder& pod, std::string& text) {
    const std::size_t cpu = 1 + below(3);
    const std::size_t gpus = below(3);
    pod.cpu(std::to_string(cpu)).label("app", "x").gate("never");
    if (gpus > 0) pod.request(kGpu, std::to_string(gpus));
    text += fmt::format("\n  like: cpu {} gpus {}", cpu, gpus);
    if (one_in(3)) pod.node_selector("pool", "a"), text += " in pool a";
    if (one_in(2)) {
      pod.toleration({.key = "dedicated",
                      .op = model::Toleration::Operator::exists,
                      .value = {},
                      .effect = {},
                      .toleration_seconds = {}});
      text += " tolerating";
    }
    switch (below(8)) {
      case 0:
        pod.anti_affinity("kubernetes.io/hostname", "app", "x"), text += " one per node";
        break;
      case 1:
        pod.anti_affinity("rack", "app", "x"), text += " one per rack";
        break;
      case 2:
        pod.host_port(8080), text += " with a port";
        break;
      case 3:
        pod.affinity("zone", "app", "x"), text += " in one zone";
        break;
      case 4:
        spread(pod), text += " spread over zones";
        break;
      default:
        break;
    }
  }

  static void spread(test::PodBuilder& pod) {
    pod.with([](model::PodSpec& spec) {
      model::TopologySpreadConstraint even;
      even.topology_key = "zone";
      even.selector = model::LabelSelector{{{"app", "x"}}, {}};
      spec.spread.push_back(even);
    });
  }

  Random random_;
};

// The scheduler before such a cluster, at rest.
class Stage {
 public:
  explicit Stage(const SmallCluster& cluster)
      : scheduler_(options(), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    for (const auto& node : cluster.nodes) port_.apply(node);
    for (const auto& pod : cluster.pods) port_.apply(pod);
    port_.apply(cluster.like.build());
    came_to_rest_ = port_.settle();
  }

  bool came_to_rest() const { return came_to_rest_; }
  const core::Scheduler& scheduler() const { return scheduler_; }

  // Whether a gang of so many pods, all in one domain of the key, is placed.
  bool places(const SmallCluster& cluster, const std::string& key, std::size_t size) {
    port_.apply(test::pod_group("g").gang(static_cast<std::int32_t>(size)).topology(key).build());
    for (std::size_t i = 0; i < size; ++i) {
      auto member = std::make_shared<model::Pod>(*cluster.like.build());
      auto spec = std::make_shared<model::PodSpec>(*member->spec);
      spec->scheduling_gates.clear();
      spec->scheduling_group = "g";
      member->spec = std::move(spec);
      member->meta.name = member->meta.uid = "g-" + std::to_string(i);
      port_.apply(std::shared_ptr<const model::Pod>(std::move(member)));
    }
    came_to_rest_ = port_.settle();
    return !port_.node_of("g-0").empty();
  }

 private:
  test::FakePort port_;
  core::Scheduler scheduler_;
  bool came_to_rest_ = false;
};

capacity::Report report_on(const core::Scheduler& scheduler) {
  capacity::ClusterCopy twin(scheduler, test::default_profiles());
  return capacity::make_report(
      {.scheduler = scheduler, .sources = explain::sources_of(scheduler), .now = Instant{}}, twin);
}

// What is wrong with the figure of one level; empty: nothing.
std::string check_level(const SmallCluster& cluster, const capacity::LevelCapacity& room) {
  const std::string where = room.key.empty() ? "the cluster" : room.key;
  if (room.gang > 0 && !Stage(cluster).places(cluster, room.key, room.gang)) {
    return fmt::format("a gang of {} is said to fit {} and is not placed", room.gang, where);
  }
  if (!room.exact) return fmt::format("no exact figure for {} on so small a cluster", where);
  if (Stage(cluster).places(cluster, room.key, room.gang + 1)) {
    return fmt::format("{} is said to be the most for {}, and {} are placed", room.gang, where,
                       room.gang + 1);
  }
  return {};
}

std::string check_gangs(std::uint64_t seed) {
  const SmallCluster cluster = Maker(seed).make();
  const Stage stage(cluster);
  if (!stage.came_to_rest()) return "the scheduler does not come to rest" + cluster.text;
  for (const capacity::ShapeRoom& shape : report_on(stage.scheduler()).shapes) {
    if (shape.shape.waiting == 0) continue;  // of the pods that only fill nodes
    for (const capacity::LevelCapacity& level : shape.levels) {
      const std::string problem = check_level(cluster, level);
      if (!problem.empty()) return problem + cluster.text;
    }
  }
  return {};
}

TEST(Capacity, theLargestGangIsTheLargestThatTheSchedulerPlaces) {
  test::for_seeds("tutti_capacity_property_test", 2'000, check_gangs);
}

std::string check_devices(std::uint64_t seed) {
  const SmallCluster cluster = Maker(seed).make();
  const Stage stage(cluster);
  std::size_t installed = 0;
  for (const auto& node : cluster.nodes) {
    installed += static_cast<std::size_t>(model::find(node->allocatable, kGpu)->units());
  }
  for (const capacity::DeviceUse& use : report_on(stage.scheduler()).devices) {
    std::size_t sum = use.held + use.usable;
    for (const auto& idle : use.unusable) sum += idle.devices;
    if (sum != use.total) {
      return fmt::format("{} of {} {} are counted", sum, use.total, use.name) + cluster.text;
    }
    if (use.total != installed) return "the nodes have another total" + cluster.text;
  }
  return {};
}

TEST(Capacity, everyDeviceIsHeldOrUsableOrIdleForOneReason) {
  test::for_seeds("tutti_capacity_property_test", 2'000, check_devices);
}

}  // namespace
}  // namespace tutti
