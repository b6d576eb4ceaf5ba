#include "queues/rights.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/decoded.h"

namespace tutti::queues {
namespace {

struct QueueText {
  std::string name;
  std::string nominal = "4";
  std::string preemption = "{}";
  std::string cohort = "org";
  std::string limits{};  // ", borrowingLimit: 0"
};

class RightsTest : public testing::Test {
 protected:
  void add(const QueueText& queue) {
    objects_.set(test::decoded(fmt::format(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {}}}\n"
        "spec:\n  cohortName: {}\n  namespaceSelector: {{}}\n  preemption: {}\n"
        "  resourceGroups:\n  - coveredResources: [gpu]\n    flavors:\n    - name: std\n"
        "      resources: [{{name: gpu, nominalQuota: {}{}}}]\n",
        queue.name, queue.cohort, queue.preemption, queue.nominal, queue.limits)));
  }
  // "reclaim", "withinQueue newer", "reclaim+whileBorrowing".
  std::string right(const char* from, std::int64_t from_priority, const char* to,
                    std::int64_t to_priority) {
    const Right right = Rights(objects_, config_).of(from, from_priority, to, to_priority);
    std::string text(word(right.rule));
    if (right.only_newer) text += " newer";
    if (right.beyond != Rule::never) text += "+" + std::string(word(right.beyond));
    return text;
  }

  core::QuotaObjects objects_;
  core::QuotaConfig config_;
};

TEST_F(RightsTest, followWhatQueuesSayOfThemselves) {
  add({.name = "low", .preemption = "{withinClusterQueue: LowerPriority}"});
  add({.name = "newer", .preemption = "{withinClusterQueue: LowerOrNewerEqualPriority}"});
  add({.name = "never"});

  EXPECT_EQ(right("low", 5, "low", 4), "withinQueue");
  EXPECT_EQ(right("low", 5, "low", 5), "never");
  EXPECT_EQ(right("newer", 5, "newer", 4), "withinQueue");
  EXPECT_EQ(right("newer", 5, "newer", 5), "withinQueue newer");
  EXPECT_EQ(right("newer", 5, "newer", 6), "never");
  EXPECT_EQ(right("never", 5, "never", 4), "never");
}

TEST_F(RightsTest, takeBackOnlyWhatOthersBorrow) {
  add({.name = "any", .preemption = "{reclaimWithinCohort: Any}"});
  add({.name = "lower", .preemption = "{reclaimWithinCohort: LowerPriority}"});
  add({.name = "frugal", .limits = ", borrowingLimit: 0"});

  EXPECT_EQ(right("any", 0, "lower", 9), "reclaim");
  EXPECT_EQ(right("lower", 0, "any", 0), "never");
  EXPECT_EQ(right("lower", 1, "any", 0), "reclaim");
  EXPECT_EQ(right("any", 9, "frugal", 0), "never");
}

TEST_F(RightsTest, ofAQueueWithoutQuotaAreThoseOfABorrower) {
  add({.name = "owner", .preemption = "{reclaimWithinCohort: Any}"});
  add({.name = "guest", .nominal = "0", .preemption = "{reclaimWithinCohort: Any}"});
  add({.name = "bold",
       .nominal = "0",
       .preemption = "{reclaimWithinCohort: LowerPriority, borrowWithinCohort: {policy: "
                     "LowerPriority, maxPriorityThreshold: 3}}"});

  EXPECT_EQ(right("owner", 0, "guest", 9), "reclaim");
  EXPECT_EQ(right("guest", 9, "owner", 0), "never");
  EXPECT_EQ(right("bold", 9, "guest", 3), "whileBorrowing");
  EXPECT_EQ(right("bold", 9, "guest", 4), "never");
}

TEST_F(RightsTest, ofABorrowerComeBesideThoseOfAnOwner) {
  add({.name = "both",
       .preemption = "{reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority}}"});
  add({.name = "other"});
  add({.name = "third"});

  EXPECT_EQ(right("both", 5, "other", 4), "reclaim+whileBorrowing");
  EXPECT_EQ(right("both", 5, "other", 5), "reclaim");
}

TEST_F(RightsTest, knowSharesWhereTheConfigurationDoes) {
  config_.fair_sharing = {core::ShareRule::at_most_final_share,
                          core::ShareRule::below_initial_share};
  add({.name = "a", .nominal = "0", .preemption = "{reclaimWithinCohort: Any}"});
  add({.name = "b", .nominal = "0", .preemption = "{reclaimWithinCohort: Any}"});
  add({.name = "owner", .nominal = "8", .preemption = "{reclaimWithinCohort: Any}"});

  EXPECT_EQ(right("a", 0, "b", 9), "fairShare");
  EXPECT_EQ(right("owner", 0, "b", 9), "reclaim");
}

TEST_F(RightsTest, endAtTheTree) {
  add({.name = "here", .preemption = "{reclaimWithinCohort: Any}"});
  add({.name = "there", .cohort = "other"});

  EXPECT_EQ(right("here", 1, "there", 0), "priority");
  EXPECT_EQ(right("here", 0, "there", 0), "never");
}

TEST_F(RightsTest, leaveTheTreeAsItWas) {
  add({.name = "a", .preemption = "{reclaimWithinCohort: Any}"});
  add({.name = "b"});
  (void)make_rights(objects_, config_, {0, 5});

  EXPECT_EQ(objects_.tree().check_consistency(), "");
  for (const auto& [name, queue] : objects_.queues()) {
    for (const auto of : objects_.tree().flavor_resources_of(objects_.root_of(queue.node))) {
      EXPECT_EQ(quota::to_int64(objects_.tree().usage(queue.node, of)), 0) << name;
    }
  }
}

TEST_F(RightsTest, makeATableOfEveryTwoQueuesOfATree) {
  add({.name = "a", .preemption = "{reclaimWithinCohort: LowerPriority}"});
  add({.name = "b"});
  add({.name = "far", .cohort = "other"});
  const RightsTable table = make_rights(objects_, config_, {5, 0, 5});

  EXPECT_EQ(table.priorities, (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(table.cells.size(), (4 + 1) * 4U);
  ASSERT_NE(table.find(0, 1, 1, 0), nullptr);
  EXPECT_EQ(table.find(0, 1, 1, 0)->rule, Rule::reclaim);
  EXPECT_EQ(table.find(0, 0, 1, 1)->rule, Rule::never);
  EXPECT_EQ(table.find(0, 1, 2, 0), nullptr);
}

TEST_F(RightsTest, haveReasons) {
  add({.name = "a", .preemption = "{reclaimWithinCohort: LowerPriority}"});
  add({.name = "b", .limits = ", borrowingLimit: 0"});
  Rights rights(objects_, config_);

  EXPECT_EQ(rights.why("b", 5, "a", 0), "reclaimWithinCohort of b is Never");
  EXPECT_EQ(rights.why("a", 0, "b", 0),
            "reclaimWithinCohort of a is LowerPriority, and 0 is not above 0");
  EXPECT_EQ(rights.why("a", 5, "b", 0), "b never has more than its own of what a could take back");
  EXPECT_EQ(rights.why("a", 5, "a", 0), "withinClusterQueue of a is Never");
}

}  // namespace
}  // namespace tutti::queues
