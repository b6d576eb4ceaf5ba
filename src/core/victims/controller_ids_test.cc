#include "core/victims/controller_ids.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/build.h"

namespace tutti::core {
namespace {

model::Pod made_by(const std::string& kind, const std::string& name, const std::string& ns = "t") {
  model::Pod pod = *test::pod("p").in_namespace(ns).build();
  model::OwnerReference owner;
  owner.kind = kind;
  owner.name = name;
  owner.controller = true;
  pod.meta.owners.push_back(owner);
  return pod;
}

TEST(ControllerIds, numbersTheSameControllerAlikeAndOthersApart) {
  ControllerIds makers;
  const auto job = makers.join(made_by("Job", "a"));
  EXPECT_EQ(makers.join(made_by("Job", "a")), job);
  EXPECT_NE(makers.join(made_by("Job", "b")), job);
  EXPECT_NE(makers.join(made_by("ReplicaSet", "a")), job);
  EXPECT_NE(makers.join(made_by("Job", "a", "u")), job);
  EXPECT_EQ(makers.join(*test::pod("alone").build()), kNoIndex);
}

TEST(ControllerIds, givesOutANumberAnewWhenNobodyHasIt) {
  ControllerIds makers;
  const auto first = makers.join(made_by("Job", "a"));
  makers.join(made_by("Job", "a"));
  makers.leave(first);
  EXPECT_NE(makers.join(made_by("Job", "b")), first);
  makers.leave(first);
  EXPECT_EQ(makers.join(made_by("Job", "c")), first);
  makers.leave(kNoIndex);
}

TEST(ControllerIds, knowsPodsThatBelongToTheirNode) {
  EXPECT_TRUE(belongs_to_node(made_by("DaemonSet", "d")));
  EXPECT_TRUE(belongs_to_node(made_by("Node", "n1")));
  EXPECT_FALSE(belongs_to_node(made_by("Job", "j")));
  EXPECT_FALSE(belongs_to_node(*test::pod("alone").build()));
}

}  // namespace
}  // namespace tutti::core
