#include "replay/page/page.h"

#include <gtest/gtest.h>

#include "replay/page/plot.h"
#include "trace/read.h"
#include "trace/topology.h"

namespace tutti::replay {
namespace {

TEST(Page, showsNamesAsTextAndEveryPolicy) {
  const auto trace = trace::read_trace({{"<jobs>.csv",
                                         "id,submit,duration,gpu,queue\n"
                                         "<b>one</b>,0,100,1,a&b\n"
                                         "two,10,50,1,q\n"
                                         "three,20,50,1,q\n"}},
                                       {});
  const auto nodes = trace::make_nodes("host=1,gpu=1");
  SimulationOptions options;
  options.policies = {*parse_policy("default"), *parse_policy("first-fit")};
  options.curves = true;
  const auto result = simulate(*trace, *nodes, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const std::string html = page({*trace, *nodes, *result, "1"});
  for (const char* part :
       {"&lt;jobs&gt;.csv", "&lt;b&gt;one&lt;/b&gt;", "a&amp;b", "first-fit", "<svg",
        "Longest waits", "prefers-color-scheme:dark", "Simulation of 3 jobs on 1 nodes"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  for (const char* part : {"<b>one", "<script", "http:", "https:", "nan", "inf"}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
  // The longest wait, by hand: three comes at 20 and starts at 150.
  EXPECT_NE(html.find(">2.17 min<"), std::string::npos);
}

TEST(Plot, sharesRiseAtTheValuesAndEndAtAll) {
  const std::vector<double> values = {1, 2, 2, 5};
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_EQ(
      share_up_to(values),
      (Points{{1, 0}, {1, 0.25}, {2, 0.25}, {2, 0.5}, {2, 0.5}, {2, 0.75}, {5, 0.75}, {5, 1}}));
  std::vector<double> many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  const auto points = share_up_to(many);
  EXPECT_LE(points.size(), 2000U);
  EXPECT_EQ(points.front().first, 0);
  EXPECT_EQ(points.back(), std::pair(99'999.0, 1.0));
}

TEST(Plot, saysWhenThereIsNothingToDraw) {
  EXPECT_NE(svg_of(Plot{}).find("Nothing to draw"), std::string::npos);
}

TEST(Plot, writesSpansShortly) {
  struct Case {
    double seconds;
    const char* text;
  };
  const Case cases[] = {{0, "0 s"},      {90, "90 s"},    {600, "10 min"},  {3600, "1 h"},
                        {9000, "2.5 h"}, {86'400, "1 d"}, {864'000, "10 d"}};
  for (const Case& each : cases) EXPECT_EQ(span_text(each.seconds), each.text);
}

}  // namespace
}  // namespace tutti::replay
