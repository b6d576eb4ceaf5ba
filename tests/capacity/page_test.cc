// The page, and the map behind it.
#include "capacity/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "capacity/page/map.h"
#include "capacity/stage.h"

namespace tutti {
namespace {

using capacity::Map;
using capacity::Report;
using test::CapacityStage;
using test::kGpu;

TEST(Map, nestsNodesAndSaysWhoHoldsThem) {
  CapacityStage stage;
  for (const char* name : {"a", "b", "c", "d"}) {
    auto node = test::node(name).allocatable(kGpu, "8");
    stage.add(node.label("example.com/rack", name < std::string("c") ? "r1" : "r2"));
  }
  stage.gang("g", 2, test::pod("x").request(kGpu, "6"), "example.com/rack");
  stage.add(test::pod("lone").request(kGpu, "1").on("d"));
  const Report report = stage.report();
  const Map map = capacity::make_map(stage.scheduler(), report);
  EXPECT_EQ(map.keys, std::vector<std::string>{"example.com/rack"});
  ASSERT_EQ(map.holders.size(), 2U);
  EXPECT_EQ(map.holders[0].name, "PodGroup t/g");
  EXPECT_EQ(map.holders[0].devices, 12);
  EXPECT_EQ(map.holders[1].name, "pods of t");
  ASSERT_EQ(map.whole.inside.size(), 2U);
  const capacity::MapNode& node = map.whole.inside[0].nodes[0];
  EXPECT_EQ(node.name, "a");
  EXPECT_EQ(node.total, 8);
  ASSERT_EQ(node.parts.size(), 1U);
  EXPECT_EQ(node.parts[0].amount, 6);
}

TEST(Page, escapesWhatObjectsAreCalled) {
  CapacityStage stage;
  const std::string evil = "<script>alert('x')</script>";
  stage.add(test::node(evil).allocatable(kGpu, "8").unschedulable().label("zone", evil));
  stage.add(test::node("n").allocatable(kGpu, "8").label("zone", "\"quoted\" & <b>"));
  stage.add(test::node("m").allocatable(kGpu, "8").label("zone", "\"quoted\" & <b>"));
  stage.add(test::pod(evil).request(kGpu, "9"));
  stage.add(test::pod("p").in_namespace("<i>").request(kGpu, "1").on("n"));
  const Report report = stage.report();
  const std::string page = capacity::page(report, capacity::make_map(stage.scheduler(), report));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"), std::string::npos);
}

TEST(Page, needsNothingFromElsewhere) {
  CapacityStage stage;
  stage.add(test::node("n"));
  const Report report = stage.report();
  const std::string page = capacity::page(report, capacity::make_map(stage.scheduler(), report));
  for (const char* link : {"http:", "https:", "src=", "href=", "@import"}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
}

TEST(Page, beginsWithWhatIsHeldAndWhatIsLeft) {
  CapacityStage stage;
  stage.add(test::node("n").allocatable(kGpu, "8"));
  stage.add(test::pod("p").request(kGpu, "6").on("n"));
  const Report report = stage.report();
  const std::string page = capacity::page(report, capacity::make_map(stage.scheduler(), report));
  const std::size_t held = page.find("<strong>6 of 8</strong>" + std::string(kGpu) + " held");
  EXPECT_NE(held, std::string::npos) << page;
  EXPECT_LT(held, page.find("<h2>"));
}

TEST(Map, callsHoldersAsPeopleDoAndCountsDomainsInTheirOrder) {
  CapacityStage stage;
  for (const char* name : {"n1", "n2", "n9", "n10"}) {
    const bool second = name == std::string("n9") || name == std::string("n10");
    stage.add(
        test::node(name).allocatable(kGpu, "8").label("example.com/rack", second ? "r2" : "r10"));
  }
  stage.add(test::pod("a").request(kGpu, "1").on("n1"));
  const Report report = stage.report();
  const Map map = capacity::make_map(stage.scheduler(), report, [](const std::string& name) {
    return name == "Pod t/a" ? std::string("Job t/j") : name;
  });
  EXPECT_EQ(map.holders.front().name, "Job t/j");
  const auto& nodes = map.whole.inside.empty() ? map.whole.nodes : map.whole.inside.front().nodes;
  std::vector<std::string> names;
  for (const auto& node : nodes) names.push_back(node.name);
  const auto second = std::ranges::find(names, "n10");
  ASSERT_NE(second, names.begin());
  EXPECT_EQ(*(second - 1), "n9");
}

}  // namespace
}  // namespace tutti
