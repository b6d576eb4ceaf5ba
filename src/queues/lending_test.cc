#include "queues/lending.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/quota_scene.h"

namespace tutti::queues {
namespace {

using quota::QuotaScene;

std::int64_t lent(const QuotaScene& scene, const char* name) {
  const Lent all = lent_by_all(scene.tree);
  const auto at = all.find({scene.node(name), scene.gpu});
  return at != all.end() ? quota::to_int64(at->second) : 0;
}

TEST(Lending, takesFromIdleSiblingsInProportion) {
  QuotaScene scene;
  scene.queue("a", "org", {.nominal = 8});
  scene.queue("b", "org", {.nominal = 8});
  scene.queue("c", "org", {.nominal = 8});
  scene.tree.settle();
  scene.use("a", 12);
  scene.use("b", 6);  // idle 2, against 8 of c

  EXPECT_EQ(lent(scene, "a"), 0);
  EXPECT_EQ(lent(scene, "b"), 0);  // 4 * 2 / 10, rounded down over the running sum
  EXPECT_EQ(lent(scene, "c"), 4);
}

TEST(Lending, takesFromTheCohortsOwnQuotaFirst) {
  QuotaScene scene;
  scene.cohort("org", "", {.nominal = 3});
  scene.queue("a", "org", {.nominal = 8});
  scene.queue("b", "org", {.nominal = 8});
  scene.tree.settle();
  scene.use("a", 12);

  EXPECT_EQ(lent(scene, "b"), 1);
}

TEST(Lending, leavesOutWhatALendingLimitKeepsPrivate) {
  QuotaScene scene;
  scene.queue("a", "org", {.nominal = 2});
  scene.queue("b", "org", {.nominal = 8, .lend = 3});
  scene.queue("c", "org", {.nominal = 3});
  scene.tree.settle();
  scene.use("a", 8);

  EXPECT_EQ(lent(scene, "b"), 3);
  EXPECT_EQ(lent(scene, "c"), 3);
}

TEST(Lending, reachesIntoOtherCohorts) {
  QuotaScene scene;
  scene.cohort("left", "org", {});
  scene.cohort("right", "org", {});
  scene.queue("a", "left", {.nominal = 4});
  scene.queue("b", "right", {.nominal = 4});
  scene.tree.settle();
  scene.use("a", 6);

  EXPECT_EQ(lent(scene, "right"), 2);
  EXPECT_EQ(lent(scene, "b"), 2);
  EXPECT_EQ(lent(scene, "left"), 0);
}

// Whatever queues borrow of one cohort without quota of its own, its other queues lend.
RC_GTEST_PROP(Lending, isAsMuchAsIsBorrowed, ()) {
  QuotaScene scene;
  const auto count = *rc::gen::inRange(2, 6);
  std::vector<std::string> names;
  std::int64_t left = 0;
  for (int i = 0; i < count; ++i) {
    const std::int64_t nominal = *rc::gen::inRange(0, 20);
    left += nominal;
    names.push_back("q" + std::to_string(i));
    scene.queue(names.back(), "org", {.nominal = nominal});
  }
  scene.tree.settle();
  std::int64_t borrowed = 0;
  for (const std::string& name : names) {
    const std::int64_t used = *rc::gen::inRange<std::int64_t>(0, left + 1);
    left -= used;
    scene.use(name, used);
    borrowed += quota::to_int64(scene.tree.borrowed(scene.node(name), scene.gpu));
  }
  std::int64_t all = 0;
  for (const std::string& name : names) {
    const std::int64_t here = lent(scene, name.c_str());
    const auto node = scene.node(name);
    RC_ASSERT(here >= 0);
    RC_ASSERT(here <= quota::to_int64(scene.tree.nominal(node, scene.gpu)));
    RC_ASSERT(here == 0 || !scene.tree.borrows(node, scene.gpu));
    all += here;
  }
  RC_ASSERT(all == borrowed);
}

}  // namespace
}  // namespace tutti::queues
