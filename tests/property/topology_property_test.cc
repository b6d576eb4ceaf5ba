// Trees of groups with topology keys, levels and slices on small random clusters, against trying
// everything (small_topology.h): a placement is found exactly when one exists, what is placed obeys
// the rules, and "impossible" is never said of what is possible.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "plugins/registry.h"
#include "property/seeds.h"
#include "property/small_topology.h"
#include "support/build.h"
#include "support/device_build.h"
#include "support/fake_port.h"

namespace tutti {
namespace {

using test::Level;
using test::SmallTopology;

constexpr const char* kKeys[] = {"", "zone", "rack"};
std::string key(Level level) { return kKeys[static_cast<std::size_t>(level)]; }

// What a group writes; pods that follow others write key().
std::string group_key(const SmallTopology& topology, Level level) {
  const bool attribute = topology.by_devices && level != Level::none;
  return attribute ? std::string(test::kDriver) + "/" + key(level) : key(level);
}

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config.profiles.emplace_back();
  return made;
}

std::vector<core::Profile> profiles() {
  std::vector<core::Profile> made;
  made.push_back(*plugins::build_profile(core::ProfileConfig{}));
  return made;
}

// The scheduler before a small topology.
class Stage {
 public:
  explicit Stage(const SmallTopology& topology)
      : topology_(topology), scheduler_(options(), profiles(), port_) {
    port_.serve(scheduler_);
    show();
    came_to_rest_ = port_.settle();
  }

  bool came_to_rest() const { return came_to_rest_; }
  SmallTopology::Assignment assignment() const {
    SmallTopology::Assignment at;
    for (std::size_t p = 0; p < topology_.pods.size(); ++p) {
      const std::string node = port_.node_of(name(p));
      at.push_back(node.empty() ? -1 : std::stoi(node.substr(1)));
    }
    return at;
  }
  // What the scheduler says of the first pod that waits.
  const core::Attempt* last_attempt() const {
    for (std::size_t p = 0; p < topology_.pods.size(); ++p) {
      const auto id = scheduler_.cluster().pods().find("pod-" + name(p));
      if (!id || !port_.node_of(name(p)).empty()) continue;
      return scheduler_.last_attempt(*id);
    }
    return nullptr;
  }
  std::string problem() const { return scheduler_.check_consistency(); }

 private:
  static std::string name(std::size_t pod) { return "p" + std::to_string(pod); }

