#include "sim/script/limit_ranges.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/build.h"

namespace tutti::sim {
namespace {

model::OtherObject range(const std::string& items) {
  model::OtherObject out;
  out.api_version = "v1";
  out.kind_name = "LimitRange";
  out.meta.ns = "t";
  out.meta.name = "r";
  out.document = std::make_shared<const std::string>(R"({"spec": {"limits": [)" + items + "]}}");
  return out;
}

std::vector<std::string> lines(const admission::FieldProblems& problems) {
  std::vector<std::string> out;
  for (const auto& problem : problems) out.push_back(problem.path + ": " + problem.message);
  return out;
}
using Lines = std::vector<std::string>;

TEST(LimitRanges, giveWhatContainersDoNotSay) {
  LimitRanges ranges;
  ranges.set(range(R"({"type": "Container", "default": {"cpu": "4", "memory": "1Gi"},
                       "defaultRequest": {"cpu": 2}})"));
  admission::SpecRewrites rewrites;
  model::Pod pod = *test::pod("a").memory("3Gi").build();
  ranges.fill_in(pod, rewrites);
  const auto& container = pod.spec->containers.front();
  EXPECT_EQ(*model::find(container.requests, "cpu"), test::quantity("2"));
  EXPECT_EQ(*model::find(container.limits, "cpu"), test::quantity("4"));
  EXPECT_EQ(*model::find(container.requests, "memory"), test::quantity("3Gi"));

  model::Pod elsewhere = *test::pod("a").in_namespace("u").build();
  const auto before = elsewhere.spec;
  ranges.fill_in(elsewhere, rewrites);
  EXPECT_EQ(elsewhere.spec, before);
  ranges.remove({model::Kind::other, "t", "r", "v1/LimitRange"});
  model::Pod later = *test::pod("a").build();
  ranges.fill_in(later, rewrites);
  EXPECT_EQ(model::find(later.spec->containers.front().requests, "cpu"), nullptr);
}

TEST(LimitRanges, boundContainersAndPods) {
  LimitRanges ranges;
  ranges.set(range(R"({"type": "Container", "min": {"cpu": "500m"}},
                      {"type": "Pod", "min": {"cpu": 2}}, {"type": "PersistentVolumeClaim"})"));
  EXPECT_EQ(lines(ranges.check(*test::pod("a").cpu("400m").build())),
            (Lines{"spec.containers[0].resources.requests[cpu]: is 400m, and LimitRange r wants at "
                   "least 500m per container",
                   "spec.resources.requests[cpu]: is 400m, and LimitRange r wants at least 2 per "
                   "pod"}));
  EXPECT_EQ(lines(ranges.check(*test::pod("a").cpu("2").build())), Lines{});

  LimitRanges most;
  most.set(range(R"({"type": "Container", "max": {"cpu": 1}})"));
  EXPECT_EQ(lines(most.check(*test::pod("a").cpu("1").build())),
            Lines{"spec.containers[0].resources.limits[cpu]: is not given, and LimitRange r wants "
                  "at most 1 per container"});
}

}  // namespace
}  // namespace tutti::sim
