#include "quota/tournament.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "quota/order.h"
#include "support/quota_scene.h"
#include "support/random_quota.h"

namespace tutti::quota {
namespace {

TEST(QuotaOrder, goesByTheFirstDifferenceInsideAQueue) {
  struct Case {
    std::string_view name;
    Standing first, second;
  };
  const Case cases[] = {
      {"whose victims leave", {.sticky = true, .history = 9}, {.priority = 9}},
      {"the smaller history", {.history = 1}, {.history = 2, .priority = 9}},
      {"the higher priority", {.priority = 1, .timestamp = 9}, {.priority = 0, .timestamp = 1}},
      {"the lowest priority is last", {.priority = 0}, {.priority = INT64_MIN}},
      {"the earlier", {.timestamp = 1, .uid = "z"}, {.timestamp = 2, .uid = "a"}},
      {"the smaller uid", {.uid = "a"}, {.uid = "b"}},
  };
  for (const auto& [name, first, second] : cases) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(goes_first_in_queue(first, second));
    EXPECT_FALSE(goes_first_in_queue(second, first));
  }
}

TEST(QuotaOrder, goesByTheFirstDifferenceAcrossQueues) {
  struct Case {
    std::string_view name;
    Entry first, second;
  };
  const Case cases[] = {
      {"who holds quota already", {.second_pass = true, .borrow_level = 2}, {.priority = 9}},
      {"whose victims leave", {.victims_leaving = true, .borrow_level = 2}, {.priority = 9}},
      {"who borrows from nearer", {.borrow_level = 0}, {.borrow_level = 1, .priority = 9}},
      {"the higher priority", {.priority = 1, .timestamp = 9}, {.priority = 0}},
      {"the earlier", {.timestamp = 1, .uid = "z"}, {.timestamp = 2, .uid = "a"}},
      {"the smaller uid", {.uid = "a"}, {.uid = "b"}},
  };
  for (const auto& [name, first, second] : cases) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(goes_first_in_root(first, second));
    EXPECT_FALSE(goes_first_in_root(second, first));
  }
}

struct Contest {
  QuotaScene scene;
  std::vector<std::pair<std::string_view, Head>> heads;

  Head head(std::int64_t gpus, std::string uid) const {
    return {.charges = {{scene.gpu, gpus}}, .uid = std::move(uid)};
  }
  std::string_view winner(std::string_view at) const {
    Tournament tournament(scene.tree);
    for (const auto& [queue, head] : heads) tournament.nominate(scene.node(queue), head);
    const auto won = tournament.winner(scene.node(at));
    return won ? scene.tree.name(*won) : "nobody";
  }
};

TEST(Tournament, comparesSharesWithTheHeadInThem) {
  Contest contest;
  contest.scene.cohort("org", "", {.nominal = 60});
  contest.scene.queue("u", "org", {.nominal = 0});
  contest.scene.queue("v", "org", {.nominal = 0});
  contest.scene.tree.settle();
  EXPECT_EQ(contest.winner("org"), "nobody");
  contest.scene.use("u", 12);
  contest.heads = {{"u", contest.head(20, "x")}, {"v", contest.head(36, "y")}};
  EXPECT_EQ(contest.winner("org"), "u");
}

TEST(Tournament, prefersWhoDoesNotBorrowWhatIsAskedFor) {
  Contest contest;
  contest.scene.queue("owner", "org", {.nominal = 10, .weight = {0}});
  contest.scene.queue("other", "org", {.nominal = 100});
  contest.scene.queue("borrower", "org", {.nominal = 0, .weight = {~0ULL}});
  contest.scene.tree.settle();
  contest.heads = {{"owner", contest.head(10, "z")}, {"borrower", contest.head(1, "a")}};
  EXPECT_EQ(contest.winner("org"), "owner");
}

TEST(Tournament, isWonFirstByWhoseVictimsLeave) {
  Contest contest;
  contest.scene.queue("a", "org", {.nominal = 10});
  contest.scene.queue("b", "org", {.nominal = 0});
  contest.scene.tree.settle();
  contest.heads = {{"a", contest.head(1, "a")}, {"b", contest.head(1, "b")}};
  contest.heads[1].second.victims_leaving = true;
  EXPECT_EQ(contest.winner("org"), "b");
}

