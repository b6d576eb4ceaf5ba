// Gangs of pods with devices on small random clusters whose nodes have devices of several domains,
// against trying everything: a gang is placed exactly when some domain admits all its members, each
// with devices that lie in no other domain; and who comes later stays where the others are.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/scheduler/scheduler.h"
#include "property/seeds.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/device_build.h"
#include "support/fake_port.h"

namespace tutti {
namespace {

constexpr int kEveryNode = -1;

struct SmallDevice {
  int node = 0;  // or kEveryNode
  std::string island;
  bool taken = false;
};

struct Scene {
  std::string key;
  bool inside = false;              // values mean something on one node only
  bool by_group = true;             // the key is the group's; otherwise its pods ask
  std::vector<std::string> labels;  // of nodes
  std::vector<SmallDevice> devices;
  std::vector<std::size_t> wanted;  // devices of each pod

  static std::string name(std::size_t device) { return "d" + std::to_string(device); }

  bool usable(std::size_t device, std::size_t node) const {
    return devices[device].node == kEveryNode || devices[device].node == static_cast<int>(node);
  }
  std::string domain(std::size_t node, const std::string& island) const {
    return inside ? "n" + std::to_string(node) + "/" + island : island;
  }
  std::set<std::string> domains_at(std::size_t node) const {
    if (!labels[node].empty()) return {labels[node]};
    std::set<std::string> found;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (!devices[d].island.empty() && usable(d, node)) {
        found.insert(domain(node, devices[d].island));
      }
    }
    return found;
  }
  std::set<std::string> domains() const {
    std::set<std::string> all;
    for (std::size_t n = 0; n < labels.size(); ++n) all.merge(domains_at(n));
    return all;
  }
  // Whether a pod on the node may have the device and be in the domain.
  bool lies_in(std::size_t device, std::size_t node, const std::string& wanted_domain) const {
    const std::string& island = devices[device].island;
    return !labels[node].empty() || island.empty() || domain(node, island) == wanted_domain;
  }
  // Whether pods from this one on find devices in the domain.
  bool admits(const std::string& wanted_domain, std::size_t pod) {
    if (pod == wanted.size()) return true;
    for (std::size_t n = 0; n < labels.size(); ++n) {
      if (domains_at(n).contains(wanted_domain) && give(wanted_domain, pod, n, wanted[pod], 0)) {
        return true;
      }
    }
    return false;
  }

 private:
  bool give(const std::string& wanted_domain, std::size_t pod, std::size_t node, std::size_t count,
            std::size_t from) {
    if (count == 0) return admits(wanted_domain, pod + 1);
    for (std::size_t d = from; d < devices.size(); ++d) {
      if (devices[d].taken || !usable(d, node) || !lies_in(d, node, wanted_domain)) continue;
      devices[d].taken = true;
      const bool found = give(wanted_domain, pod, node, count - 1, d + 1);
      devices[d].taken = false;
      if (found) return true;
    }
    return false;
  }
};

Scene make(std::uint64_t seed) {
  Random random(seed);
  const auto chance = [&](std::uint64_t percent) { return random.below(100) < percent; };
  const auto island = [&] { return std::string(1, static_cast<char>('x' + random.below(3))); };
  Scene scene;
  scene.inside = chance(30);
  scene.key = scene.inside ? "resource.kubernetes.io/pcieRoot" : "gpu.example.com/island";
  scene.by_group = chance(60);
  const auto nodes = 1 + random.below(3);
  for (std::size_t n = 0; n < nodes; ++n) {
    scene.labels.push_back(chance(12) ? island() : "");
    const auto count = random.below(6);
    for (std::size_t d = 0; d < count; ++d) {
      scene.devices.push_back({static_cast<int>(n), chance(15) ? "" : island(), chance(15)});
    }
  }
  if (chance(25)) scene.devices.push_back({kEveryNode, island(), false});
  const auto pods = 1 + random.below(4);
  for (std::size_t p = 0; p < pods; ++p) scene.wanted.push_back(1 + random.below(2));
  return scene;
}

std::string text(const Scene& scene) {
  std::string out = "\n  key " + scene.key + (scene.by_group ? "" : " of pods");
  for (std::size_t n = 0; n < scene.labels.size(); ++n) {
    out += "\n  n" + std::to_string(n) + " " + scene.labels[n];
  }
  for (const auto& device : scene.devices) {
    out += "\n  device on " + std::to_string(device.node) + " island " + device.island +
           (device.taken ? " taken" : "");
  }
  for (const auto wanted : scene.wanted) out += "\n  pod wants " + std::to_string(wanted);
  return out;
}

// The scheduler before a scene.
class Stage {
 public:
  explicit Stage(Scene& scene)
      : scene_(scene), scheduler_(options(), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    show_cluster();
    auto group = test::pod_group("g").gang(static_cast<std::int32_t>(scene.wanted.size()));
    if (scene.by_group) group.topology(scene.key);
    port_.apply(group.build());
    for (std::size_t p = 0; p < scene.wanted.size(); ++p) show_pod(p);
    (void)port_.settle();
  }

