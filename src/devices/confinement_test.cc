#include "devices/inventory/confinement.h"

#include <gtest/gtest.h>

#include "devices/device_capacity.h"
#include "devices/device_state.h"
#include "support/build.h"
#include "support/device_build.h"

namespace tutti::devices {
namespace {

using test::claim;
using test::device;
using test::wish;
using Outcome = Solution::Outcome;

const std::string kIsland = "gpu.example.com/island";

TEST(ConfinementTable, knowsEqualBoundsByOneNumber) {
  ConfinementTable table;
  const Bound left{kIsland, "left"};
  const Bound root{"a.com/root", "r"};
  EXPECT_FALSE(table.intern({}).valid());
  EXPECT_TRUE(table.bounds({}).empty());
  const auto one = table.intern({left});
  const auto other = table.intern({root});
  EXPECT_EQ(table.intern({left}), one);
  EXPECT_NE(one, other);
  EXPECT_EQ(table.bounds(table.both(one, other)), (Bounds{root, left}));
  EXPECT_EQ(table.both(one, other), table.both(other, one));
  EXPECT_EQ(table.both(one, {}), one);
  EXPECT_EQ(table.both({}, one), one);
  EXPECT_EQ(table.both(one, one), one);
}

// One node with an island on the left, one on the right, and a card that is in neither.
class ConfinementTest : public ::testing::Test {
 protected:
  ConfinementTest() {
    places_.look_at(device_state_.inventory());
    device_state_.set(test::device_class("gpu"));
    const auto at = [](const char* name, const char* island) {
      return device(name).kind("gpu").attribute("island", std::string(island));
    };
    device_state_.set(test::slice("n0", "n0", "n0",
                                  {at("l0", "left"), at("r0", "right"), at("r1", "right"),
                                   at("l1", "left"), device("nic").kind("nic")}));
  }

  static model::Pod pod(PodIndex index) {
    model::Pod made = *test::pod("p" + std::to_string(index)).build();
    auto spec = std::make_shared<model::PodSpec>(*made.spec);
    spec->resource_claims.push_back(
        {.name = "c", .claim_name = "c" + std::to_string(index), .template_name = {}});
    made.spec = spec;
    return made;
  }
  // The devices that pod `index` gets on the node for this wish; "none", or what fits() said if it
  // said something else.
  std::string ask(PodIndex index, const model::DeviceWish& asked, const std::string& island) {
    device_state_.set(claim("c" + std::to_string(index)).request("r", asked).build());
    const model::Pod object = pod(index);
    if (!island.empty()) {
      device_state_.confined_pods().confine(
          object, device_state_.confinements().intern({{kIsland, island}}));
    }
    const bool fits = device_state_.search().fits(0, device_state_.claims_of(object).open,
                                                  nullptr) == Outcome::found;
    const bool found = device_state_.decisions().reserve(index, 0, object).found();
    device_state_.confined_pods().confine(object, {});
    if (fits != found) return fits ? "fits, but none" : "does not fit, but some";
    return found ? held(index) : "none";
  }
  std::string held(PodIndex index) const {
    std::string text;
    for (const DeviceId device : device_state_.questions().devices_of(pod(index))) {
      text += (text.empty() ? "" : " ") + device_state_.inventory().device(device).name;
    }
    return text;
  }

  test::NumberedNodes places_;
  DeviceState device_state_{places_};
};

TEST_F(ConfinementTest, leavesDevicesOfOtherDomainsAlone) {
  EXPECT_EQ(ask(1, wish("gpu").of_kind("gpu").count(2), "right"), "r0 r1");
  EXPECT_EQ(ask(2, wish("gpu").of_kind("gpu"), "right"), "none");
  EXPECT_EQ(ask(3, wish("gpu").of_kind("gpu").count(3), "left"), "none");
  EXPECT_EQ(ask(4, wish("gpu").of_kind("gpu").count(2), ""), "l0 l1");
}

TEST_F(ConfinementTest, isNothingToDevicesWithoutTheAttribute) {
  EXPECT_EQ(ask(1, wish("gpu").of_kind("nic"), "right"), "nic");
}

TEST_F(ConfinementTest, cannotBeKeptByAllOfWhatLiesInSeveralDomains) {
  EXPECT_EQ(ask(1, wish("gpu").of_kind("gpu").all(), "left"), "none");
  EXPECT_EQ(ask(2, wish("gpu").of_kind("nic").all(), "left"), "nic");
}

TEST_F(ConfinementTest, isNothingToWhoLooksOn) {
  EXPECT_EQ(ask(1, wish("gpu").of_kind("gpu").all().admin(), "left"), "") << "holds nothing";
}

TEST_F(ConfinementTest, isNothingWhereALabelSaysWhereTheNodeIs) {
  places_.label(0, kIsland);
  EXPECT_EQ(ask(1, wish("gpu").of_kind("gpu").count(4), "left"), "l0 r0 r1 l1");
}

TEST_F(ConfinementTest, staysWithWhatWasGrantedWhenDevicesAreChosenAnew) {
  const std::string first = ask(1, wish("gpu"), "left");
  EXPECT_TRUE(first == "l0" || first == "l1" || first == "nic") << first;
  const auto lefts = wish("gpu").of_kind("gpu").count(2).where(
      "device.attributes['gpu.example.com'].island == 'left'");
  EXPECT_EQ(ask(2, lefts, ""), "l0 l1");
  EXPECT_EQ(held(1), "nic");
  EXPECT_EQ(ask(3, wish("gpu").of_kind("nic"), ""), "none") << "the first must not go right";
  EXPECT_EQ(ask(4, wish("gpu").of_kind("gpu").count(2), ""), "r0 r1");
}

TEST_F(ConfinementTest, countsOnlyWhatMayBeHad) {
  device_state_.set(claim("c1").request("r", wish("gpu").of_kind("gpu")).build());
  const model::Pod object = pod(1);
  const auto room = [&] {
    return room_at(device_state_, device_state_.claims_of(object).open.front(), 0);
  };
  EXPECT_EQ(room(), 4);
  device_state_.confined_pods().confine(object,
                                        device_state_.confinements().intern({{kIsland, "left"}}));
  EXPECT_EQ(room(), 2);
}

TEST_F(ConfinementTest, makesPodsAnotherClass) {
  device_state_.set(claim("c1").request("r", wish("gpu")).build());
  const model::Pod object = pod(1);
  const auto free = device_state_.class_of(object);
  device_state_.confined_pods().confine(object,
                                        device_state_.confinements().intern({{kIsland, "left"}}));
  EXPECT_NE(device_state_.class_of(object), free);
  device_state_.confined_pods().confine(object, {});
  EXPECT_EQ(device_state_.class_of(object), free);
}

}  // namespace
}  // namespace tutti::devices
