#include "plugins/registry.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/fake_plugins.h"

namespace tutti::plugins {
namespace {

using core::Point;
using core::ProfileConfig;

template <typename Interface>
std::string names(const core::EnabledList<Interface>& list) {
  std::string text;
  for (const auto& enabled : list) {
    text += (text.empty() ? "" : " ") + std::string(enabled.plugin->name());
  }
  return text;
}

core::Profile built(const ProfileConfig& config) {
  auto profile = build_profile(config);
  TUTTI_CHECK(profile.ok(), profile.error().message);
  return *std::move(profile);
}

// The position of a name in a list of names, or npos.
std::size_t position(const std::string& list, std::string_view name) { return list.find(name); }

TEST(Registry, enablesEverythingInOrderByDefault) {
  const core::Profile profile = built({});
  EXPECT_EQ(profile.scheduler_name, "default-scheduler");
  EXPECT_EQ(names(profile.pre_enqueue), "SchedulingGates DynamicResources GangScheduling");
  ASSERT_NE(profile.queue_sort, nullptr);
  EXPECT_TRUE(names(profile.filters)
                  .starts_with("NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts "
                               "NodeResourcesFit"));
  EXPECT_EQ(names(profile.permit), "GangScheduling");
  EXPECT_EQ(names(profile.bind), "DefaultBinder");
  EXPECT_EQ(names(profile.placement_generate), "TopologyPlacementGenerator");
  EXPECT_EQ(names(profile.placement_feasible), "GangScheduling");
  EXPECT_EQ(names(profile.placement_score), "NodeResourcesFit PodGroupPodsCount");
  EXPECT_TRUE(profile.preempts);
  EXPECT_TRUE(profile.preempts_for_groups);
}

TEST(Registry, weighsScoresAsKubeSchedulerDoes) {
  const core::Profile profile = built({});
  const std::map<std::string_view, std::int64_t> expected = {{"TaintToleration", 3},
                                                             {"NodeAffinity", 2},
                                                             {"NodeResourcesFit", 1},
                                                             {"NodeResourcesBalancedAllocation", 1},
                                                             {"ImageLocality", 1}};
  std::map<std::string_view, std::int64_t> found;
  for (const auto& enabled : profile.scores) {
    if (expected.contains(enabled.plugin->name())) {
      found[enabled.plugin->name()] = enabled.weight;
    }
  }
  EXPECT_EQ(found, expected);
}

TEST(Registry, makesEachPluginOnceForAllItsPoints) {
  const core::Profile profile = built({});
  const core::Plugin* fit = profile.find("NodeResourcesFit");
  ASSERT_NE(fit, nullptr);
  for (const auto& enabled : profile.filters) {
    EXPECT_EQ(enabled.plugin == fit, enabled.plugin->name() == "NodeResourcesFit");
  }
  EXPECT_EQ(profile.find("Nobody"), nullptr);
}

TEST(Registry, disablesAtOnePointOnly) {
  ProfileConfig config;
  config.at(Point::score).disabled = {"NodeResourcesFit"};
  const core::Profile profile = built(config);
  EXPECT_EQ(position(names(profile.scores), "NodeResourcesFit"), std::string::npos);
  EXPECT_NE(position(names(profile.filters), "NodeResourcesFit"), std::string::npos);
}

TEST(Registry, disablesEverywhereThroughMultiPoint) {
  ProfileConfig config;
  config.at(Point::multi_point).disabled = {"TaintToleration", "DefaultPreemption"};
  const core::Profile profile = built(config);
  EXPECT_EQ(profile.find("TaintToleration"), nullptr);
  EXPECT_FALSE(profile.preempts);
  EXPECT_FALSE(profile.preempts_for_groups);
}

TEST(Registry, disablesAllWithAStarAndKeepsWhatIsEnabledBesides) {
  ProfileConfig config;
  config.at(Point::score).disabled = {"*"};
  config.at(Point::score).enabled = {{"ImageLocality", 7}};
  const core::Profile profile = built(config);
  ASSERT_EQ(names(profile.scores), "ImageLocality");
  EXPECT_EQ(profile.scores[0].weight, 7);
  EXPECT_NE(position(names(profile.filters), "NodeResourcesFit"), std::string::npos);
}

TEST(Registry, knowsWhatEachPluginIsAbout) {
  using enum core::Concern;
  const std::map<std::string_view, core::Concern> expected = {
      {"NodeResourcesFit", resources},
      {"FractionalGpus", resources},
      {"NodeUnschedulable", unschedulable},
      {"TaintToleration", taints},
      {"NodeName", node_name},
      {"NodeAffinity", node_affinity},
      {"InterPodAffinity", pod_affinity},
      {"PodTopologySpread", topology_spread},
      {"TopologyPlacementGenerator", placement},
      {"NodePorts", ports},
      {"VolumeBinding", volumes},
      {"VolumeRestrictions", volumes},
      {"VolumeZone", volumes},
      {"NodeVolumeLimits", volumes},
      {"DynamicResources", devices},
      {"SchedulingGates", gates},
      {"GangScheduling", gang},
      {"DefaultPreemption", preemption},
  };
  const core::Profile profile = built({});
  std::map<std::string_view, core::Concern> said;
  for (const auto& plugin : profile.plugins) {
    if (plugin->concern() != nodes) said[plugin->name()] = plugin->concern();
  }
  EXPECT_EQ(said, expected);
}

TEST(Registry, countsResourcesIfAFilterLooksAtAllOfThem) {
  EXPECT_TRUE(built({}).counts_resources);
  ASSERT_NE(built({}).resource_filter(), nullptr);
  ProfileConfig some;
  core::FitArgs args;
  args.ignored_resources = {"example.com/licence"};
  some.args["NodeResourcesFit"] = args;
  EXPECT_FALSE(built(some).counts_resources);
  EXPECT_NE(built(some).resource_filter(), nullptr);
  ProfileConfig none;
  none.at(Point::filter).disabled = {"NodeResourcesFit"};
  EXPECT_FALSE(built(none).counts_resources);
  EXPECT_EQ(built(none).resource_filter(), nullptr);
}

TEST(Registry, startsFromNothingWhenAllDefaultsAreDisabled) {
  ProfileConfig config;
  config.at(Point::multi_point).disabled = {"*"};
  config.at(Point::multi_point).enabled = {{"PrioritySort", 0}, {"DefaultBinder", 0}};
  config.at(Point::filter).enabled = {{"NodeResourcesFit", 0}};
  const core::Profile profile = built(config);
  EXPECT_EQ(names(profile.filters), "NodeResourcesFit");
  EXPECT_EQ(names(profile.scores), "");
  EXPECT_FALSE(profile.preempts);
}

TEST(Registry, asksPluginsNamedAtAPointFirst) {
  ProfileConfig config;
  config.at(Point::filter).enabled = {{"NodeResourcesFit", 0}, {"NodePorts", 0}};
  EXPECT_TRUE(names(built(config).filters).starts_with("NodeResourcesFit NodePorts NodeName "));
}

TEST(Registry, changesTheWeightOfADefaultInPlace) {
  ProfileConfig config;
  config.at(Point::multi_point).enabled = {{"TaintToleration", 9}};
  const core::Profile profile = built(config);
  EXPECT_EQ(profile.scores[0].plugin->name(), "TaintToleration");
  EXPECT_EQ(profile.scores[0].weight, 9);
}

TEST(Registry, handsArgumentsOver) {
  ProfileConfig config;
  config.args["DefaultPreemption"] = core::DefaultPreemptionArgs{5, 7};
  EXPECT_EQ(built(config).preemption.min_candidate_nodes_absolute, 7);
}

// Knows one plugin, which takes part in PostFilter only.
class RescuerLoader : public PluginLoader {
 public:
  RescuerLoader() : PluginLoader("") {}
  Result<std::unique_ptr<core::Plugin>> load(const std::string&,
                                             const std::string&) const override {
    return std::unique_ptr<core::Plugin>(std::make_unique<test::Rescuer>());
  }
};

// One domain: everything.
class OtherGenerator : public core::Plugin, public core::PlacementGeneratePlugin {
 public:
  std::string_view name() const override { return "OtherGenerator"; }
  Generated generate(const core::Cluster&, const core::GroupTable&, core::GroupId,
                     const Bitset& within) const override {
    return {{}, {{{}, {}, within}}};
  }
};

class GeneratorLoader : public PluginLoader {
 public:
  GeneratorLoader() : PluginLoader("") {}
  Result<std::unique_ptr<core::Plugin>> load(const std::string&,
                                             const std::string&) const override {
    return std::unique_ptr<core::Plugin>(std::make_unique<OtherGenerator>());
  }
};

TEST(Registry, takesOneGeneratorOfPlacements) {
  ProfileConfig config;
  config.scheduler_name = "p";
  config.at(Point::placement_generate).enabled = {{"OtherGenerator", 0}};
  const GeneratorLoader loader;
  const auto both = build_profile(config, &loader);
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.error().message,
            "profile p: takes at most one plugin at placementGenerate, not 2");
  config.at(Point::multi_point).disabled = {"TopologyPlacementGenerator"};
  const auto other = build_profile(config, &loader);
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_EQ(names(other->placement_generate), "OtherGenerator");
}

TEST(Registry, enablesPostFiltersForPodsAndGroupsEachAtItsPoint) {
  struct Case {
    Point point;
    std::string_view for_pods;
    std::string_view for_groups;
  };
  const Case cases[] = {{Point::post_filter, "Rescuer", ""},
                        {Point::pod_group_post_filter, "", "Rescuer"},
                        {Point::multi_point, "Rescuer", "Rescuer"}};
  for (const auto& [point, for_pods, for_groups] : cases) {
    SCOPED_TRACE(core::name_of(point));
    ProfileConfig config;
    config.at(point).enabled = {{"Rescuer", 0}};
    const RescuerLoader loader;
    const auto profile = build_profile(config, &loader);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_EQ(names(profile->post_filters), for_pods);
    EXPECT_EQ(names(profile->group_post_filters), for_groups);
    EXPECT_TRUE(profile->preempts);
    EXPECT_TRUE(profile->preempts_for_groups);
  }
}

TEST(Registry, takesDefaultPreemptionAtItsPointsAsASwitch) {
  ProfileConfig config;
  config.at(Point::multi_point).disabled = {"DefaultPreemption"};
  config.at(Point::post_filter).enabled = {{"DefaultPreemption", 0}};
  const core::Profile profile = built(config);
  EXPECT_TRUE(profile.preempts);
  EXPECT_FALSE(profile.preempts_for_groups);
  EXPECT_EQ(names(profile.post_filters), "");
}

TEST(Registry, refusesBadProfilesNamingWhatIsWrong) {
  struct Case {
    std::string_view name;
    void (*edit)(ProfileConfig&);
    std::string_view message;
  };
  const Case cases[] = {
      {"unknown plugin",
       [](ProfileConfig& c) {
         c.at(Point::filter).enabled = {{"Typo", 0}};
       },
       "profile p: plugin Typo: no such plugin"},
      {"twice",
       [](ProfileConfig& c) {
         c.at(Point::score).enabled = {{"NodeAffinity", 1}, {"NodeAffinity", 2}};
       },
       "profile p: plugin NodeAffinity is enabled twice at score"},
      {"wrong point",
       [](ProfileConfig& c) {
         c.at(Point::permit).enabled = {{"NodePorts", 0}};
       },
       "profile p: plugin NodePorts has no part in permit"},
      {"wrong point of PostFilter",
       [](ProfileConfig& c) {
         c.at(Point::post_filter).enabled = {{"NodePorts", 0}};
       },
       "profile p: plugin NodePorts has no part in postFilter"},
      {"no queue order", [](ProfileConfig& c) { c.at(Point::queue_sort).disabled = {"*"}; },
       "profile p: needs exactly one plugin at queueSort, not 0"},
      {"no binder", [](ProfileConfig& c) { c.at(Point::bind).disabled = {"DefaultBinder"}; },
       "profile p: no plugin binds pods"},
      {"arguments of another",
       [](ProfileConfig& c) { c.args["NodeResourcesFit"] = core::NodeAffinityArgs{}; },
       "profile p: plugin NodeResourcesFit: has the arguments of another plugin"},
      {"arguments for none", [](ProfileConfig& c) { c.args["NodePorts"] = core::FitArgs{}; },
       "profile p: plugin NodePorts: takes no arguments"},
      {"bad weight",
       [](ProfileConfig& c) {
         core::FitArgs args;
         args.resources = {{"cpu", 0}};
         c.args["NodeResourcesFit"] = args;
       },
       "profile p: plugin NodeResourcesFit: weight 0 of resource cpu is not between 1 and 100"},
      {"falling shape",
       [](ProfileConfig& c) {
         core::FitArgs args;
         args.strategy = core::FitArgs::Strategy::requested_to_capacity_ratio;
         args.shape = {{50, 1}, {50, 2}};
         c.args["NodeResourcesFit"] = args;
       },
       "profile p: plugin NodeResourcesFit: utilization must rise from shape point to shape point"},
  };
  for (const auto& [name, edit, message] : cases) {
    SCOPED_TRACE(name);
    ProfileConfig config;
    config.scheduler_name = "p";
    edit(config);
    const auto profile = build_profile(config);
    ASSERT_FALSE(profile.ok());
    EXPECT_EQ(profile.error().message, message);
  }
}

TEST(PluginLoader, refusesWhatItCannotLoad) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "tutti_loader_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libText.so") << "not a library";
  const PluginLoader loader(folder);
  struct Case {
    std::string name;
    Error::Code code;
  };
  const Case cases[] = {{"Absent", Error::Code::not_found},
                        {"Text", Error::Code::io},
                        {"../Text", Error::Code::invalid},
                        {"", Error::Code::invalid}};
  for (const auto& [name, code] : cases) {
    SCOPED_TRACE(name);
    const auto loaded = loader.load(name, "");
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().code, code);
  }
  std::filesystem::remove_all(folder);
}

TEST(Registry, handsTheArgumentsOfTopologyToTheProfile) {
  ProfileConfig config;
  config.args["TopologyPlacementGenerator"] = core::TopologyArgs{true, 7};
  const auto profile = build_profile(config);
  ASSERT_TRUE(profile.ok());
  EXPECT_TRUE(profile->topology.spread);
  EXPECT_EQ(profile->topology.search_budget, 7);
}

}  // namespace
}  // namespace tutti::plugins
