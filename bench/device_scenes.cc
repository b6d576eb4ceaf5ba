// Scenes about devices: every pod has a claim of its own.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cluster_models.h"
#include "devices/device_state.h"
#include "harness.h"
#include "scenes.h"
#include "support/build.h"
#include "support/device_build.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 1'000;
constexpr std::size_t kGpus = 8;
constexpr std::size_t kAttributes = 20;
constexpr std::size_t kRacks = 3;
constexpr std::size_t kGang = 256;
constexpr int kRounds = 300;  // of fewer the 99th percentile is the first, with cold memories
constexpr const char* kRack = "topology.example.com/rack";

std::string node_name(std::size_t i) { return fmt::format("node-{:04}", i); }

model::Device gpu(std::size_t node, std::size_t index) {
  auto made = test::device(fmt::format("gpu-{}", index));
  made.attribute("model", fmt::format("m{}", index % 5));
  made.attribute("example.com/numa", static_cast<std::int64_t>(index / 4));
  for (std::size_t i = 2; i < kAttributes; ++i) {
    made.attribute(fmt::format("a{:02}", i), fmt::format("{}-{}", node, i));
  }
  return made.capacity("memory", "80Gi");
}

void fill(World& world) {
  for (std::size_t i = 0; i < kNodes; ++i) {
    world.add(test::node(node_name(i))
                  .cpu("64")
                  .memory("512Gi")
                  .label(kRack, fmt::format("r{}", i % kRacks))
                  .build());
    std::vector<model::Device> devices;
    for (std::size_t k = 0; k < kGpus; ++k) devices.push_back(gpu(i, k));
    world.add(test::slice(node_name(i), node_name(i), node_name(i), std::move(devices)));
  }
  world.add(test::device_class("gpu", {"device.driver == 'gpu.example.com'"}));
}

// A pod and the claim that was made for it.
struct Pair {
  std::shared_ptr<const model::ResourceClaim> claim;
  std::shared_ptr<const model::Pod> pod;
};
Pair make(const std::string& name, const std::shared_ptr<const model::PodSpec>& spec,
          const model::DeviceWish& wish) {
  auto pod = std::make_shared<model::Pod>(*test::pod(name).build());
  pod->spec = spec;
  pod->status.claim_statuses = {{"gpu", name}};
  return {test::claim(name).request("gpu", wish).owner("Pod", name, pod->meta.uid).build(), pod};
}

std::shared_ptr<const model::PodSpec> spec_of(const std::string& group) {
  return test::pod("p")
      .cpu("1")
      .memory("1Gi")
      .group(group)
      .with([](model::PodSpec& spec) {
        spec.resource_claims.push_back({.name = "gpu", .claim_name = {}, .template_name = "t"});
      })
      .build()
      ->spec;
}

}  // namespace

void claims() {
  World world;
  fill(world);
  const auto spec = spec_of({});
  const std::size_t count = kNodes * 5;
  for (std::size_t i = 0; i < count; ++i) {
    const auto made = make(fmt::format("p{:05}", i), spec,
                           test::wish("gpu").where(fmt::format(
                               "device.attributes['gpu.example.com'].model == 'm{}'", i % 5)));
    world.add(made.claim);
    world.add(made.pod);
  }
  std::size_t bound = 0;
  const double seconds = seconds_of([&] { bound = world.run(); });
  TUTTI_CHECK(bound == count, "every claim finds its device");
  print({"claims", "decisions", static_cast<double>(count) / seconds, "claims/s",
         Figure::Bound::at_least, 5'000});
  const auto evaluations = world.scheduler.cluster().devices().selectors().evaluations();
  print({"claims", "evaluations per selector and device",
         static_cast<double>(evaluations) / static_cast<double>(6 * kNodes * kGpus), "times",
         Figure::Bound::at_most, 1});
}

void claim_gang() {
  World world;
  fill(world);
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = fmt::format("gang-{}", round);
    auto group = std::make_shared<model::PodGroup>(
        *test::pod_group(name).gang(static_cast<std::int32_t>(kGang)).build());
    group->spec.topology_key = kRack;
    world.add(group);
    const auto spec = spec_of(name);
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < kGang; ++i) {
      pairs.push_back(make(fmt::format("{}-{}", name, i), spec, test::wish("gpu").count(kGpus)));
      world.add(pairs.back().claim);
    }
    for (const auto& pair : pairs) world.add(pair.pod);
    seconds.push_back(seconds_of([&] { world.scheduler.schedule_one(world.now); }));
    const auto id = world.scheduler.cluster().pods().find(pairs.front().pod->meta.uid);
    TUTTI_CHECK(world.scheduler.cluster().pod(*id).assumed);
    world.run();
    for (const auto& pair : pairs) world.remove(pair.pod);
    for (const auto& pair : pairs) world.remove(pair.claim);
    world.remove(group);
  }
  std::ranges::sort(seconds);
  print({"claim-gang", "p50", seconds[seconds.size() / 2] * 1e3, "ms", Figure::Bound::at_most, 30});
  print({"claim-gang", "p99", seconds[seconds.size() * 99 / 100] * 1e3, "ms",
         Figure::Bound::at_most, 30});
}

}  // namespace tutti::bench