TEST(Tournament, isPlayedCohortByCohort) {
  Contest contest;
  contest.scene.cohort("root", "", {.nominal = 100});
  contest.scene.cohort("left", "root", {.nominal = 0});
  contest.scene.cohort("right", "root", {.nominal = 0});
  contest.scene.queue("l1", "left", {.nominal = 0});
  contest.scene.queue("l2", "left", {.nominal = 0});
  contest.scene.queue("r", "right", {.nominal = 0});
  contest.scene.tree.settle();
  contest.scene.use("l1", 30);
  contest.scene.use("r", 20);
  // l2 has the smallest share of all, but left as a whole has more than right.
  contest.heads = {
      {"l1", contest.head(1, "a")}, {"l2", contest.head(1, "b")}, {"r", contest.head(1, "c")}};
  EXPECT_EQ(contest.winner("left"), "l2");
  EXPECT_EQ(contest.winner("root"), "r");
}

// The rules played from the leaves with every head really charged.
std::optional<std::size_t> played_slowly(RandomQuota& scene,
                                         const std::map<std::size_t, Head>& heads, int at) {
  const auto row = static_cast<std::size_t>(at);
  if (scene.nodes[row].queue) return heads.contains(row) ? std::optional(row) : std::nullopt;
  struct Contestant {
    std::size_t queue;
    bool borrows;
    Share share;
  };
  std::vector<Contestant> contestants;
  for (std::size_t child = 0; child < scene.nodes.size(); ++child) {
    if (scene.nodes[child].parent != at) continue;
    const auto queue = played_slowly(scene, heads, static_cast<int>(child));
    if (!queue) continue;
    const auto& charges = heads.at(*queue).charges;
    scene.tree.add_usage(scene.ids[*queue], charges);
    Contestant made{*queue, false, share_of(scene.tree, scene.ids[child])};
    for (const Charge& charge : charges) {
      made.borrows |= charge.amount > 0 && scene.tree.borrows(scene.ids[child], charge.of);
    }
    scene.tree.remove_usage(scene.ids[*queue], charges);
    contestants.push_back(made);
  }
  if (contestants.empty()) return std::nullopt;
  return std::min_element(contestants.begin(), contestants.end(),
                          [&](const Contestant& left, const Contestant& right) {
                            const Head& l = heads.at(left.queue);
                            const Head& r = heads.at(right.queue);
                            if (left.borrows != right.borrows) return right.borrows;
                            const auto order = compare(left.share, right.share);
                            if (order != 0) return order < 0;
                            if (l.priority != r.priority) return l.priority > r.priority;
                            return std::tie(l.timestamp, l.uid) < std::tie(r.timestamp, r.uid);
                          })
      ->queue;
}

RC_GTEST_PROP(TournamentProperty, isRepairedAlongOnePath, ()) {
  RandomQuota scene(any_plain_nodes(4, 6));
  const auto queues = scene.queues();
  Tournament tournament(scene.tree);
  std::map<std::size_t, Head> heads;
  const auto any_charges = [&] {
    std::vector<Charge> charges;
    for (const auto of : scene.of) charges.push_back({of, *rc::gen::inRange<std::int64_t>(0, 9)});
    return charges;
  };
  for (int step = 0; step < 15; ++step) {
    const std::size_t row = *rc::gen::elementOf(queues);
    const int what = *rc::gen::inRange(0, 4);
    if (what == 0) {
      scene.tree.add_usage(scene.ids[row], any_charges());
      tournament.usage_changed(scene.ids[row]);
    } else if (what == 1) {
      heads.erase(row);
      tournament.withdraw(scene.ids[row]);
    } else {
      heads[row] = {.charges = any_charges(),
                    .priority = *rc::gen::inRange<std::int64_t>(0, 2),
                    .timestamp = *rc::gen::inRange<std::int64_t>(0, 3),
                    .uid = std::to_string(row)};
      tournament.nominate(scene.ids[row], heads[row]);
    }
    for (std::size_t node = 0; node < scene.nodes.size(); ++node) {
      const auto expected = played_slowly(scene, heads, static_cast<int>(node));
      const auto won = tournament.winner(scene.ids[node]);
      RC_ASSERT(won.has_value() == expected.has_value());
      if (won) RC_ASSERT((*won == scene.ids[*expected]));
    }
  }
}

}  // namespace
}  // namespace tutti::quota
