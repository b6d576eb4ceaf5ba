#include "core/binding/gang_accounts.h"

#include <gtest/gtest.h>

#include <set>

#include "support/build.h"

namespace tutti::core {
namespace {

using test::pod_group;
using Membership = GroupTable::Membership;

class GangAccountsTest : public testing::Test {
 protected:
  GangAccountsTest() {
    for (const PodId pod : {a_, b_, c_}) groups_.add_pod(gang_, pod, Membership::pending);
  }
  void place(PodId pod) {
    accounts_.open(gang_, pod);
    groups_.add_pod(gang_, pod, Membership::assumed);
  }

  GroupTable groups_;
  GangAccounts accounts_{groups_};
  const PodId a_{1};
  const PodId b_{2};
  const PodId c_{3};
  const GroupId gang_ = groups_.set(pod_group("g").gang(2));
};

TEST_F(GangAccountsTest, holdWhoWasPlacedUntilTheGangIsComplete) {
  place(a_);
  place(b_);
  groups_.add_pod(gang_, a_, Membership::assigned);
  EXPECT_TRUE(accounts_.close_completed(gang_).empty());
  EXPECT_TRUE(accounts_.has(gang_));

  groups_.add_pod(gang_, b_, Membership::assigned);
  EXPECT_EQ(accounts_.close_completed(gang_).size(), 1U);
  EXPECT_FALSE(accounts_.has(gang_));
}

TEST_F(GangAccountsTest, sayThatAGangAtItsMinimumNeedsEveryMember) {
  place(a_);
  place(b_);
  EXPECT_TRUE(accounts_.needs_every_member(gang_));
  place(c_);
  EXPECT_FALSE(accounts_.needs_every_member(gang_));
}

TEST_F(GangAccountsTest, leaveAGangAloneThatWasCompleteOnce) {
  for (const PodId pod : {a_, b_}) {
    place(pod);
    groups_.add_pod(gang_, pod, Membership::assigned);
  }
  EXPECT_EQ(accounts_.close_completed(gang_).size(), 1U);
  groups_.add_pod(gang_, a_, Membership::leaving);

  EXPECT_FALSE(accounts_.falls_short(gang_));
  EXPECT_FALSE(accounts_.needs_every_member(gang_));
}

TEST_F(GangAccountsTest, beginAnewWhenMembersOfACompleteGangWereLost) {
  for (const PodId pod : {a_, b_}) {
    place(pod);
    groups_.add_pod(gang_, pod, Membership::assigned);
  }
  EXPECT_EQ(accounts_.close_completed(gang_).size(), 1U);
  groups_.remove_pod(gang_, a_);
  place(c_);

  EXPECT_TRUE(accounts_.needs_every_member(gang_));
  EXPECT_EQ(accounts_.take(gang_), std::set<PodId>{c_});
  EXPECT_FALSE(accounts_.has(gang_));
}

TEST_F(GangAccountsTest, giveUpAGangThatTooFewMembersAreLeftOf) {
  place(a_);
  EXPECT_FALSE(accounts_.is_lost(gang_));
  groups_.remove_pod(gang_, b_);
  groups_.remove_pod(gang_, c_);
  EXPECT_TRUE(accounts_.is_lost(gang_));
}

TEST_F(GangAccountsTest, allowTwoRepairsUntilTheGangWasTakenBack) {
  EXPECT_TRUE(accounts_.may_repair(gang_));
  EXPECT_TRUE(accounts_.may_repair(gang_));
  EXPECT_FALSE(accounts_.may_repair(gang_));
  accounts_.end_repairs(gang_);
  EXPECT_TRUE(accounts_.may_repair(gang_));
}

}  // namespace
}  // namespace tutti::core
