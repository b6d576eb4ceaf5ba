// What could run first, and what an eviction would take; who waits for what.
#include <gtest/gtest.h>

#include "capacity/stage.h"

namespace tutti {
namespace {

using capacity::Report;
using test::CapacityStage;
using test::kGpu;

// A running pod that ends so long after `start`.
std::shared_ptr<const model::Pod> ending(const test::PodBuilder& builder, Instant start,
                                         const char* runs_for) {
  auto pod = std::make_shared<model::Pod>(*builder.build());
  pod->status.start_time = start;
  test::put(pod->meta.annotations, "tutti.dev/runs-for", std::string(runs_for));
  return pod;
}

TEST(Backfill, letsSmallWorkGoWhereTheHeadWillNotBe) {
  CapacityStage stage;
  for (const char* name : {"a", "b"}) stage.add(test::node(name).allocatable(kGpu, "8"));
  stage.add(test::node("small").allocatable(kGpu, "4"));
  stage.add(ending(test::pod("p").request(kGpu, "8").on("a"), stage.now(), "2h"));
  stage.gang("head", 2, test::pod("x").request(kGpu, "8"));
  const Report report = stage.report({*capacity::parse_shape("nvidia.com/gpu=1")});
  EXPECT_EQ(report.head.head, "PodGroup t/head");
  ASSERT_TRUE(report.head.starts);
  EXPECT_EQ(*report.head.starts, Instant(Millis{1'000'000}) + std::chrono::hours(2));
  ASSERT_EQ(report.head.beside.size(), 1U);
  EXPECT_EQ(report.head.beside[0].any_length, 4U);
  EXPECT_EQ(report.head.beside[0].until_then, 12U);
}

TEST(Backfill, isNotKnownWhenNobodySaysHowLongItTakes) {
  CapacityStage stage;
  stage.add(test::node("a").allocatable(kGpu, "8"));
  stage.add(test::pod("p").request(kGpu, "8").on("a"));
  stage.add(test::pod("head").request(kGpu, "8"));
  const Report report = stage.report();
  EXPECT_EQ(report.head.head, "Pod t/head");
  EXPECT_FALSE(report.head.starts);
  EXPECT_EQ(report.head.why, "no running work says how long it takes");
}

TEST(Backfill, takesTheFirstEndThatIsEnough) {
  CapacityStage stage;
  for (const char* name : {"a", "b", "c"}) stage.add(test::node(name).allocatable(kGpu, "8"));
  stage.add(ending(test::pod("late").request(kGpu, "8").on("a"), stage.now(), "3h"));
  stage.add(ending(test::pod("soon").request(kGpu, "8").on("b"), stage.now(), "1h"));
  stage.add(test::pod("ever").request(kGpu, "8").on("c"));
  stage.add(test::pod("head").request(kGpu, "8"));
  const Report report = stage.report();
  ASSERT_TRUE(report.head.starts);
  EXPECT_EQ(*report.head.starts, Instant(Millis{1'000'000}) + std::chrono::hours(1));
}

TEST(Evictions, nameTheVictimsAndThePriorityItTakes) {
  CapacityStage stage;
  for (const char* name : {"a", "b"}) stage.add(test::node(name).allocatable(kGpu, "8"));
  stage.add(test::pod("dear").request(kGpu, "8").on("a").priority(7));
  stage.add(test::pod("cheap").request(kGpu, "8").on("b").priority(3));
  stage.add(test::pod("head").request(kGpu, "8").priority(1));
  const Report report = stage.report();
  ASSERT_EQ(report.evictions.size(), 1U);
  const capacity::Eviction& eviction = report.evictions[0];
  EXPECT_EQ(eviction.name, "Pod t/head");
  EXPECT_EQ(eviction.pods, 1U);
  EXPECT_EQ(eviction.devices.at(kGpu), 8U);
  EXPECT_EQ(eviction.priority_needed, 4);
  ASSERT_EQ(eviction.verdict.victims.size(), 1U);
  EXPECT_EQ(eviction.verdict.victims[0].name, "Pod t/cheap");
}

TEST(Evictions, leaveTheClusterAsItWas) {
  CapacityStage stage;
  stage.add(test::node("a").allocatable(kGpu, "8"));
  stage.add(test::pod("p").request(kGpu, "8").on("a"));
  stage.add(test::pod("head").request(kGpu, "8"));
  ASSERT_TRUE(stage.report().evictions.size() == 1);
  capacity::ClusterCopy twin(stage.scheduler(), test::default_profiles());
  const Report report = capacity::make_report({.scheduler = stage.scheduler(),
                                               .sources = explain::sources_of(stage.scheduler()),
                                               .now = stage.now()},
                                              twin);
  EXPECT_EQ(twin.cluster().check_consistency(), "");
  EXPECT_EQ(stage.scheduler().check_consistency(), "");
}

TEST(Waiting, tellsFragmentationWithHowMuchIsMissing) {
  CapacityStage stage;
  for (const char* name : {"a", "b", "c"}) {
    stage.add(test::node(name).allocatable(kGpu, "8"));
    stage.add(test::pod(std::string("p") + name).request(kGpu, "4").on(name));
  }
  stage.gang("g", 1, test::pod("x").request(kGpu, "8"));
  const Report report = stage.report();
  ASSERT_EQ(report.queue.lines.size(), 1U);
  const capacity::Waiting& line = report.queue.lines[0];
  EXPECT_TRUE(capacity::fragmented(line));
  EXPECT_EQ(line.needs, 1U);
  EXPECT_EQ(line.fits, 0U);
  ASSERT_EQ(report.shapes.size(), 2U);
  EXPECT_EQ(report.shapes[0].levels[0].gang, 0U);
  EXPECT_EQ(report.shapes[0].pooled, 1U);
}

TEST(Waiting, countsLonePodsThatAreAlikeTogether) {
  CapacityStage stage;
  stage.add(test::node("a").cpu("4"));
  for (const char* name : {"x", "y", "z"}) stage.add(test::pod(name).cpu("8"));
  const Report report = stage.report();
  ASSERT_EQ(report.queue.lines.size(), 1U);
  EXPECT_EQ(report.queue.lines[0].pods, 3U);
  EXPECT_EQ(report.queue.lines[0].name, "Pod t/x");
  EXPECT_EQ(report.queue.names.size(), 3U);
}

TEST(Levels, areTheClusterAndTheKeysThatDivideIt) {
  CapacityStage stage;
  for (const char* name : {"a", "b", "c"}) {
    stage.add(test::node(name)
                  .label("example.com/rack", name == std::string("c") ? "2" : "1")
                  .label("kubernetes.io/arch", "amd64"));
  }
  const std::vector<capacity::Level> expected = {
      {"", 1}, {"example.com/rack", 2}, {"kubernetes.io/hostname", 3}};
  EXPECT_EQ(stage.report().levels, expected);
}

}  // namespace
}  // namespace tutti
