#include "core/cluster/groups.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::core {
namespace {

using test::pod_group;
using Membership = GroupTable::Membership;

std::shared_ptr<const model::CompositePodGroup> composite(const std::string& name, int minimum,
                                                          const std::string& parent = {},
                                                          Instant created = {}) {
  auto made = std::make_shared<model::CompositePodGroup>();
  made->api_version = model::kSchedulingV1Alpha3;
  made->meta.ns = "t";
  made->meta.name = name;
  made->meta.created = created;
  made->spec.policy = {true, minimum};
  made->parent = parent;
  return made;
}

PodId pod(std::uint32_t index) { return {index}; }

TEST(GroupTable, knowsAGroupAsSoonAsAPodNamesIt) {
  GroupTable groups;
  const GroupId g = groups.intern("t", "g", false);
  groups.add_pod(g, pod(1), Membership::pending);

  EXPECT_FALSE(groups[g].seen());
  EXPECT_EQ(groups.root_of(g), std::nullopt);
  EXPECT_FALSE(groups.has_quorum(g));
  EXPECT_EQ(groups.set(pod_group("g").gang(1)), g);
  EXPECT_EQ(groups.root_of(g), g);
  EXPECT_TRUE(groups.has_quorum(g));
}

TEST(GroupTable, keepsNamespacesAndKindsApart) {
  GroupTable groups;
  const GroupId g = groups.intern("t", "g", false);
  EXPECT_NE(groups.intern("u", "g", false), g);
  EXPECT_NE(groups.intern("t", "g", true), g);
  EXPECT_EQ(groups.intern("t", "g", false), g);
}

TEST(GroupTable, countsAMemberInOneStateOnly) {
  GroupTable groups;
  const GroupId g = groups.set(pod_group("g").gang(2));
  groups.add_pod(g, pod(1), Membership::pending);
  groups.add_pod(g, pod(1), Membership::assumed);
  groups.add_pod(g, pod(2), Membership::pending);
  groups.add_pod(g, pod(1), Membership::assigned);

  EXPECT_EQ(groups[g].pod_count(), 2U);
  EXPECT_EQ(groups[g].scheduled_count(), 1U);
  EXPECT_TRUE(groups.has_quorum(g));
  groups.remove_pod(g, pod(2));
  EXPECT_FALSE(groups.has_quorum(g));
}

TEST(GroupTable, forgetsAGroupThatNothingNames) {
  GroupTable groups;
  const GroupId g = groups.set(pod_group("g").gang(1));
  groups.add_pod(g, pod(1), Membership::pending);
  groups.remove_object(g);
  EXPECT_TRUE(groups.alive(g));
  groups.remove_pod(g, pod(1));
  EXPECT_FALSE(groups.alive(g));
  EXPECT_EQ(groups.find("t", "g", false), std::nullopt);
}

TEST(GroupTable, hasNoRootWhileAnAncestorIsMissing) {
  GroupTable groups;
  const GroupId leaf = groups.set(pod_group("leaf").gang(1).parent("middle"));
  EXPECT_EQ(groups.root_of(leaf), std::nullopt);
  groups.set(composite("middle", 1, "top"));
  EXPECT_EQ(groups.root_of(leaf), std::nullopt);
  const GroupId top = groups.set(composite("top", 1));
  EXPECT_EQ(groups.root_of(leaf), top);
  groups.remove_object(top);
  EXPECT_EQ(groups.root_of(leaf), std::nullopt);
}

TEST(GroupTable, hasNoRootInACycle) {
  GroupTable groups;
  const GroupId a = groups.set(composite("a", 1, "b"));
  groups.set(composite("b", 1, "a"));
  const GroupId leaf = groups.set(pod_group("leaf").gang(1).parent("a"));
  EXPECT_EQ(groups.root_of(leaf), std::nullopt);
  EXPECT_EQ(groups.root_of(a), std::nullopt);
}

// An API server checks each object by itself: nothing keeps two of them from naming each other.
TEST(GroupTable, answersForGroupsInACycle) {
  GroupTable groups;
  const GroupId a = groups.set(composite("a", 1, "b"));
  const GroupId b = groups.set(composite("b", 1, "a"));
  const GroupId leaf = groups.set(pod_group("leaf").gang(1).parent("a"));
  groups.add_pod(leaf, pod(1), Membership::assigned);
  EXPECT_EQ(groups.leaves(a).front(), leaf);
  EXPECT_TRUE(groups.has_quorum(b));
  groups.remove_object(a);
  groups.remove_object(b);
  groups.remove_pod(leaf, pod(1));
  groups.remove_object(leaf);
  EXPECT_FALSE(groups.find("t", "a", true).has_value());
  EXPECT_FALSE(groups.find("t", "b", true).has_value());
}

TEST(GroupTable, forgetsAGroupThatNamesItself) {
  GroupTable groups;
  const GroupId self = groups.set(composite("self", 1, "self"));
  EXPECT_EQ(groups.root_of(self), std::nullopt);
  EXPECT_TRUE(groups.leaves(self).empty());
  EXPECT_FALSE(groups.satisfied(self));
  groups.remove_object(self);
  EXPECT_FALSE(groups.find("t", "self", true).has_value());
}

TEST(GroupTable, allowsFourLevelsAndNoMore) {
  GroupTable groups;
  groups.set(composite("l1", 1));
  groups.set(composite("l2", 1, "l1"));
  groups.set(composite("l3", 1, "l2"));
  const GroupId fits = groups.set(pod_group("fits").gang(1).parent("l3"));
  groups.set(composite("l4", 1, "l3"));
  const GroupId deep = groups.set(pod_group("deep").gang(1).parent("l4"));
  EXPECT_TRUE(groups.root_of(fits).has_value());
  EXPECT_EQ(groups.root_of(deep), std::nullopt);
}

TEST(GroupTable, ordersLeavesByCreationThenName) {
  GroupTable groups;
  const GroupId root = groups.set(composite("root", 1));
  const auto leaf = [&](const std::string& name, int second) {
    auto made = std::make_shared<model::PodGroup>(*pod_group(name).gang(1).parent("root").build());
    made->meta.created = Instant{std::chrono::seconds(second)};
    return groups.set(std::shared_ptr<const model::PodGroup>(made));
  };
  const GroupId c = leaf("c", 1);
  const GroupId b = leaf("b", 2);
  const GroupId a = leaf("a", 2);
  EXPECT_EQ(groups.leaves(root), (std::vector<GroupId>{c, a, b}));
}

TEST(GroupTable, givesACompositeQuorumByReadyChildren) {
  GroupTable groups;
  const GroupId root = groups.set(composite("root", 2));
  const GroupId a = groups.set(pod_group("a").gang(1).parent("root"));
  const GroupId b = groups.set(pod_group("b").gang(2).parent("root"));
  groups.add_pod(a, pod(1), Membership::pending);
  groups.add_pod(b, pod(2), Membership::pending);
  EXPECT_FALSE(groups.has_quorum(root));
  groups.add_pod(b, pod(3), Membership::assigned);
  EXPECT_TRUE(groups.has_quorum(root));
}

}  // namespace
}  // namespace tutti::core
