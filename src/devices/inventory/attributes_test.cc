#include "devices/inventory/attributes.h"

#include <gtest/gtest.h>

#include "support/device_build.h"

namespace tutti::devices {
namespace {

using Values = std::vector<std::string>;

class AttributesTest : public ::testing::Test {
 protected:
  Values values(const std::string& attribute, const std::string& node = "n") {
    return values_at(inventory_, inventory_.reach_of_node(node), attribute);
  }

  SelectorTable selectors_;
  Inventory inventory_{selectors_};
};

TEST_F(AttributesTest, areTextsWhateverTheirType) {
  const std::vector<std::pair<model::AttributeValue, Values>> cases = {
      {std::string("clique-1"), {"clique-1"}},
      {std::int64_t{-7}, {"-7"}},
      {true, {"true"}},
      {model::VersionText{"1.2.0"}, {"1.2.0"}},
      {std::vector<std::int64_t>{2, 1}, {"1", "2"}},
      {std::vector<bool>{false}, {"false"}},
      {std::string(), {}},
      {std::monostate{}, {}},
  };
  for (const auto& [value, expected] : cases) {
    inventory_.set_slice(
        test::slice("s", "pool", "n", {test::device("gpu").attribute("where", value)}));
    EXPECT_EQ(values("gpu.example.com/where"), expected);
  }
}

TEST_F(AttributesTest, withoutADomainBelongToTheDriver) {
  inventory_.set_slice(test::slice("s", "pool", "n",
                                   {test::device("gpu")
                                        .attribute("where", std::string("bare"))
                                        .attribute("other.com/where", std::string("full"))}));
  EXPECT_EQ(values("gpu.example.com/where"), Values{"bare"});
  EXPECT_EQ(values("other.com/where"), Values{"full"});
  EXPECT_EQ(values("third.com/where"), Values{});
  EXPECT_EQ(values("where"), Values{"bare"});
}

TEST_F(AttributesTest, ofANodeAreThoseOfItsOwnDevicesOnly) {
  const auto at = [](const char* name, const char* value) {
    return test::device(name).attribute("where", std::string(value));
  };
  inventory_.set_slice(test::slice("s1", "p1", "n", {at("a", "x"), at("b", "x")}));
  inventory_.set_slice(test::slice("s2", "p2", "other", {at("a", "y")}));
  inventory_.set_slice(test::slice("s3", "p3", "", {at("a", "z")}));
  EXPECT_EQ(values("gpu.example.com/where"), Values{"x"});
  auto half = test::slice("s4", "p4", "n", {at("a", "w")});
  half->slice_count = 2;
  inventory_.set_slice(half);
  EXPECT_EQ(values("gpu.example.com/where"), Values{"x"});
  auto rest = test::slice("s5", "p4", "n", {at("b", "w")});
  rest->slice_count = 2;
  inventory_.set_slice(rest);
  EXPECT_EQ(values("gpu.example.com/where"), (Values{"w", "x"}));
}

TEST_F(AttributesTest, ofSharedDevicesAreKnownByReach) {
  const auto at = [](const char* name, const char* value) {
    return test::device(name).attribute("where", std::string(value));
  };
  inventory_.set_slice(test::slice("s1", "p1", "n", {at("a", "x")}));
  EXPECT_TRUE(wide_values(inventory_, "gpu.example.com/where").empty());
  auto all =
      test::slice("s2", "p2", "", {at("a", "z"), at("b", "y"), at("c", "z"), test::device("d")});
  inventory_.set_slice(all);
  const auto found = wide_values(inventory_, "gpu.example.com/where");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(inventory_.is_wide(found.begin()->first));
  EXPECT_EQ(found.begin()->second, (Values{"y", "z"}));
  EXPECT_TRUE(inventory_.take_changed_reaches().contains(found.begin()->first));
  inventory_.remove_slice("s2");
  EXPECT_TRUE(inventory_.take_changed_reaches().contains(found.begin()->first));
}

TEST_F(AttributesTest, changeOnTheReachesThatAreNamed) {
  auto pool =
      test::slice("s", "pool", "", {test::device("a").on("n1"), test::device("b").on("n2")});
  pool->reach.kind = model::DeviceReach::Kind::per_device;
  inventory_.set_slice(pool);
  const auto reach = [&](const char* node) { return inventory_.find_node_reach(node); };
  EXPECT_EQ(inventory_.take_changed_reaches(), (std::set{reach("n1"), reach("n2")}));
  EXPECT_TRUE(inventory_.take_changed_reaches().empty());
  auto moved = std::make_shared<model::ResourceSlice>(*pool);
  moved->devices = {test::device("b").on("n3")};
  inventory_.set_slice(moved);
  EXPECT_EQ(inventory_.take_changed_reaches(), (std::set{reach("n1"), reach("n2"), reach("n3")}));
  inventory_.remove_slice("s");
  EXPECT_EQ(inventory_.take_changed_reaches(), std::set{reach("n3")});
}

}  // namespace
}  // namespace tutti::devices
