#include "quota/share.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <limits>

#include "support/quota_scene.h"
#include "support/random_quota.h"

namespace tutti::quota {
namespace {

constexpr std::uint64_t kOne = 1'000'000'000;

TEST(Share, isTheDominantResourceByWeight) {
  Tree tree;
  const auto gpu = tree.flavor_resources().intern("std", "gpu");
  const auto cpu = tree.flavor_resources().intern("std", "cpu");
  tree.put(Tree::Kind::cohort, "org", {.quotas = {{gpu, 28}, {cpu, 300}}});
  const QuotaNodeId queue =
      tree.put(Tree::Kind::queue, "p",
               {.parent = "org", .quotas = {{gpu, 12}, {cpu, 100}}, .weight = {2 * kOne}});
  tree.settle();
  const Charge used[] = {{gpu, 20}, {cpu, 130}};
  tree.add_usage(queue, used);
  const Share share = share_of(tree, queue);
  EXPECT_EQ(weighted_share(share), 100);
  EXPECT_EQ(tree.flavor_resources().name(share.dominant), "gpu");
  EXPECT_EQ(weighted_share(share_of(tree, tree.root(queue))), 0);
}

TEST(Share, namesTheAlphabeticallyFirstAmongEqualResources) {
  Tree tree;
  const auto z = tree.flavor_resources().intern("std", "z");
  const auto a = tree.flavor_resources().intern("std", "a");
  tree.put(Tree::Kind::cohort, "org", {.quotas = {{z, 10}, {a, 10}}});
  const QuotaNodeId queue = tree.put(Tree::Kind::queue, "q", {.parent = "org"});
  tree.settle();
  const Charge used[] = {{z, 5}, {a, 5}};
  tree.add_usage(queue, used);
  EXPECT_EQ(tree.flavor_resources().name(share_of(tree, queue).dominant), "a");
}

TEST(Share, addsUpTheFlavorsOfAResource) {
  Tree tree;
  const auto first = tree.flavor_resources().intern("a100", "gpu");
  const auto second = tree.flavor_resources().intern("h100", "gpu");
  tree.put(Tree::Kind::cohort, "org", {.quotas = {{first, 6}, {second, 14}}});
  const QuotaNodeId queue = tree.put(Tree::Kind::queue, "q", {.parent = "org"});
  tree.settle();
  const Charge used[] = {{first, 2}, {second, 3}};
  tree.add_usage(queue, used);
  EXPECT_EQ(weighted_share(share_of(tree, queue)), 250);
  const Charge more[] = {{second, 5}};
  EXPECT_EQ(weighted_share(share_of(tree, queue, more)), 500);
}

TEST(Share, isComparedExactly) {
  struct Case {
    std::string_view name;
    Share left, right;
    std::strong_ordering order;
  };
  constexpr auto kLess = std::strong_ordering::less;
  constexpr auto kEqual = std::strong_ordering::equal;
  constexpr auto kGreater = std::strong_ordering::greater;
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const Case cases[] = {
      {"nothing borrowed is nothing, whatever the weights", {0, 1, {0}}, {0, 9, {kOne}}, kEqual},
      {"something is more than nothing", {1, 100, {kOne}}, {0, 1, {0}}, kGreater},
      {"equal fractions", {1, 3, {kOne}}, {2, 6, {kOne}}, kEqual},
      {"half the weight is twice the share", {1, 4, {kOne / 2}}, {1, 2, {kOne}}, kEqual},
      {"weight 0 is above everybody", {1, 1000, {0}}, {9, 1, {1}}, kGreater},
      {"two of weight 0 by what they borrow", {1, 3, {0}}, {1, 2, {0}}, kLess},
      {"what a double cannot tell apart",
       {kLargest - 1, kLargest, {kOne}},
       {kLargest, kLargest, {kOne}},
       kLess},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(compare(each.left, each.right) == each.order);
    EXPECT_TRUE(compare(each.right, each.left) == 0 <=> each.order);
  }
}

TEST(Share, isPublishedRoundedUp) {
  EXPECT_EQ(weighted_share({.borrowed = 1, .lendable = 3}), 334);
  EXPECT_EQ(weighted_share({.borrowed = 1, .lendable = 4}), 250);
  EXPECT_EQ(weighted_share({.borrowed = 1, .lendable = 4, .weight = {0}}), kInfiniteShare);
  EXPECT_EQ(weighted_share({.borrowed = 0, .lendable = 4, .weight = {0}}), 0);
  EXPECT_EQ(weighted_share({.borrowed = ~0ULL >> 1, .lendable = 1, .weight = {1}}), kInfiniteShare);
}

using Big = boost::multiprecision::cpp_int;

Share any_share() {
  const auto number = rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 4),
                                     rc::gen::inRange<std::uint64_t>(0, ~0ULL >> 1));
  return {.borrowed = *number, .lendable = *number + 1, .weight = {*number}};
}

RC_GTEST_PROP(ShareProperty, comparesLikeFractionsOfUnboundedNumbers, ()) {
  const Share left = any_share(), right = any_share();
  const auto infinite = [](const Share& share) {
    return share.weight.nano == 0 && share.borrowed > 0;
  };
  // left = a / b, right = c / d; weights do not count between two infinite ones.
  Big a = left.borrowed, b = left.lendable, c = right.borrowed, d = right.lendable;
  if (!infinite(left) && left.borrowed > 0) b *= left.weight.nano;
  if (!infinite(right) && right.borrowed > 0) d *= right.weight.nano;
  int expected = Big(a * d).compare(Big(c * b));
  if (infinite(left) != infinite(right)) expected = infinite(left) ? 1 : -1;
  RC_ASSERT(std::is_gt(compare(left, right)) == (expected > 0));
  RC_ASSERT(std::is_lt(compare(left, right)) == (expected < 0));
}

RC_GTEST_PROP(ShareProperty, ofAChargeInThoughtIsThatOfTheChargeMade, ()) {
  RandomQuota scene(any_plain_nodes(4, 5));
  const auto queues = scene.queues();
  const auto any_charges = [&] {
    std::vector<Charge> charges;
    for (const auto of : scene.of) charges.push_back({of, *rc::gen::inRange<std::int64_t>(0, 9)});
    return charges;
  };
  for (const std::size_t row : queues) scene.tree.add_usage(scene.ids[row], any_charges());
  const QuotaNodeId queue = scene.ids[*rc::gen::elementOf(queues)];
  const auto request = any_charges();
  std::vector<Share> thought;
  auto arriving = request;
  for (QuotaNodeId node = queue; node.valid(); node = scene.tree.parent(node)) {
    thought.push_back(share_of(scene.tree, node, arriving));
    arriving = above_of(scene.tree, node, arriving);
  }
  scene.tree.add_usage(queue, request);
  std::size_t at = 0;
  for (QuotaNodeId node = queue; node.valid(); node = scene.tree.parent(node)) {
    RC_ASSERT(std::is_eq(compare(thought[at], share_of(scene.tree, node))));
    ++at;
  }
}

}  // namespace
}  // namespace tutti::quota
