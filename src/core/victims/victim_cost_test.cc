#include "core/victims/victim_cost.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/build.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{Millis{10'000'000}};

struct CostCase {
  const char* what;
  std::vector<std::pair<std::string, std::string>> annotations;
  std::string owner;
  Millis age;
  std::int64_t device_seconds;
};

std::int64_t cost_of(const CostCase& from, const char* gpus) {
  Cluster cluster;
  cluster.set_node(test::node("n1").allocatable("nvidia.com/gpu", "8"));
  auto pod = std::make_shared<model::Pod>(
      *test::pod("a").cpu("1").request("nvidia.com/gpu", gpus).on("n1").build());
  pod->status.start_time = kNow - from.age;
  for (const auto& [key, value] : from.annotations) test::put(pod->meta.annotations, key, value);
  if (!from.owner.empty()) {
    pod->meta.owners.push_back({.api_version = "v1", .kind = from.owner, .name = "o", .uid = "u"});
  }
  const PodId id = cluster.set_pod(pod);
  if (is_steady(*pod)) {
    EXPECT_EQ(steady_cost(cluster, cluster.pod(id)).at(kNow),
              eviction_cost(cluster, cluster.pod(id), nullptr, kNow));
  }
  return eviction_cost(cluster, cluster.pod(id), nullptr, kNow) / kDeviceSecond;
}

TEST(VictimCost, countsDeviceTimeThatHasToBeGivenAgain) {
  const std::vector<CostCase> cases = {
      {"since it started", {}, "", 100s, 200},
      {"since its checkpoint",
       {{std::string(kCheckpointedAt), format_rfc3339(kNow - 10s)}},
       "",
       100s,
       20},
      {"a checkpoint of an earlier life says nothing",
       {{std::string(kCheckpointedAt), format_rfc3339(kNow - 1000s)}},
       "",
       100s,
       200},
      {"a restart, for every device", {{std::string(kRestartCost), "1m"}}, "", 100s, 320},
      {"a restart in device seconds", {{std::string(kRestartCost), "50"}}, "", 100s, 250},
      {"its class", {{std::string(kWorkClass), "training"}}, "", 100s, 400},
      {"the class of its owner", {}, "InferenceService", 100s, 800},
      {"half done", {{std::string(kRunsForAnnotation), "200s"}}, "", 100s, 400},
      {"almost done", {{std::string(kRunsForAnnotation), "101s"}}, "", 100s, 2000},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.what);
    EXPECT_EQ(cost_of(each, "2"), each.device_seconds);
  }
}

TEST(VictimCost, takesSixtyFourCoresForADevice) {
  Cluster cluster;
  cluster.set_node(test::node("n1").cpu("64"));
  auto pod = std::make_shared<model::Pod>(*test::pod("a").cpu("32").on("n1").build());
  pod->status.start_time = kNow - 100s;
  const PodId id = cluster.set_pod(pod);
  EXPECT_EQ(eviction_cost(cluster, cluster.pod(id), nullptr, kNow), 50 * kDeviceSecond);
}

TEST(VictimCost, protectsUntilTheLeastRuntimeIsOver) {
  auto pod = std::make_shared<model::Pod>(*test::pod("a").build());
  pod->status.start_time = kNow - 60s;
  EXPECT_EQ(protected_until(*pod, nullptr, kNow), std::nullopt);
  test::put(pod->meta.annotations, kMinRuntime, std::string("90s"));
  EXPECT_EQ(protected_until(*pod, nullptr, kNow), kNow + 30s);
  EXPECT_EQ(protected_until(*pod, nullptr, kNow + 30s), std::nullopt);
}

TEST(VictimCost, readsWhatThePodGroupSaysWhereThePodSaysNothing) {
  model::PodGroup group;
  test::put(group.meta.annotations, kMinRuntime, std::string("2m"));
  auto pod = std::make_shared<model::Pod>(*test::pod("a").build());
  pod->status.start_time = kNow;
  EXPECT_EQ(protected_until(*pod, &group, kNow), kNow + 2min);
  test::put(pod->meta.annotations, kMinRuntime, std::string("0s"));
  EXPECT_EQ(protected_until(*pod, &group, kNow), std::nullopt);
}

}  // namespace
}  // namespace tutti::core
