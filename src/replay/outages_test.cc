#include "replay/outages.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti::replay {
namespace {

using Change = Outages::Change;

std::vector<trace::Node> four_nodes() {
  std::vector<trace::Node> nodes(4);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = "n" + std::to_string(i);
    nodes[i].levels = {{"rack", i < 2 ? "r0" : "r1"}};
  }
  return nodes;
}

TEST(Outages, followAListAndANodeIsDownUntilAllReasonsAreOver) {
  auto nodes = four_nodes();
  nodes[1].down = {{std::chrono::seconds(10), std::chrono::seconds(30)},
                   {std::chrono::seconds(20), std::chrono::seconds(40)}};
  nodes[3].down = {{std::chrono::seconds(30), std::nullopt}};
  Outages outages(nodes, {}, 0);
  EXPECT_EQ(outages.next(), std::chrono::seconds(10));
  EXPECT_EQ(outages.take(std::chrono::seconds(10)), (std::vector<Change>{{1, true}}));
  EXPECT_TRUE(outages.any_down());
  EXPECT_TRUE(outages.take(std::chrono::seconds(20)).empty());
  EXPECT_EQ(outages.take(std::chrono::seconds(30)), (std::vector<Change>{{3, true}}));
  EXPECT_EQ(outages.take(std::chrono::seconds(40)), (std::vector<Change>{{1, false}}));
  EXPECT_EQ(outages.next(), std::nullopt);
}

TEST(Outages, bringBackBeforeTheyTakeDown) {
  auto nodes = four_nodes();
  nodes[0].down = {{std::chrono::seconds(20), std::nullopt}};
  nodes[2].down = {{std::chrono::seconds(10), std::chrono::seconds(20)}};
  Outages outages(nodes, {}, 0);
  outages.take(std::chrono::seconds(10));
  EXPECT_EQ(outages.take(std::chrono::seconds(20)), (std::vector<Change>{{2, false}, {0, true}}));
}

TEST(Outages, takeWholeDomains) {
  const auto nodes = four_nodes();
  FailureModel model;
  model.domains = {{"rack", std::chrono::hours(100)}};
  Outages outages(nodes, model, 3);
  const auto changes = outages.take(*outages.next());
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].node / 2, changes[1].node / 2);
}

TEST(Outages, comeAsOftenAndLastAsLongAsTheModelSays) {
  std::vector<trace::Node> nodes(1);
  nodes[0].name = "n";
  FailureModel model;
  model.between = std::chrono::hours(10);
  model.repair = std::chrono::hours(1);
  Outages outages(nodes, model, 7);
  double up = 0;
  double down = 0;
  Millis last{0};
  constexpr int kFailures = 5000;
  for (int i = 0; i < 2 * kFailures; ++i) {
    const Millis at = *outages.next();
    (outages.any_down() ? down : up) += static_cast<double>((at - last).count());
    last = at;
    outages.take(at);
  }
  constexpr double kHour = 3'600'000;
  EXPECT_NEAR(up / kFailures / kHour, 10, 0.5);
  EXPECT_NEAR(down / kFailures / kHour, 1, 0.05);
}

TEST(Outages, ofANodeDoNotDependOnTheOthers) {
  FailureModel model;
  model.between = std::chrono::hours(10);
  const auto all = four_nodes();
  const std::vector<trace::Node> alone = {all[2]};
  Outages first(alone, model, 1);
  Outages second(all, model, 1);
  const Millis at = *first.next();
  while (*second.next() < at) second.take(*second.next());
  const auto changes = second.take(at);
  EXPECT_TRUE(std::ranges::any_of(changes, [](const Change& one) { return one.node == 2; }));
}

}  // namespace
}  // namespace tutti::replay
