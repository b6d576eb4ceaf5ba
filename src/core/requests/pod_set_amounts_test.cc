#include "core/requests/pod_set_amounts.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::core {
namespace {

using test::put;
using test::quantity;

model::Container running(std::string name, model::ResourceList requests,
                         model::ResourceList limits = {}) {
  return {.name = std::move(name),
          .image = "image",
          .requests = std::move(requests),
          .limits = std::move(limits),
          .claims = {},
          .ports = {}};
}

model::PodSet pods_with(std::vector<model::Container> containers,
                        std::vector<model::Container> init = {},
                        model::ResourceList overhead = {}) {
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers = std::move(containers);
  spec->init_containers = std::move(init);
  spec->overhead = std::move(overhead);
  model::PodSet set;
  set.pods.spec = spec;
  return set;
}

model::ResourceList amounts(std::string_view resource, std::string_view amount) {
  return {{std::string(resource), quantity(amount)}};
}

TEST(PodSetAmounts, sumsContainersTakesTheLargestInitAndAddsOverhead) {
  struct Case {
    std::string_view name;
    model::PodSet set;
    ResourceAmounts expected;
  };
  const Case cases[] = {
      {"containers run together",
       pods_with({running("a", amounts("cpu", "1")), running("b", amounts("cpu", "500m"))}),
       {{"cpu", 1500}}},
      {"a smaller init container changes nothing",
       pods_with({running("a", amounts("cpu", "2"))}, {running("i", amounts("cpu", "1"))}),
       {{"cpu", 2000}}},
      {"a larger init container decides",
       pods_with({running("a", amounts("cpu", "2"))}, {running("i", amounts("cpu", "3"))}),
       {{"cpu", 3000}}},
      {"overhead comes on top",
       pods_with({running("a", amounts("cpu", "2"))}, {}, amounts("cpu", "250m")),
       {{"cpu", 2250}}},
      {"a limit stands in for a request that is missing",
       pods_with({running("a", {}, amounts("memory", "1Ki"))}),
       {{"memory", 1024}}},
      {"a request goes before its limit",
       pods_with({running("a", amounts("cpu", "1"), amounts("cpu", "4"))}),
       {{"cpu", 1000}}},
      {"nothing of a resource is asked for, too",
       pods_with({running("a", amounts("example.com/gpu", "0"))}),
       {{"example.com/gpu", 0}}},
      {"pods are counted, not asked for", pods_with({running("a", amounts("pods", "7"))}), {}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(amounts_of_pod(each.set, "t", {}), each.expected);
  }
}

TEST(PodSetAmounts, leavesOutPrefixesAndTransforms) {
  const auto mig = [](bool replaces, std::string multiply_by = {}) {
    QuotaConfig config;
    config.transformations.push_back({.input = "example.com/mig-1g",
                                      .replaces = replaces,
                                      .multiply_by = std::move(multiply_by),
                                      .outputs = amounts("gpu-mem", "5")});
    return config;
  };
  QuotaConfig ignoring;
  ignoring.ignored_resources = {"example.com/"};
  QuotaConfig from_cpu;
  from_cpu.transformations.push_back(
      {.input = "cpu", .replaces = false, .multiply_by = {}, .outputs = amounts("credits", "2")});
  struct Case {
    std::string_view name;
    QuotaConfig config;
    ResourceAmounts expected;
  };
  const Case cases[] = {
      {"excluded prefix", ignoring, {{"cpu", 4000}}},
      {"Replace", mig(true), {{"cpu", 4000}, {"gpu-mem", 10}}},
      {"Retain", mig(false), {{"cpu", 4000}, {"example.com/mig-1g", 2}, {"gpu-mem", 10}}},
      {"per whole unit of cpu",
       from_cpu,
       {{"cpu", 4000}, {"credits", 8}, {"example.com/mig-1g", 2}}},
      {"multiplied by whole units of cpu", mig(true, "cpu"), {{"cpu", 4000}, {"gpu-mem", 40}}},
      {"multiplied by what is not asked for", mig(true, "memory"), {{"cpu", 4000}, {"gpu-mem", 0}}},
  };
  model::ResourceList requests = amounts("cpu", "4");
  put(requests, "example.com/mig-1g", quantity("2"));
  const model::PodSet set = pods_with({running("a", requests)});
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(amounts_of_pod(set, "t", each.config), each.expected);
  }
  EXPECT_EQ(times(amounts_of_pod(set, "t", mig(true)), 6),
            (ResourceAmounts{{"cpu", 24'000}, {"gpu-mem", 60}}));
}

TEST(PodSetAmounts, endAtTheLargestInteger) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(times({{"cpu", kMost / 2}}, 3), (ResourceAmounts{{"cpu", kMost}}));
}

TEST(PodSetAmounts, nameTheContainerThatCanNeverBe) {
  EXPECT_EQ(flaw_of(pods_with({running("a", amounts("cpu", "2"), amounts("cpu", "2"))})), "");
  EXPECT_EQ(flaw_of(pods_with({running("a", amounts("cpu", "2"), amounts("cpu", "1"))})),
            "pod set main: container a requests more cpu than its limit");
  EXPECT_EQ(flaw_of(pods_with({running("a", {})},
                              {running("i", amounts("cpu", "2"), amounts("cpu", "1"))})),
            "pod set main: container i requests more cpu than its limit");
}

}  // namespace
}  // namespace tutti::core
