#include "cli/census.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::cli {
namespace {

TEST(Census, countsMembersThatEndedOrAreAnothers) {
  store::Store store;
  const auto add = [&](const test::PodBuilder& pod, model::PodPhase phase) {
    model::Pod made = *pod.build();
    made.status.phase = phase;
    ASSERT_TRUE(store.create(made, {}).ok());
  };
  add(test::pod("alone").on("n1"), model::PodPhase::failed);
  add(test::pod("ours").group("g"), model::PodPhase::pending);
  add(test::pod("done").group("g").on("n1"), model::PodPhase::succeeded);
  add(test::pod("broken").group("g").on("n1"), model::PodPhase::failed);
  add(test::pod("theirs").group("g").scheduler("x"), model::PodPhase::pending);

  const Census census =
      take_census(store, [](const model::Pod& pod) { return pod.spec->scheduler_name == "x"; });

  ASSERT_EQ(census.size(), 1U);
  const explain::Absent& absent = census.at({"t", "g"});
  EXPECT_EQ(absent.succeeded, 1U);
  EXPECT_EQ(absent.failed, 1U);
  EXPECT_EQ(absent.foreign, 1U);
  EXPECT_EQ(absent.scheduler, "x");
}

}  // namespace
}  // namespace tutti::cli
