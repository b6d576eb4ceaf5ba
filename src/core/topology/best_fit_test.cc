#include "core/topology/best_fit.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;

// Blocks b1 {r1 {h1: 4, h2: 2}, r2 {h3: 3, h4: 3}} and b2 {r3 {h5: 8}}: how many pods hosts hold.
class BestFitTest : public testing::Test {
 protected:
  BestFitTest() {
    add("h1", "b1", "r1", 4);
    add("h2", "b1", "r1", 2);
    add("h3", "b1", "r2", 3);
    add("h4", "b1", "r2", 3);
    add("h5", "b2", "r3", 8);
  }
  void add(const std::string& name, const std::string& block, const std::string& rack,
           std::uint32_t room) {
    cluster_.set_node(node(name).label("block", block).label("rack", rack));
    room_.push_back(room);
  }
  LevelCapacity room(Slicing slicing) const {
    return LevelCapacity(std::make_shared<const LevelTree>(cluster_, kLevels), slicing,
                         cluster_.nodes().live(), room_);
  }
  // "h1:4 h2:2", in the order of ranks.
  std::string place(std::size_t count, BestFitOptions options, Slicing slicing = kNoSlices) const {
    std::string text;
    const LevelCapacity counted = room(slicing);
    const BestFit fit(cluster_, counted, cluster_.nodes().live(), room_, std::move(options));
    const auto nodes = fit.place(count);
    for (std::size_t from = 0, to = 0; from < nodes.size(); from = to) {
      while (to < nodes.size() && nodes[to] == nodes[from]) ++to;
      text += (text.empty() ? "" : " ") + cluster_.node_name(nodes[from]) + ":" +
              std::to_string(to - from);
    }
    return text;
  }

  static constexpr Slicing kNoSlices = {3, 1};
  const std::vector<std::string> kLevels = {"block", "rack", "kubernetes.io/hostname"};
  Cluster cluster_;
  std::vector<std::uint32_t> room_;
};

constexpr std::size_t kBlock = 0, kRack = 1, kNone = Levels::kNone;

TEST_F(BestFitTest, takesTheTightestDomainAndFewParts) {
  struct Case {
    std::string_view name;
    std::size_t pods, required, preferred;
    Slicing slicing;
    std::string_view placed;
  };
  constexpr Case kCases[] = {
      {"required rack", 6, kRack, kNone, kNoSlices, "h1:4 h2:2"},
      {"required rack, too many", 9, kRack, kNone, kNoSlices, ""},
      {"required rack, only one holds them", 7, kRack, kNone, kNoSlices, "h5:7"},
      {"required block", 9, kBlock, kNone, kNoSlices, "h1:4 h2:2 h3:3"},
      {"preferred rack that none is", 11, kNone, kRack, kNoSlices, "h1:4 h2:1 h3:3 h4:3"},
      {"preferred rack within a required block", 7, kBlock, kRack, kNoSlices, "h5:7"},
      {"preferred rack, more than a block", 15, kNone, kRack, kNoSlices, "h1:4 h3:3 h5:8"},
      {"anywhere, one host holds them", 3, kNone, kNone, kNoSlices, "h3:3"},
      {"anywhere, one rack holds them", 5, kNone, kNone, kNoSlices, "h5:5"},
      {"slices in racks, the block with less to spare", 8, kBlock, kNone, {kRack, 4}, "h5:8"},
      {"slices in racks, over both blocks", 16, kNone, kNone, {kRack, 4}, "h1:4 h3:3 h4:1 h5:8"},
      {"slices that do not fit", 20, kNone, kNone, {kRack, 4}, ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    BestFitOptions options;
    options.required = c.required;
    options.preferred = c.preferred;
    EXPECT_EQ(place(c.pods, options, c.slicing), c.placed);
  }
}

TEST_F(BestFitTest, staysWhereMembersRunAlready) {
  BestFitOptions options;
  options.required = kRack;
  options.anchors = {*cluster_.nodes().find("h3")};
  EXPECT_EQ(place(5, options), "h3:3 h4:2");
  EXPECT_EQ(place(7, options), "");
}

TEST_F(BestFitTest, staysInTheRequiredDomainOfMembersThatShareNoNarrowerOne) {
  BestFitOptions options;
  options.required = kBlock;
  options.preferred = kRack;
  options.anchors = {*cluster_.nodes().find("h1"), *cluster_.nodes().find("h3")};
  EXPECT_EQ(place(7, options), "h1:4 h3:3");
  cluster_.set_node(node("bare").label("block", "b1"));
  room_.push_back(0);
  options.anchors = {*cluster_.nodes().find("bare")};
  EXPECT_EQ(place(7, options), "h1:4 h3:3");
}

TEST_F(BestFitTest, spreadsOverPartsOfTheEmptiestDomainIfToldSo) {
  BestFitOptions options;
  options.required = kBlock;
  options.spread = true;
  EXPECT_EQ(place(6, options), "h1:2 h2:1 h3:2 h4:1");
}

TEST_F(BestFitTest, leavesOutNodesThatLackALevel) {
  cluster_.set_node(node("loose").label("rack", "r9"));
  room_.push_back(100);
  BestFitOptions options;
  options.required = kRack;
  const LevelCapacity counted = room(kNoSlices);
  EXPECT_EQ(BestFit(cluster_, counted, cluster_.nodes().live(), room_, options).capacity(), 8U);
}

}  // namespace
}  // namespace tutti::core
