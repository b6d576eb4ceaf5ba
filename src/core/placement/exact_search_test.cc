#include "core/placement/exact_search.h"
#include "core/evaluation/counting.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

class SearchTest : public testing::Test {
 protected:
  SearchTest() { test::enable(profile_, std::make_unique<test::Fit>(), profile_.filters); }
  void nodes(const std::vector<std::string>& cpus) {
    for (const auto& cpu : cpus) {
      cluster_.set_node(node("n" + std::to_string(cluster_.nodes().count())).cpu(cpu));
    }
  }
  Search run(const std::vector<std::string>& cpus, std::size_t need,
             std::size_t steps = 1'000'000) {
    std::vector<PodId> members;
    for (const auto& cpu : cpus) {
      members.push_back(
          cluster_.set_pod(pod("p" + std::to_string(cluster_.pods().slots())).cpu(cpu)));
    }
    EvaluationCache evaluations(cluster_);
    Transaction transaction(cluster_);
    SearchBudget budget(steps);
    const Lot lot{members, need, nullptr};
    const Search result =
        ExactSearch(cluster_, evaluations, profile_, budget).run(transaction, {&lot, 1});
    placed_ = transaction.placed().size();
    return result;
  }

  Cluster cluster_;
  Profile profile_;
  std::size_t placed_ = 0;
};

TEST_F(SearchTest, findsTheOnlyWayToPack) {
  nodes({"6", "4", "4"});
  EXPECT_EQ(run({"4", "4", "3", "3"}, 4), Search::found);
  EXPECT_EQ(placed_, 4U);
}

TEST_F(SearchTest, provesThatThereIsNoWayAndLeavesNoTrace) {
  nodes({"5", "5"});
  EXPECT_EQ(run({"4", "3", "3"}, 3), Search::impossible);
  EXPECT_EQ(placed_, 0U);
  EXPECT_EQ(cluster_.resources().used(kCpu)[0] + cluster_.resources().used(kCpu)[1], 0);
  EXPECT_EQ(cluster_.check_consistency(), "");
}

TEST_F(SearchTest, leavesOutWhomItMust) {
  nodes({"4"});
  EXPECT_EQ(run({"4", "2", "2"}, 2), Search::found);
  EXPECT_EQ(placed_, 2U);
}

TEST_F(SearchTest, saysWhenItsBudgetEnded) {
  nodes({"7", "7", "7", "7", "7"});
  const std::vector<std::string> hard = {"5", "4", "4", "4", "3", "3", "3", "3", "2", "4"};
  EXPECT_EQ(run(hard, 10, 2), Search::exhausted);
  EXPECT_EQ(placed_, 0U);
}

TEST(RoomFor, countsHowOftenARequestFits) {
  Cluster cluster;
  cluster.set_node(node("a").cpu("5"));
  cluster.set_node(node("b").cpu("3").pods("1"));
  const PodId asked = cluster.set_pod(pod("p").cpu("1"));
  EXPECT_EQ(
      room_for(cluster, cluster.shape(cluster.pod(asked).shape), cluster.nodes().live(), nullptr),
      6U);
}

}  // namespace
}  // namespace tutti::core
