#include "explain/findings/blocker.h"

#include <gtest/gtest.h>

#include <utility>

namespace tutti::explain {
namespace {

using core::Code;
using core::Concern;

TEST(Blocker, hasTheWordsThatUsersRelyOn) {
  const std::string_view words[] = {"",        "incomplete",   "gated",         "badRequest",
                                    "budget",  "capacity",     "fragmentation", "topology",
                                    "devices", "deviceHealth", "quota",         "priority",
                                    "ports",   "volumes",      "affinity",      "taints"};
  for (std::size_t i = 0; i < std::size(words); ++i) {
    EXPECT_EQ(name(static_cast<Blocker>(i)), words[i]);
  }
}

TEST(Blocker, followsFromWhatAPluginIsAbout) {
  constexpr std::pair<Concern, Blocker> kCases[] = {
      {Concern::nodes, Blocker::affinity},        {Concern::resources, Blocker::capacity},
      {Concern::node_name, Blocker::affinity},    {Concern::node_affinity, Blocker::affinity},
      {Concern::pod_affinity, Blocker::affinity}, {Concern::unschedulable, Blocker::taints},
      {Concern::taints, Blocker::taints},         {Concern::topology_spread, Blocker::topology},
      {Concern::placement, Blocker::topology},    {Concern::ports, Blocker::ports},
      {Concern::volumes, Blocker::volumes},       {Concern::devices, Blocker::devices},
      {Concern::gates, Blocker::gated},           {Concern::gang, Blocker::incomplete},
      {Concern::preemption, Blocker::priority},
  };
  for (const auto& [concern, blocker] : kCases) EXPECT_EQ(blocker_of(concern), blocker);
}

TEST(Blocker, countsAPluginWithTheLargestOfItsReasons) {
  core::Diagnosis diagnosis;
  diagnosis.nodes = 5;
  diagnosis.reasons = {
      {"NodeResourcesFit", "Insufficient cpu", Code::unschedulable, 3, Concern::resources},
      {"NodeResourcesFit", "Insufficient memory", Code::unschedulable, 4, Concern::resources},
      {"VolumeBinding", "claim not found", Code::unresolvable, 0, Concern::volumes}};
  const std::vector<Rejection> expected = {
      {"NodeResourcesFit", Code::unschedulable, 4, Concern::resources},
      {"VolumeBinding", Code::unresolvable, 5, Concern::volumes}};
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
       {{"TaintToleration", Code::unresolvable, 10, Concern::taints},
        {"NodeResourcesFit", Code::unschedulable, 2, Concern::resources}},
       "NodeResourcesFit"},
      {"the plugin that keeps the most nodes",
       {{"NodeResourcesFit", Code::unschedulable, 2, Concern::resources},
        {"NodePorts", Code::unschedulable, 3, Concern::ports}},
       "NodePorts"},
      {"of equals the earlier blocker",
       {{"TaintToleration", Code::unresolvable, 3, Concern::taints},
        {"NodeAffinity", Code::unresolvable, 3, Concern::node_affinity}},
       "NodeAffinity"},
      {"of equals with one blocker the smaller name",
       {{"VolumeZone", Code::unresolvable, 3, Concern::volumes},
        {"VolumeBinding", Code::unresolvable, 3, Concern::volumes}},
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
