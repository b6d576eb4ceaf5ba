#include "explain/findings/blocker.h"

#include <gtest/gtest.h>

namespace tutti::explain {
namespace {

using core::Code;

TEST(Blocker, hasTheWordsThatUsersRelyOn) {
  const std::string_view words[] = {"",        "incomplete",   "gated",         "badRequest",
                                    "budget",  "capacity",     "fragmentation", "topology",
                                    "devices", "deviceHealth", "quota",         "priority",
                                    "ports",   "volumes",      "affinity",      "taints"};
  for (std::size_t i = 0; i < std::size(words); ++i) {
    EXPECT_EQ(name(static_cast<Blocker>(i)), words[i]);
  }
}

TEST(Blocker, knowsPluginsByTheirConfigurationNames) {
  EXPECT_EQ(blocker_of("NodeResourcesFit"), Blocker::capacity);
  EXPECT_EQ(blocker_of("NodeUnschedulable"), Blocker::taints);
  EXPECT_EQ(blocker_of("VolumeZone"), Blocker::volumes);
  EXPECT_EQ(blocker_of("PodTopologySpread"), Blocker::topology);
  EXPECT_EQ(blocker_of("SomebodysOwnFilter"), Blocker::affinity);
}

TEST(Blocker, countsAPluginWithTheLargestOfItsReasons) {
  core::Diagnosis diagnosis;
  diagnosis.nodes = 5;
  diagnosis.reasons = {{"NodeResourcesFit", "Insufficient cpu", Code::unschedulable, 3},
                       {"NodeResourcesFit", "Insufficient memory", Code::unschedulable, 4},
                       {"VolumeBinding", "claim not found", Code::unresolvable, 0}};
  const std::vector<Rejection> expected = {{"NodeResourcesFit", Code::unschedulable, 4},
                                           {"VolumeBinding", Code::unresolvable, 5}};
  EXPECT_EQ(rejections(diagnosis), expected);
}

TEST(Blocker, oneIsDominant) {
  struct Case {
    std::string_view name;
    std::vector<Rejection> rejections;
    std::string_view plugin;
  };
  const Case cases[] = {
      {"what room can cure goes before what it cannot",
       {{"TaintToleration", Code::unresolvable, 10}, {"NodeResourcesFit", Code::unschedulable, 2}},
       "NodeResourcesFit"},
      {"the plugin that keeps the most nodes",
       {{"NodeResourcesFit", Code::unschedulable, 2}, {"NodePorts", Code::unschedulable, 3}},
       "NodePorts"},
      {"of equals the earlier blocker",
       {{"TaintToleration", Code::unresolvable, 3}, {"NodeAffinity", Code::unresolvable, 3}},
       "NodeAffinity"},
      {"of equals with one blocker the smaller name",
       {{"VolumeZone", Code::unresolvable, 3}, {"VolumeBinding", Code::unresolvable, 3}},
       "VolumeBinding"},
  };
  for (const auto& [name, rejections, plugin] : cases) {
    SCOPED_TRACE(name);
    ASSERT_NE(dominant(rejections), nullptr);
    EXPECT_EQ(dominant(rejections)->plugin, plugin);
  }
}

TEST(Blocker, isAbsentWhenNobodyObjects) { EXPECT_EQ(dominant({}), nullptr); }

}  // namespace
}  // namespace tutti::explain
