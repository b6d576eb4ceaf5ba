// Loads the example plugin from the folder given as argument and enables it in a profile.
#include <gtest/gtest.h>

#include <filesystem>

#include "plugins/registry.h"
#include "support/build.h"

namespace tutti {
namespace {

std::filesystem::path plugin_folder;

constexpr const char* kGpu = "nvidia.com/gpu";

core::ProfileConfig with_example() {
  core::ProfileConfig config;
  config.at(core::Point::multi_point).enabled = {{"FewestGpusLeft", 3}};
  return config;
}

TEST(PluginExample, refusesNodesUnderMaintenanceAndPacksGpus) {
  const plugins::PluginLoader loader(plugin_folder);
  const auto profile = plugins::build_profile(with_example(), &loader);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->filters.back().plugin->name(), "FewestGpusLeft");
  EXPECT_EQ(profile->filters.back().plugin->concern(), core::Concern::unschedulable);
  EXPECT_EQ(profile->scores.back().weight, 3);

  core::Cluster cluster;
  const auto half = cluster.set_node(test::node("half").allocatable(kGpu, "8"));
  const auto empty = cluster.set_node(test::node("empty").allocatable(kGpu, "8"));
  const auto repair = cluster.set_node(test::node("repair").label("maintenance", "fan"));
  cluster.set_pod(test::pod("serving").request(kGpu, "4").on("half"));
  const auto pods = cluster.class_of(cluster.set_pod(test::pod("train").request(kGpu, "2")));

  const auto filter = profile->filters.back()->prepare_filter(cluster, pods).evaluator;
  EXPECT_TRUE(filter->accepts(half));
  EXPECT_FALSE(filter->accepts(repair));
  EXPECT_EQ(filter->explain(repair)[0].reason, "node(s) were under maintenance");
  const auto scores = profile->scores.back()->prepare_score(cluster, pods).evaluator;
  EXPECT_EQ(scores->score(half), 75);
  EXPECT_EQ(scores->score(empty), 25);
}

TEST(PluginExample, reportsArgumentsThePluginRefuses) {
  const plugins::PluginLoader loader(plugin_folder);
  auto config = with_example();
  config.args["FewestGpusLeft"] = core::CustomArgs{"{\"speed\":9}"};
  const auto profile = plugins::build_profile(config, &loader);
  ASSERT_FALSE(profile.ok());
  EXPECT_NE(profile.error().message.find("FewestGpusLeft takes no arguments"), std::string::npos);
}

}  // namespace
}  // namespace tutti

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (count != 2) return 2;
  tutti::plugin_folder = arguments[1];
  return RUN_ALL_TESTS();
}
