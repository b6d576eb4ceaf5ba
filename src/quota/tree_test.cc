#include "quota/tree.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/quota_scene.h"

namespace tutti::quota {
namespace {

struct Figures {
  std::string_view node;
  std::int64_t subtree, local, usage, available, potential;
};

void expect_figures(const QuotaScene& scene, std::span<const Figures> expected) {
  for (const Figures& each : expected) {
    SCOPED_TRACE(each.node);
    const QuotaNodeId node = scene.node(each.node);
    const Tree& tree = scene.tree;
    EXPECT_EQ(to_int64(tree.subtree_quota(node, scene.gpu)), each.subtree);
    EXPECT_EQ(to_int64(tree.local_quota(node, scene.gpu)), each.local);
    EXPECT_EQ(to_int64(tree.usage(node, scene.gpu)), each.usage);
    EXPECT_EQ(to_int64(tree.available(node, scene.gpu)), each.available);
    EXPECT_EQ(to_int64(tree.potential(node, scene.gpu)), each.potential);
  }
  EXPECT_EQ(scene.tree.check_consistency(), "");
}

// A cohort without quota of its own, and three queues.
QuotaScene flat() {
  QuotaScene scene;
  scene.queue("A", "org", {.nominal = 10, .borrow = 6, .lend = 4});
  scene.queue("B", "org", {.nominal = 6});
  scene.queue("C", "org", {.nominal = 4, .lend = 0});
  scene.tree.settle();
  scene.use("A", 8);
  scene.use("B", 3);
  scene.use("C", 2);
  return scene;
}

// Two cohorts below a root; only one of them lends and borrows within limits.
QuotaScene deep() {
  QuotaScene scene;
  scene.cohort("L", "R", {.nominal = 4, .borrow = 3, .lend = 6});
  scene.cohort("M", "R", {.nominal = 10});
  scene.queue("a", "L", {.nominal = 8, .lend = 5});
  scene.queue("b", "L", {.nominal = 0});
  scene.queue("c", "M", {.nominal = 0});
  scene.tree.settle();
  scene.use("a", 6);
  scene.use("b", 2);
  scene.use("c", 5);
  return scene;
}

TEST(QuotaTree, lendsWhatIsNotPrivate) {
  expect_figures(flat(), std::vector<Figures>{{"org", 10, 0, 5, 5, 10},
                                              {"A", 10, 6, 8, 5, 16},
                                              {"B", 6, 0, 3, 5, 10},
                                              {"C", 4, 4, 2, 7, 14}});
}

TEST(QuotaTree, boundsWhatAWholeCohortTakesAndGives) {
  QuotaScene scene = deep();
  expect_figures(scene, std::vector<Figures>{{"R", 16, 0, 7, 9, 16},
                                             {"L", 9, 3, 5, 7, 12},
                                             {"M", 10, 0, 5, 9, 16},
                                             {"a", 8, 3, 6, 7, 15},
                                             {"b", 0, 0, 2, 7, 12},
                                             {"c", 0, 0, 5, 9, 16}});
  scene.use("a", 7);
  expect_figures(scene, std::vector<Figures>{{"R", 16, 0, 14, 2, 16},
                                             {"L", 9, 3, 12, 0, 12},
                                             {"a", 8, 3, 13, 0, 15},
                                             {"b", 0, 0, 2, 0, 12}});
}

TEST(QuotaTree, saysHowFarUpAnAmountReaches) {
  const QuotaScene scene = deep();
  struct Case {
    std::string_view name;
    std::string_view queue;
    std::int64_t amount;
    Reach reach;
  };
  constexpr Case kCases[] = {
      {"within its own quota", "a", 2, {0, true}},
      {"the cohort's own quota holds it", "b", 1, {1, true}},
      {"only the root holds it", "b", 6, {2, false}},
      {"nobody holds it: the root", "b", 100, {2, false}},
      {"what is private counts on the way", "a", 3, {1, true}},
  };
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(scene.tree.reach(scene.node(each.queue), scene.gpu, each.amount), each.reach);
  }
}

TEST(QuotaTree, hasNothingToReachForWithoutACohort) {
  QuotaScene scene;
  scene.queue("alone", "", {.nominal = 5});
  scene.tree.settle();
  EXPECT_EQ(scene.tree.reach(scene.node("alone"), scene.gpu, 9), (Reach{0, false}));
  EXPECT_EQ(to_int64(scene.tree.available(scene.node("alone"), scene.gpu)), 5);
}

TEST(QuotaTree, fitsOnlyWhatTheQueueItselfLists) {
  QuotaScene scene;
  scene.queue("lists", "org", {.nominal = 0});
  scene.cohort("org", "", {.nominal = 5});
  scene.tree.put(Tree::Kind::queue, "silent", {.parent = "org"});
  scene.tree.settle();
  const Charge two[] = {{scene.gpu, 2}};
  const Charge none[] = {{scene.gpu, 0}};
  const QuotaNodeId silent = *scene.tree.find(Tree::Kind::queue, "silent");
  EXPECT_TRUE(scene.tree.fits(scene.node("lists"), two));
  EXPECT_FALSE(scene.tree.fits(silent, two));
  EXPECT_TRUE(scene.tree.fits(silent, none));
}

TEST(QuotaTree, isInDebtAfterACut) {
  QuotaScene scene = flat();
  scene.queue("A", "org", {.nominal = 1});
  scene.queue("B", "org", {.nominal = 1});
  scene.tree.settle();
  EXPECT_EQ(to_int64(scene.tree.available(scene.node("org"), scene.gpu)), 2 - 11);
  const Charge none[] = {{scene.gpu, 0}};
  EXPECT_TRUE(scene.tree.fits(scene.node("A"), none));
  EXPECT_EQ(scene.tree.check_consistency(), "");
}

TEST(QuotaTree, keepsUsageWhenAQueueMovesToAnotherCohort) {
  QuotaScene scene = deep();
  scene.queue("a", "M", {.nominal = 8, .lend = 5});
  scene.tree.settle();
  expect_figures(scene, std::vector<Figures>{
                            {"L", 4, 0, 2, 5, 7}, {"M", 15, 0, 8, 9, 19}, {"a", 8, 3, 6, 9, 22}});
}

TEST(QuotaTree, countsUsageThatNobodyListsAnyMore) {
  QuotaScene scene = flat();
  const FlavorResourceId old = scene.tree.flavor_resources().intern("old", "gpu");
  const Charge adopted[] = {{old, 3}};
  scene.tree.add_usage(scene.node("A"), adopted);
  EXPECT_EQ(to_int64(scene.tree.usage(scene.node("org"), old)), 3);
  EXPECT_EQ(to_int64(scene.tree.available(scene.node("A"), old)), -3);
  EXPECT_EQ(to_int64(scene.tree.usage(scene.node("A"), scene.gpu)), 8);
  scene.tree.remove_usage(scene.node("A"), adopted);
  EXPECT_EQ(to_int64(scene.tree.usage(scene.node("org"), old)), 0);
  EXPECT_EQ(scene.tree.check_consistency(), "");
}

TEST(QuotaTree, makesEveryMemberOfACycleInactiveUntilItIsBroken) {
  QuotaScene scene;
  scene.cohort("x", "y", {.nominal = 4});
  scene.cohort("y", "z", {.nominal = 4});
  scene.cohort("z", "x", {.nominal = 4});
  scene.cohort("below", "y", {.nominal = 1});
  scene.queue("q", "below", {.nominal = 2});
  scene.queue("bystander", "w", {.nominal = 2});
  scene.tree.settle();
  for (const std::string_view name : {"x", "y", "z", "below", "q"}) {
    SCOPED_TRACE(name);
    EXPECT_FALSE(scene.tree.active(scene.node(name)));
    EXPECT_EQ(to_int64(scene.tree.available(scene.node(name), scene.gpu)), 0);
    EXPECT_EQ(to_int64(scene.tree.potential(scene.node(name), scene.gpu)), 0);
  }
  EXPECT_TRUE(scene.tree.active(scene.node("bystander")));
  const Charge one[] = {{scene.gpu, 1}};
  EXPECT_FALSE(scene.tree.fits(scene.node("q"), one));
  scene.use("q", 1);  // it ran before
  EXPECT_EQ(scene.tree.check_consistency(), "");

  scene.cohort("z", "", {.nominal = 4});
  scene.tree.settle();
  EXPECT_TRUE(scene.tree.active(scene.node("q")));
  EXPECT_EQ(to_int64(scene.tree.usage(scene.node("z"), scene.gpu)), 1);
  EXPECT_EQ(to_int64(scene.tree.available(scene.node("q"), scene.gpu)), 4 + 4 + 4 + 1 + 2 - 1);
  EXPECT_EQ(scene.tree.check_consistency(), "");
}

TEST(QuotaTree, makesACohortThatNamesItselfInactive) {
  QuotaScene scene;
  scene.cohort("self", "self", {.nominal = 4});
  scene.tree.settle();
  EXPECT_FALSE(scene.tree.active(scene.node("self")));
}

TEST(QuotaTree, hasCohortsWithoutAnObjectAsLongAsTheyAreNamed) {
  QuotaScene scene = flat();
  const QuotaNodeId org = scene.node("org");
  EXPECT_EQ(scene.tree.height(org), 1u);
  scene.cohort("org", "top", {.nominal = 2});
  scene.tree.settle();
  EXPECT_EQ(scene.node("org"), org);
  EXPECT_EQ(scene.tree.name(scene.tree.parent(org)), "top");
  scene.tree.remove(org);
  scene.tree.settle();
  EXPECT_TRUE(scene.tree.find(Tree::Kind::cohort, "org").has_value());
  EXPECT_FALSE(scene.tree.find(Tree::Kind::cohort, "top").has_value());
  for (const std::string_view name : {"A", "B", "C"}) {
    scene.tree.put(Tree::Kind::queue, name, {});
  }
  scene.tree.settle();
  EXPECT_FALSE(scene.tree.find(Tree::Kind::cohort, "org").has_value());
}

TEST(QuotaTree, addsTheLargestAmountsWithoutLosingOne) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  QuotaScene scene;
  scene.queue("A", "org", {.nominal = kLargest});
  scene.queue("B", "org", {.nominal = kLargest});
  scene.tree.settle();
  scene.use("A", kLargest);
  scene.use("A", kLargest);
  const QuotaNodeId org = scene.node("org");
  EXPECT_EQ(scene.tree.subtree_quota(org, scene.gpu), Amount{kLargest} * 2);
  EXPECT_EQ(to_int64(scene.tree.usage(org, scene.gpu)), kLargest);
  EXPECT_EQ(to_int64(scene.tree.available(scene.node("B"), scene.gpu)), 0);
  const Charge all[] = {{scene.gpu, kLargest}};
  scene.tree.remove_usage(scene.node("A"), all);
  EXPECT_EQ(to_int64(scene.tree.available(scene.node("B"), scene.gpu)), kLargest);
}

TEST(QuotaTreeDeathTest, stopsWhenMistreated) {
  QuotaScene scene = flat();
  const Charge nine[] = {{scene.gpu, 9}};
  EXPECT_DEATH(scene.tree.remove_usage(scene.node("A"), nine), "more given back");
  EXPECT_DEATH(scene.tree.remove(scene.node("A")), "holds quota");
  scene.queue("D", "org", {.nominal = 1});
  EXPECT_DEATH(scene.tree.add_usage(scene.node("A"), nine), "not settled");
}

}  // namespace
}  // namespace tutti::quota
