// Extended resources against counting by hand, on random small clusters: a pod is granted its
// devices exactly when those of the node suffice for all pods there at once, and giving everything
// back leaves no trace.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "base/random.h"
#include "support/device_build.h"

namespace tutti::devices {
namespace {

constexpr int kClusters = 10'000;
constexpr NodeIndex kNodesOfExtended = 3;
constexpr PodIndex kPods = 8;
constexpr std::array kResources = {"example.com/a", "example.com/any"};

// How many devices of kind a, and of any kind, a node has or its pods ask for.
struct OfferedAmounts {
  std::int64_t a = 0;
  std::int64_t any = 0;
};

struct Cluster {
  test::NumberedNodes places;
  DeviceState device_state{places};
  std::array<OfferedAmounts, kNodesOfExtended> offered{};  // `any` counts those of kind a, too
  std::array<std::array<bool, 2>, kNodesOfExtended> advertises{};

  explicit Cluster(Random& random) {
    places.look_at(device_state.inventory());
    const auto set_class = [&](const char* name, const char* resource, const char* selector) {
      auto made = test::device_class(name, {selector});
      made->extended_resource_name = resource;
      device_state.set(made);
    };
    set_class("a", kResources[0], "device.attributes['gpu.example.com'].kind == 'a'");
    set_class("any", kResources[1], "device.driver == 'gpu.example.com'");
    for (NodeIndex n = 0; n < kNodesOfExtended; ++n) furnish(n, random);
  }

 private:
  void furnish(NodeIndex n, Random& random) {
    std::vector<model::Device> devices;
    const std::uint64_t count = random.below(5);
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool of_kind_a = random.below(2) == 0;
      devices.push_back(test::device("d" + std::to_string(i)).kind(of_kind_a ? "a" : "b"));
      offered[n].a += of_kind_a ? 1 : 0;
      ++offered[n].any;
    }
    const std::string name = std::to_string(n);
    device_state.set(test::slice("s" + name, "p" + name, "n" + name, std::move(devices)));
    for (std::size_t r = 0; r < 2; ++r) {
      advertises[n][r] = random.below(4) == 0;
      if (advertises[n][r]) places.advertise(n, kResources[r]);
    }
  }
};

model::Pod random_pod(PodIndex number, Random& random) {
  auto spec = std::make_shared<model::PodSpec>();
  model::Container container;
  container.name = "main";
  for (const char* resource : kResources) {
    const std::uint64_t amount = random.below(3);
    if (amount > 0) {
      container.requests.emplace_back(resource,
                                      Quantity::from_units(static_cast<std::int64_t>(amount)));
    }
  }
  spec->containers.push_back(std::move(container));
  model::Pod pod;
  pod.meta.ns = "t";
  pod.meta.name = "p" + std::to_string(number);
  pod.meta.uid = "u" + std::to_string(number);
  pod.spec = std::move(spec);
  return pod;
}

// What of the pod's requests comes through devices of the node.
OfferedAmounts through_devices(const Cluster& cluster, const model::Pod& pod, NodeIndex node) {
  OfferedAmounts asked;
  for (const auto& [name, quantity] : pod.spec->containers.front().requests) {
    const std::size_t r = name == kResources[0] ? 0 : 1;
    if (!cluster.advertises[node][r]) (r == 0 ? asked.a : asked.any) += quantity.units();
  }
  return asked;
}

TEST(ExtendedProperty, grantsExactlyWhatDevicesSuffice) {
  for (int seed = 0; seed < kClusters; ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    Cluster cluster(random);
    std::array<OfferedAmounts, kNodesOfExtended> used{};
    std::map<PodIndex, std::pair<model::Pod, NodeIndex>> placed;
    for (PodIndex i = 0; i < kPods; ++i) {
      const model::Pod pod = random_pod(i, random);
      const auto node = static_cast<NodeIndex>(random.below(kNodesOfExtended));
      const OfferedAmounts asked = through_devices(cluster, pod, node);
      const OfferedAmounts sum{used[node].a + asked.a, used[node].any + asked.any};
      const bool possible =
          sum.a <= cluster.offered[node].a && sum.a + sum.any <= cluster.offered[node].any;
      const auto wanted = cluster.device_state.claims_of(pod).open;
      const bool fits =
          cluster.device_state.search().fits(node, wanted, nullptr) == Solution::Outcome::found;
      ASSERT_EQ(fits, possible || asked.a + asked.any == 0);
      ASSERT_EQ(cluster.device_state.decisions().reserve(i, node, pod).found(), fits);
      ASSERT_EQ(cluster.device_state.questions().extended_claim_of(pod).valid(),
                fits && asked.a + asked.any > 0);
      ASSERT_EQ(cluster.device_state.check(), "");
      if (!fits) continue;
      used[node] = sum;
      placed.emplace(i, std::pair(pod, node));
      // Now and then one goes again.
      if (random.below(4) != 0) continue;
      const auto gone = placed.begin();
      cluster.device_state.decisions().unreserve(gone->first, gone->second.first);
      const OfferedAmounts back = through_devices(cluster, gone->second.first, gone->second.second);
      used[gone->second.second].a -= back.a;
      used[gone->second.second].any -= back.any;
      placed.erase(gone);
      ASSERT_EQ(cluster.device_state.check(), "");
    }
    for (const auto& [number, entry] : placed) {
      cluster.device_state.decisions().unreserve(number, entry.first);
      ASSERT_EQ(cluster.device_state.check(), "");
    }
    for (std::uint32_t i = 0; i < cluster.device_state.inventory().device_count(); ++i) {
      ASSERT_FALSE(cluster.device_state.ledger().held({i}));
    }
    ASSERT_TRUE(cluster.device_state.take_releases().empty());
  }
}

}  // namespace
}  // namespace tutti::devices
