#include "explain/held_reason.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::explain {
namespace {

using Membership = core::GroupTable::Membership;

struct Hall {
  core::Cluster cluster;
  core::GroupTable groups;

  core::PodId pod(const test::PodBuilder& builder) { return cluster.set_pod(builder.build()); }
  core::GroupId member(const test::PodBuilder& builder) {
    const auto id = pod(builder);
    const auto& object = *cluster.pod(id).object;
    const auto group = groups.intern(object.meta.ns, object.spec->scheduling_group, false);
    groups.add_pod(group, id, Membership::pending);
    return group;
  }
  std::string summary(core::GroupId group) const {
    const auto hold = find_held_reason(cluster, groups, group);
    return hold ? hold->summary : "not held";
  }
};

TEST(HeldReason, namesTheGroupThatDoesNotExist) {
  Hall hall;
  hall.member(test::pod("a").group("g"));
  const auto group = hall.member(test::pod("b").group("g"));
  const auto hold = find_held_reason(hall.cluster, hall.groups, group);
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->state, State::held);
  EXPECT_EQ(hold->blocker, Blocker::incomplete);
  EXPECT_EQ(hold->summary, "waits for PodGroup t/g, which does not exist; 2 pods name it");
}

TEST(HeldReason, namesTheParentThatDoesNotExist) {
  Hall hall;
  const auto group = hall.groups.set(test::pod_group("g").parent("top").build());
  hall.member(test::pod("a").group("g"));
  EXPECT_EQ(hall.summary(group),
            "waits for CompositePodGroup t/top, which does not exist; 1 group names it as parent");
}

TEST(HeldReason, callsTheGroupOfAJobByTheJob) {
  Hall hall;
  model::PodGroup made = *test::pod_group("j-687cb").gang(1).build();
  model::OwnerReference job;
  job.kind = "Job";
  job.name = "j";
  job.controller = true;
  made.meta.owners = {job};
  const auto group = hall.groups.set(std::make_shared<const model::PodGroup>(made));
  EXPECT_EQ(hall.summary(group), "no member of Job t/j exists; 1 pod is needed");
}

TEST(HeldReason, countsTheMembersThatAreMissing) {
  Hall hall;
  const auto group = hall.groups.set(test::pod_group("g").gang(3).build());
  hall.member(test::pod("a").group("g"));
  hall.member(test::pod("b").group("g"));
  const auto hold = find_held_reason(hall.cluster, hall.groups, group);
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->summary, "2 of 3 members of PodGroup t/g exist; 1 more pod is needed");
  EXPECT_EQ(hold->need, (std::vector<Amount>{{"members", "3"}}));
  EXPECT_EQ(hold->have, (std::vector<Amount>{{"members", "2"}}));
}

TEST(HeldReason, saysWhichMembersAreNotCounted) {
  Hall hall;
  const auto group = hall.groups.set(test::pod_group("g").gang(3).build());
  hall.member(test::pod("a").group("g"));
  const std::vector<std::pair<Absent, std::string>> cases = {
      {{0, 0, 1, "other"}, " (1 names scheduler 'other' and is not counted)"},
      {{0, 0, 2, "other"}, " (2 name scheduler 'other' and are not counted)"},
      {{1, 0, 0, ""}, " (1 has ended)"},
      {{1, 1, 1, "x"}, " (2 have ended; 1 names scheduler 'x' and is not counted)"}};
  for (const auto& [absent, said] : cases) {
    SCOPED_TRACE(said);
    const auto hold = find_held_reason(hall.cluster, hall.groups, group,
                                       [&absent = absent](const core::Group&) { return absent; });
    ASSERT_TRUE(hold);
    EXPECT_EQ(hold->summary,
              "1 of 3 members of PodGroup t/g exists; 2 more pods are needed" + said);
  }
}

TEST(HeldReason, namesTheGateOfOneMember) {
  Hall hall;
  const auto group = hall.groups.set(test::pod_group("g").gang(1).build());
  hall.member(test::pod("a").group("g"));
  hall.member(test::pod("b").group("g").gate("example.com/x"));
  const auto hold = find_held_reason(hall.cluster, hall.groups, group);
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->blocker, Blocker::gated);
  EXPECT_EQ(hold->summary, "pod t/b has scheduling gate example.com/x");
}

TEST(HeldReason, isAbsentForACompleteGroup) {
  Hall hall;
  const auto group = hall.groups.set(test::pod_group("g").gang(1).build());
  hall.member(test::pod("a").group("g"));
  EXPECT_EQ(hall.summary(group), "not held");
}

std::shared_ptr<const model::CompositePodGroup> composite(std::string name, std::int32_t minimum,
                                                          std::string parent = {}) {
  auto made = std::make_shared<model::CompositePodGroup>();
  made->meta.ns = "t";
  made->meta.name = std::move(name);
  made->spec.policy = {true, minimum};
  made->parent = std::move(parent);
  return made;
}

TEST(HeldReason, ofATreeNamesTheLowestGroupThatIsShort) {
  Hall hall;
  const auto root = hall.groups.set(composite("top", 2));
  hall.groups.set(test::pod_group("left").gang(1).parent("top").build());
  hall.groups.set(test::pod_group("right").gang(2).parent("top").build());
  hall.member(test::pod("a").group("left"));
  hall.member(test::pod("b").group("right"));
  EXPECT_EQ(hall.summary(root), "1 of 2 members of PodGroup t/right exists; 1 more pod is needed");
}

TEST(HeldReason, ofATreeCountsItsCompleteChildren) {
  Hall hall;
  const auto root = hall.groups.set(composite("top", 2));
  hall.groups.set(test::pod_group("left").gang(1).parent("top").build());
  hall.member(test::pod("a").group("left"));
  EXPECT_EQ(hall.summary(root),
            "1 of 2 child groups of CompositePodGroup t/top is complete; 1 exists");
}

TEST(HeldReason, callsACycleOfParentsInvalid) {
  Hall hall;
  const auto one = hall.groups.set(composite("one", 1, "two"));
  hall.groups.set(composite("two", 1, "one"));
  const auto hold = find_held_reason(hall.cluster, hall.groups, one);
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->state, State::invalid);
}

}  // namespace
}  // namespace tutti::explain
