#include "core/requests/pending_reason.h"

#include <gtest/gtest.h>

#include "support/quota_scene.h"

namespace tutti::core {
namespace {

TEST(PendingReason, weighsFlavorsFromTheLeastSevere) {
  EXPECT_LT(Waits::topology_placement_failed, Waits::for_quota);
  EXPECT_LT(Waits::for_quota, Waits::exceeds_max_quota);
  EXPECT_LT(Waits::exceeds_max_quota, Waits::no_matching_flavor);
  EXPECT_EQ(word(Waits::for_preempted), "WaitingForPreemptedWorkloads");
}

TEST(PendingReason, saysHowMuchIsMissingNowOrForEver) {
  quota::QuotaScene scene;
  scene.queue("a", "org", {.nominal = 4, .borrow = 2});
  scene.queue("b", "org", {.nominal = 4});
  scene.tree.settle();
  scene.use("a", 3);
  const auto queue = scene.node("a");
  quota::FlavorOutcome now;
  now.resources.push_back({.of = scene.gpu,
                           .grade = {quota::Mode::no_candidates, 0},
                           .assumed = 1,
                           .asked = 4,
                           .missing = 2});
  const FlavorReason waits = refusal_of(scene.tree, queue, "main", now);
  EXPECT_EQ(waits.reason, Waits::for_quota);
  EXPECT_EQ(waits.message, "insufficient unused quota for gpu in flavor std, 2 more needed");
  ASSERT_EQ(waits.shortages.size(), 1U);
  EXPECT_EQ(waits.shortages[0].have, 3);
  EXPECT_EQ(waits.shortages[0].need, 5);
  EXPECT_FALSE(waits.shortages[0].never);

  now.resources[0] = {
      .of = scene.gpu, .grade = {}, .assumed = 1, .asked = 6, .missing = 1, .exceeds_max = true};
  const FlavorReason never = refusal_of(scene.tree, queue, "main", now);
  EXPECT_EQ(never.reason, Waits::exceeds_max_quota);
  EXPECT_EQ(never.message,
            "insufficient quota for gpu in flavor std, previously considered podsets requests (1) "
            "+ current podset request (6) > maximum capacity (6)");
  EXPECT_TRUE(never.shortages[0].never);
}

TEST(PendingReason, saysNothingOfResourcesThatFit) {
  quota::QuotaScene scene;
  scene.queue("a", "", {.nominal = 4});
  scene.tree.settle();
  quota::FlavorOutcome fits;
  fits.resources.push_back({.of = scene.gpu});
  EXPECT_EQ(refusal_of(scene.tree, scene.node("a"), "main", fits).message, "");
}

TEST(PendingReason, writesAmountsAsPeopleDo) {
  EXPECT_EQ(amount_text("cpu", 1500), "1500m");
  EXPECT_EQ(amount_text("cpu", 2000), "2");
  EXPECT_EQ(amount_text("memory", std::int64_t{5} << 30), "5Gi");
  EXPECT_EQ(amount_text("memory", 0), "0");
  EXPECT_EQ(amount_text("example.com/gpu", 8), "8");
}

}  // namespace
}  // namespace tutti::core