  std::size_t placed() const {
    std::size_t count = 0;
    for (std::size_t p = 0; p < scene_.wanted.size(); ++p) count += !node_of(p).empty();
    return count;
  }
  // One more member comes.
  void add(std::size_t wanted) {
    scene_.wanted.push_back(wanted);
    show_pod(scene_.wanted.size() - 1);
    (void)port_.settle();
  }
  // Takes what placed pods have off what is free, and says which domains they may be in.
  std::set<std::string> settle_domains() {
    std::set<std::string> left = scene_.domains();
    for (std::size_t p = 0; p < scene_.wanted.size(); ++p) {
      if (node_of(p).empty()) continue;
      const auto node = static_cast<std::size_t>(std::stoi(node_of(p).substr(1)));
      const auto here = scene_.domains_at(node);
      std::erase_if(left, [&](const std::string& domain) { return !here.contains(domain); });
      for (const std::size_t device : devices_of(p)) {
        scene_.devices[device].taken = true;
        std::erase_if(left, [&](const std::string& domain) {
          return !scene_.usable(device, node) || !scene_.lies_in(device, node, domain);
        });
      }
    }
    return left;
  }
  std::string problem() const { return scheduler_.check_consistency(); }

 private:
  static core::SchedulerOptions options() {
    core::SchedulerOptions made;
    made.config = test::default_config();
    return made;
  }
  static std::string pod_name(std::size_t pod) { return "p" + std::to_string(pod); }
  std::string node_of(std::size_t pod) const { return port_.node_of(pod_name(pod)); }

  void show_cluster() {
    put(test::device_class("gpu"));
    for (std::size_t n = 0; n < scene_.labels.size(); ++n) {
      auto node = test::node("n" + std::to_string(n)).cpu("64").memory("64Gi");
      if (!scene_.labels[n].empty()) node.label(scene_.key, scene_.labels[n]);
      port_.apply(node.build());
    }
    std::map<int, std::vector<model::Device>> by_node;
    for (std::size_t d = 0; d < scene_.devices.size(); ++d) {
      auto device = test::device(Scene::name(d));
      const std::string& island = scene_.devices[d].island;
      if (!island.empty()) device.attribute(scene_.key, island);
      by_node[scene_.devices[d].node].push_back(device);
    }
    for (auto& [node, devices] : by_node) {
      const std::string pool = "n" + std::to_string(node);
      put(test::slice(pool, pool, node == kEveryNode ? "" : pool, std::move(devices)));
    }
    for (std::size_t d = 0; d < scene_.devices.size(); ++d) {
      if (!scene_.devices[d].taken) continue;
      model::Allocation allocation;
      model::DeviceResult result;
      result.request = "r";
      result.driver = test::kDriver;
      result.pool = "n" + std::to_string(scene_.devices[d].node);
      result.device = Scene::name(d);
      allocation.results.push_back(result);
      port_.apply(test::claim("taken-" + Scene::name(d))
                      .request("r", test::wish("gpu"))
                      .allocated(allocation)
                      .build());
    }
  }
  void show_pod(std::size_t p) {
    const auto count = static_cast<std::int64_t>(scene_.wanted[p]);
    port_.apply(test::claim(pod_name(p)).request("r", test::wish("gpu").count(count)).build());
    auto pod = std::make_shared<model::Pod>(
        *test::pod(pod_name(p))
             .cpu("1")
             .group("g")
             .with([&](model::PodSpec& spec) {
               spec.resource_claims.push_back(
                   {.name = "gpu", .claim_name = pod_name(p), .template_name = {}});
             })
             .build());
    if (!scene_.by_group) {
      test::put(pod->meta.annotations, "kueue.x-k8s.io/podset-required-topology", scene_.key);
    }
    put(std::move(pod));
  }
  template <typename T>
  void put(std::shared_ptr<T> object) {
    port_.apply(std::shared_ptr<const T>(std::move(object)));
  }
  std::vector<std::size_t> devices_of(std::size_t pod) const {
    std::vector<std::size_t> found;
    const auto* claim = port_.find<model::ResourceClaim>("t", pod_name(pod));
    if (!claim->allocation) return found;
    for (const auto& result : claim->allocation->results) {
      found.push_back(static_cast<std::size_t>(std::stoi(result.device.substr(1))));
    }
    return found;
  }

  Scene& scene_;
  test::FakePort port_;
  core::Scheduler scheduler_;
};

bool possible(Scene& scene, const std::set<std::string>& domains, std::size_t from) {
  return std::ranges::any_of(domains,
                             [&](const std::string& domain) { return scene.admits(domain, from); });
}

std::string check(std::uint64_t seed) {
  Scene scene = make(seed);
  const bool expected = possible(scene, scene.domains(), 0);
  Stage stage(scene);
  if (const auto problem = stage.problem(); !problem.empty()) return problem + text(scene);
  const std::size_t all = scene.wanted.size();
  const std::size_t placed = stage.placed();
  if (placed != (expected ? all : 0)) {
    return "placed " + std::to_string(placed) + (expected ? ", possible" : ", impossible") +
           text(scene);
  }
  if (!expected) return {};
  const auto domains = stage.settle_domains();
  if (domains.empty()) return "its members share no domain" + text(scene);
  scene.wanted.push_back(1);
  const bool grows = possible(scene, domains, all);
  scene.wanted.pop_back();
  stage.add(1);
  if (stage.placed() != all + (grows ? 1 : 0)) {
    return std::string("one more ") + (grows ? "could" : "cannot") + " come" + text(scene);
  }
  if (stage.settle_domains().empty()) return "the later member is elsewhere" + text(scene);
  return stage.problem();
}

TEST(DividedDomains, holdAGangExactlyWhenOneOfThemCan) {
  test::for_seeds("tutti_topology_property_test", 400, check);
}

}  // namespace
}  // namespace tutti