  void show() {
    for (std::size_t n = 0; n < topology_.nodes.size(); ++n) show_node(n);
    if (topology_.composite) {
      show_composite("root", "", topology_.minimum_leaves, topology_.root_key);
    }
    for (std::size_t b = 0; b < topology_.branches.size(); ++b) {
      const auto& branch = topology_.branches[b];
      show_composite("b" + std::to_string(b), "root", branch.minimum, branch.key);
    }
    for (std::size_t l = 0; l < topology_.leaves.size(); ++l) {
      const auto& leaf = topology_.leaves[l];
      auto group = test::pod_group("g" + std::to_string(l)).gang(leaf.minimum);
      group.topology(group_key(topology_, leaf.key));
      if (topology_.composite) {
        group.parent(leaf.branch < 0 ? "root" : "b" + std::to_string(leaf.branch));
      }
      port_.apply(group.build());
    }
    for (std::size_t p = 0; p < topology_.pods.size(); ++p) show_pod(p);
  }
  void show_composite(const std::string& name, const std::string& parent, int minimum,
                      Level level) {
    auto made = std::make_shared<model::CompositePodGroup>();
    made->meta.name = made->meta.uid = name;
    made->meta.ns = "t";
    made->parent = parent;
    made->spec.policy = {true, minimum};
    made->spec.topology_key = group_key(topology_, level);
    port_.apply(std::shared_ptr<const model::CompositePodGroup>(made));
  }
  void show_node(std::size_t n) {
    const auto& node = topology_.nodes[n];
    auto made = test::node("n" + std::to_string(n));
    made.cpu(std::to_string(node.cpu)).memory(std::to_string(node.memory) + "Gi");
    if (node.zone >= 0) made.label("zone", std::to_string(node.zone));
    if (node.rack >= 0) made.label("rack", std::to_string(node.rack));
    for (const Level level : {Level::zone, Level::rack}) {
      const int value = node.label.domain(level);
      if (value >= 0) made.label(group_key(topology_, level), std::to_string(value));
    }
    const bool devices_first = n % 2 == 0;
    if (devices_first) show_devices(n);
    port_.apply(made.build());
    if (!devices_first) show_devices(n);
  }
  // Zones as numbers, racks as texts; what is said under bare names belongs to the driver.
  void show_devices(std::size_t n) {
    std::vector<model::Device> devices;
    for (const auto& place : topology_.nodes[n].devices) {
      auto device = test::device("d" + std::to_string(devices.size()));
      if (place.zone >= 0) device.attribute("zone", std::int64_t{place.zone});
      if (place.rack >= 0) {
        device.attribute(group_key(topology_, Level::rack), std::to_string(place.rack));
      }
      devices.push_back(device);
    }
    if (devices.empty()) return;
    const auto node = "n" + std::to_string(n);
    port_.apply(std::shared_ptr<const model::ResourceSlice>(
        test::slice("slice-" + node, node, node, std::move(devices))));
  }
  void show_pod(std::size_t p) {
    const auto& pod = topology_.pods[p];
    auto made = test::pod(name(p)).group("g" + std::to_string(pod.leaf));
    made.cpu(std::to_string(pod.cpu));
    if (pod.memory > 0) made.memory(std::to_string(pod.memory) + "Gi");
    if (pod.repels) made.label("repels", "yes");
    if (pod.repels) made.anti_affinity("kubernetes.io/hostname", "repels", "yes");
    if (pod.port) made.host_port(8080);
    if (pod.role) made.label("role", "leads");
    if (pod.follows != Level::none) made.affinity(key(pod.follows), "role", "leads");
    if (pod.node >= 0) made.on("n" + std::to_string(pod.node));
    auto built = std::make_shared<model::Pod>(*made.build());
    annotate(*built, topology_.leaves[static_cast<std::size_t>(pod.leaf)]);
    port_.apply(std::shared_ptr<const model::Pod>(built));
  }
  void annotate(model::Pod& pod, const test::SmallLeaf& leaf) const {
    const auto say = [&](const std::string& what, const std::string& value) {
      test::put(pod.meta.annotations, "kueue.x-k8s.io/podset-" + what, value);
    };
    if (leaf.required != Level::none) say("required-topology", group_key(topology_, leaf.required));
    if (leaf.preferred != Level::none)
      say("preferred-topology", group_key(topology_, leaf.preferred));
    if (leaf.slice_size == 0) return;
    say("slice-required-topology", group_key(topology_, leaf.slice));
    say("slice-size", std::to_string(leaf.slice_size));
  }

  const SmallTopology& topology_;
  test::FakePort port_;
  core::Scheduler scheduler_;
  bool came_to_rest_ = false;
};

std::string word_on(const Stage& stage) {
  const core::Attempt* attempt = stage.last_attempt();
  return attempt == nullptr ? "nothing waits" : "the scheduler says: " + attempt->message;
}

std::string text_of(const SmallTopology::Assignment& at) {
  std::string text;
  for (const int node : at) text += " " + std::to_string(node);
  return text;
}

std::string check(const SmallTopology& topology) {
  const bool possible = topology.possible();
  const Stage stage(topology);
  if (!stage.came_to_rest()) return "the scheduler does not come to rest" + topology.text();
  if (const auto problem = stage.problem(); !problem.empty()) return problem + topology.text();
  const auto at = stage.assignment();
  const bool placed = at != topology.start();
  if (placed && !topology.solved(at))
    return "placed against the rules:" + text_of(at) + topology.text();
  if (possible && !placed) {
    return "a placement exists and was not found; " + word_on(stage) + topology.text();
  }
  if (!possible && placed) return "placed what brute force cannot:" + text_of(at) + topology.text();
  const core::Attempt* attempt = stage.last_attempt();
  const bool ended = attempt != nullptr && attempt->search == core::Search::exhausted;
  return ended ? "the budget ended on so small a cluster" + topology.text() : "";
}

TEST(Topology, isSatisfiedExactlyWhenTryingEverythingSatisfiesIt) {
  std::size_t possible = 0;
  test::for_seeds("tutti_topology_property_test", 20'000, [&](std::uint64_t seed) {
    const auto topology = test::SmallTopologyMaker(seed).make();
    possible += topology.possible();
    return check(topology);
  });
  RecordProperty("possible", static_cast<int>(possible));
}

TEST(Topology, ofThreeLevelsOfGroupsIsSatisfiedExactlyWhenTryingEverythingSatisfiesIt) {
  test::for_seeds("tutti_topology_property_test", 20'000, [&](std::uint64_t seed) {
    return check(test::SmallTopologyMaker(seed).make_deep());
  });
}

}  // namespace
}  // namespace tutti
