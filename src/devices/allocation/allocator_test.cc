#include "devices/allocation/allocator.h"

#include <gtest/gtest.h>

#include "devices/allocation/capacity.h"
#include "support/device_build.h"

namespace tutti::devices {
namespace {

using test::claim;
using test::device;
using test::device_class;
using test::slice;
using test::wish;
using Outcome = Solution::Outcome;

// One inventory with class "gpu", which takes every device, and what claims get from it.
class Allocation : public ::testing::Test {
 protected:
  Allocation() { places_.look_at(device_state_.inventory()); }

  void publish(std::vector<model::Device> devices, std::string node = "n0",
               std::vector<model::CounterSet> counters = {}) {
    auto made = slice("s-" + node, "pool-" + node, node, std::move(devices));
    made->slice_count = counters.empty() ? 1 : 2;
    device_state_.set(made);
    if (!counters.empty()) {
      auto sets = slice("c-" + node, "pool-" + node, node, {});
      sets->slice_count = 2;
      sets->shared_counters = std::move(counters);
      device_state_.set(sets);
    }
    device_state_.set(device_class("gpu"));
  }

  // The devices the claim gets on node 0, as "request=device …", or why it gets none.
  std::string ask(const test::ClaimBuilder& wanted) { return ask({&wanted, 1}); }
  std::string ask(std::span<const test::ClaimBuilder> wanted, PodIndex pod = 1) {
    std::vector<ClaimId> ids;
    for (const auto& each : wanted) {
      const auto object = each.build();
      device_state_.set(object);
      ids.push_back(device_state_.find_claim("t", object->meta.name));
      const auto& problem =
          device_state_.plans().plan(device_state_.claim(ids.back()).plan).problem;
      if (!problem.empty()) return problem;
    }
    const Solution solution = device_state_.decisions().reserve(pod, 0, ids);
    if (solution.outcome == Outcome::fault) return solution.fault;
    if (!solution.found()) return "none";
    std::string text;
    for (const ClaimId id : ids) {
      for (const auto& result : device_state_.decisions().allocation(id, "n0").results) {
        text += (text.empty() ? "" : " ") + result.request + "=" + result.device;
      }
    }
    return text;
  }

  test::NumberedNodes places_;
  DeviceState device_state_{places_};
};

TEST_F(Allocation, takesTheFirstDeviceOfTheClassInPublishedOrder) {
  publish({device("g1").kind("a"), device("g0").kind("a")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu"))), "r=g1");
}

TEST_F(Allocation, takesWhatSelectorsTake) {
  publish({device("g0").kind("a"), device("g1").kind("b")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").of_kind("b"))), "r=g1");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").of_kind("b"))), "none");
}

TEST_F(Allocation, allTakesEveryMatchingDeviceOrNone) {
  publish({device("g0").kind("a"), device("g1").kind("b"), device("g2").kind("a")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").of_kind("a").all())), "r=g0 r=g2");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").all())), "none") << "two are in use";
  EXPECT_EQ(ask(claim("e").request("r", wish("gpu").of_kind("z").all())), "none")
      << "there is none";
}

TEST_F(Allocation, allOfAPoolThatIsNotWholeHasNoAnswer) {
  publish({device("g0").kind("a")});
  auto part = slice("other", "other", "n0", {device("x").kind("a")});
  part->slice_count = 2;
  device_state_.set(part);
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").all())),
            "request r: pool other of driver gpu.example.com is incomplete: 1 of 2 slices of "
            "generation 1");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu"))), "r=g0") << "counting is not asked for";
}

TEST_F(Allocation, takesTheFirstAlternativeThatCanBeHad) {
  publish({device("g0").kind("b"), device("g1").kind("b")});
  const auto wanted = claim("c").first_available(
      "r", {wish("gpu").named("big").of_kind("a"), wish("gpu").named("two").of_kind("b").count(2)});
  EXPECT_EQ(ask(wanted), "r/two=g0 r/two=g1");
}

TEST_F(Allocation, anAlternativeThatIsNotNeededDoesNoHarm) {
  const auto at = [](std::string name, std::string kind, std::int64_t numa) {
    return device(std::move(name)).kind(std::move(kind)).attribute("example.com/numa", numa);
  };
  publish({at("g0", "gpu", 0), at("g1", "gpu", 1), at("n1", "nic", 1)});
  const auto faulty = wish("gpu").where("device.attributes['gpu.example.com'].profile == '3g'");
  const auto wanted = claim("c")
                          .first_available("gpu", {wish("gpu").named("whole").of_kind("gpu"),
                                                   model::DeviceWish(faulty)})
                          .request("nic", wish("gpu").of_kind("nic"))
                          .match("example.com/numa");
  EXPECT_EQ(ask(wanted), "gpu/whole=g1 nic=n1");
}

TEST_F(Allocation, pairsAreFoundWherePartnersAreScarce) {
  constexpr int kPairs = 8;
  const auto at = [](std::string name, std::string kind, int root) {
    return device(std::move(name))
        .kind(std::move(kind))
        .attribute("example.com/root", std::int64_t{root});
  };
  std::vector<model::Device> devices;
  // Two GPUs to a root, and a network card for every second root.
  for (int i = 0; i < 4 * kPairs; ++i) devices.push_back(at("g" + std::to_string(i), "gpu", i / 2));
  for (int i = kPairs; i < 2 * kPairs; ++i) {
    devices.push_back(at("n" + std::to_string(i), "nic", i));
  }
  publish(std::move(devices));
  auto wanted = claim("c");
  for (int i = 0; i < kPairs; ++i) {
    wanted.request("g" + std::to_string(i), wish("gpu").of_kind("gpu"));
  }
  for (int i = 0; i < kPairs; ++i) {
    wanted.request("n" + std::to_string(i), wish("gpu").of_kind("nic"));
    wanted.match("example.com/root", {"g" + std::to_string(i), "n" + std::to_string(i)});
  }
  EXPECT_NE(ask(wanted), "none");
  EXPECT_EQ(device_state_.search().effort().unproven, 0U);
}

TEST_F(Allocation, picksThatDifferInTwoAttributesAreMatched) {
  constexpr int kCount = 14;
  // Value i of the first attribute goes with 13 - i of the second for sure; the others are bait.
  std::vector<model::Device> devices;
  const auto add = [&](int v, int w) {
    devices.push_back(device("g" + std::to_string(devices.size()))
                          .attribute("example.com/v", std::int64_t{v})
                          .attribute("example.com/w", std::int64_t{w}));
  };
  for (int i = 0; i < 2 * kCount; ++i) add(i % kCount, (i * 5 + 3) % (kCount / 2));
  for (int i = 0; i < kCount; ++i) add(i, kCount - 1 - i);
  publish(std::move(devices));
  const auto wanted = [&](std::string name, std::int64_t count) {
    return claim(std::move(name))
        .request("r", wish("gpu").count(count))
        .distinct("example.com/v")
        .distinct("example.com/w");
  };
  EXPECT_EQ(ask(wanted("more", kCount + 1)), "none");
  EXPECT_EQ(device_state_.search().effort().unproven, 0U) << "there are 14 values";
  EXPECT_NE(ask(wanted("all", kCount)), "none");
}

TEST_F(Allocation, aSearchThatEndsEarlyIsNoProof) {
  // Partitions are all different to the search, and no sum of threes fills seven.
  std::vector<model::Device> devices;
  std::vector<model::CounterSet> counters;
  for (int g = 0; g < 6; ++g) {
    const std::string set = "s" + std::to_string(g);
    counters.push_back({set, {{"slices", test::quantity("7")}}});
    for (int i = 0; i < 6; ++i) {
      devices.push_back(device(set + "-" + std::to_string(i)).consumes(set, "slices", "3"));
    }
  }
  publish(std::move(devices), "n0", std::move(counters));
  const auto wanted = claim("c").request("r", wish("gpu").count(13));
  device_state_.set(wanted.build());
  const Wanted want{device_state_.claim(device_state_.find_claim("t", "c")).plan, {}};
  EXPECT_EQ(device_state_.search().fits(0, {&want, 1}, nullptr), Outcome::exhausted);
  EXPECT_EQ(ask(claim("other").request("r", wish("gpu"))), "r=s0-0");
  EXPECT_EQ(device_state_.search().fits(0, {&want, 1}, nullptr), Outcome::exhausted)
      << "choosing the other anew does not prove it either";
}

TEST_F(Allocation, matchedDevicesHaveTheAttributeInCommon) {
  const auto at = [](std::string name, std::int64_t numa) {
    return device(std::move(name)).kind("a").attribute("example.com/numa", numa);
  };
  publish({at("g0", 0), at("g1", 1), at("g2", 0), at("g3", 1), device("g4").kind("a")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").count(2)).match("example.com/numa")),
            "r=g0 r=g2");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").count(2)).match("example.com/numa")),
            "r=g1 r=g3");
}

TEST_F(Allocation, matchingSpansRequestsAndBareNamesOfTheDriver) {
  publish({device("g0").attribute("root", std::string("x")),
           device("n0").kind("nic").attribute("root", std::string("y")),
           device("n1").kind("nic").attribute("root", std::string("x"))});
  const auto wanted =
      claim("c")
          .request("gpu", wish("gpu").where("!has(device.attributes['gpu.example.com'].kind)"))
          .request("nic", wish("gpu").where(
                              "device.attributes['gpu.example.com'].?kind.orValue('') == 'nic'"))
          .match("gpu.example.com/root");
  EXPECT_EQ(ask(wanted), "gpu=g0 nic=n1");
}

TEST_F(Allocation, distinctDevicesDifferInTheAttribute) {
  const auto at = [](std::string name, std::string root) {
    return device(std::move(name)).attribute("example.com/root", std::move(root));
  };
  publish({at("g0", "x"), at("g1", "x"), at("g2", "y")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").count(2)).distinct("example.com/root")),
            "r=g0 r=g2");
}

TEST_F(Allocation, unhealthyDevicesAreForThoseWhoTolerateIt) {
  publish({device("g0").taint("xid", "NoExecute"), device("g1").taint("hint", "None")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu"))), "r=g1");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu"))), "none");
  EXPECT_EQ(ask(claim("e").request("r", wish("gpu").tolerates("xid"))), "r=g0");
}

TEST_F(Allocation, aTaintRuleMarksTheDevicesItNames) {
  publish({device("g0"), device("g1")});
  auto rule = std::make_shared<model::DeviceTaintRule>();
  rule->meta.name = "drain";
  rule->selector.emplace();
  rule->selector->device = "g0";
  rule->taint = {"drain", {}, "NoSchedule", {}};
  device_state_.set(rule);
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu"))), "r=g1");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu"))), "none");
  device_state_.remove(*rule);
  EXPECT_EQ(ask(claim("e").request("r", wish("gpu"))), "r=g0");
}

TEST_F(Allocation, partitionsShareTheCountersOfTheirDevice) {
  const auto part = [](std::string name, std::string_view memory) {
    return device(std::move(name)).consumes("g0", "memory", memory);
  };
  publish({part("whole", "40Gi"), part("half-0", "20Gi"), part("half-1", "20Gi"),
           part("quarter", "10Gi")},
          "n0", {{"g0", {{"memory", test::quantity("40Gi")}}}});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").where("true"))), "r=quarter")
      << "the smallest is enough";
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").count(2))), "none") << "20 + 20 + 10 > 40";
  EXPECT_EQ(ask(claim("e").request("r", wish("gpu"))), "r=half-0");
  EXPECT_EQ(ask(claim("f").request("r", wish("gpu"))), "none");
}

TEST_F(Allocation, partitionsFillTheBrokenDeviceFirst) {
  const auto part = [](std::string name, std::string set) {
    return device(std::move(name)).kind("part").consumes(std::move(set), "slices", "1");
  };
  const auto whole = [](std::string name, std::string set) {
    return device(std::move(name)).kind("whole").consumes(std::move(set), "slices", "2");
  };
  publish({whole("g0", "a"), part("g0-0", "a"), part("g0-1", "a"), whole("g1", "b"),
           part("g1-0", "b"), part("g1-1", "b")},
          "n0",
          {{"a", {{"slices", test::quantity("2")}}}, {"b", {{"slices", test::quantity("2")}}}});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").of_kind("part"))), "r=g0-0");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").of_kind("part"))), "r=g0-1");
  EXPECT_EQ(ask(claim("e").request("r", wish("gpu").of_kind("whole"))), "r=g1");
}

TEST_F(Allocation, sharedDevicesGiveOutTheirCapacity) {
  publish({device("g0").shared().capacity("memory", "24Gi")});
  const auto part = [](std::string name, std::string_view memory) {
    return claim(std::move(name)).request("r", wish("gpu").capacity("memory", memory));
  };
  EXPECT_EQ(ask(part("c", "10Gi")), "r=g0");
  EXPECT_EQ(ask(part("d", "10Gi")), "r=g0");
  EXPECT_EQ(ask(part("e", "10Gi")), "none");
  EXPECT_EQ(ask(part("f", "4Gi")), "r=g0");
  EXPECT_EQ(ask(claim("g").request("r", wish("gpu").capacity("cores", "1"))), "none")
      << "not on offer";
  const auto results =
      device_state_.decisions().allocation(device_state_.find_claim("t", "f"), "n0").results;
  EXPECT_EQ(results[0].consumed_capacity[0].second, test::quantity("4Gi"));
  EXPECT_FALSE(results[0].share_id.empty());
}

TEST_F(Allocation, hugeCapacityIsNotGivenOutTwice) {
  publish({device("g0").shared().capacity("space", "10Pi")});
  const auto part = [](std::string name) {
    return claim(std::move(name)).request("r", wish("gpu").capacity("space", "6Pi"));
  };
  EXPECT_EQ(ask(part("c")), "r=g0");
  EXPECT_EQ(ask(part("d")), "none");
}

TEST_F(Allocation, whatOthersGaveOutBeyondAllMeasureAddsUp) {
  publish({device("g0").shared().capacity("space", "8Pi")});
  model::DeviceResult share;
  share.request = "r";
  share.driver = test::kDriver;
  share.pool = "pool-n0";
  share.device = "g0";
  share.consumed_capacity = {{"space", test::quantity("8Pi")}};
  for (const char* name : {"a", "b", "c"}) {
    share.share_id = name;
    model::Allocation allocation;
    allocation.results = {share};
    device_state_.set(claim(name).allocated(allocation).build());
  }
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").capacity("space", "1"))), "none");
  EXPECT_EQ(device_state_.check(), "");
}

TEST_F(Allocation, amountsFollowTheDevicesPolicy) {
  struct Case {
    std::string_view name;
    std::string_view asked;  // empty: nothing
    std::string_view taken;  // empty: refused
  };
  model::CapacityPolicy policy;
  policy.standard = test::quantity("2");
  policy.range = {test::quantity("1"), test::quantity("8"), test::quantity("2")};
  const model::Device published = device("g0").shared().capacity("cores", "10", policy);
  const Case cases[] = {
      {"nothing asked for takes the default", "", "2"},
      {"less than the least takes the least", "500m", "1"},
      {"between steps rounds up", "4", "5"},
      {"on a step stays", "7", "7"},
      {"beyond the most is refused", "8", ""},
  };
  for (const auto& [name, asked, taken] : cases) {
    SCOPED_TRACE(name);
    model::NamedAmounts amounts;
    if (!asked.empty()) amounts.emplace_back("cores", test::quantity(asked));
    const auto got = consumption(published, amounts);
    ASSERT_EQ(got.has_value(), !taken.empty());
    if (taken.empty()) continue;
    EXPECT_EQ((*got)[0].second, test::quantity(taken).milli());
  }
}

TEST_F(Allocation, adminAccessLooksOnWithoutHolding) {
  publish({device("g0"), device("g1")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu"))), "r=g0");
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").all().admin())), "r=g0 r=g1");
  EXPECT_EQ(ask(claim("e").request("r", wish("gpu"))), "r=g1");
}

TEST_F(Allocation, devicesBelongToTheirNodes) {
  publish({device("g0")}, "n1");
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu"))), "none");
  auto mixed = slice("mixed", "mixed", "", {device("m0").on("n1"), device("m1").on("n0")});
  mixed->reach.kind = model::DeviceReach::Kind::per_device;
  device_state_.set(mixed);
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu"))), "r=m1");
}

TEST_F(Allocation, aClaimMayHave32Devices) {
  std::vector<model::Device> many;
  for (int i = 0; i < 40; ++i) many.push_back(device("g" + std::to_string(i)));
  publish(std::move(many));
  EXPECT_EQ(ask(claim("c").request("a", wish("gpu").count(20)).request("b", wish("gpu").count(13))),
            "asks for 33 devices, a claim may have 32");
  EXPECT_EQ(ask(claim("d").request("a", wish("gpu").all())), "none");
}

TEST_F(Allocation, whatIsNotUnderstoodIsNamed) {
  publish({device("g0").kind("a")});
  struct Case {
    std::string_view name;
    test::ClaimBuilder wanted;
    std::string_view answer;
  };
  const Case cases[] = {
      {"no such class", claim("a").request("r", wish("tpu")),
       "request r: device class tpu does not exist"},
      {"a selector that does not compile",
       claim("b").request("r", wish("gpu").where("device.drivr == 'x'")),
       "request r: selector \"device.drivr == 'x'\": line 1, column"},
      {"a selector that fails",
       claim("c").request("r",
                          wish("gpu").where("device.attributes['gpu.example.com'].model == 'x'")),
       "request r: selector \"device.attributes['gpu.example.com'].model == 'x'\": "},
      {"a selector of another type", claim("d").request("r", wish("gpu").where("1 + 1")),
       "request r: selector \"1 + 1\": line 1, column 1: must evaluate to bool, not int"},
  };
  for (const auto& [name, wanted, answer] : cases) {
    SCOPED_TRACE(name);
    const std::string got = ask(wanted);
    EXPECT_EQ(got.substr(0, answer.size()), answer);
  }
  EXPECT_EQ(ask(claim("z").request("r", wish("gpu"))), "r=g0") << "others go on";
}

TEST_F(Allocation, selectorsAreEvaluatedOncePerDeviceVersion) {
  publish({device("g0").kind("a"), device("g1").kind("b")});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu").of_kind("b"))), "r=g1");
  const auto after_first = device_state_.selectors().evaluations();
  EXPECT_EQ(after_first, 2U);
  EXPECT_EQ(ask(claim("d").request("r", wish("gpu").of_kind("b"))), "none");
  EXPECT_EQ(device_state_.selectors().evaluations(), after_first);
  publish({device("g0").kind("b"), device("g1").kind("b")});
  EXPECT_EQ(ask(claim("e").request("r", wish("gpu").of_kind("b"))), "r=g0");
  EXPECT_GT(device_state_.selectors().evaluations(), after_first);
}

TEST_F(Allocation, whatWasDecidedMovesForTheSakeOfAnother) {
  publish({device("g0").kind("a"), device("g1").kind("b")});
  const test::ClaimBuilder any[] = {claim("any").request("r", wish("gpu"))};
  const test::ClaimBuilder only[] = {claim("only").request("r", wish("gpu").of_kind("a"))};
  EXPECT_EQ(ask(any, 1), "r=g0");
  EXPECT_EQ(ask(only, 2), "r=g0");
  const auto moved =
      device_state_.decisions().allocation(device_state_.find_claim("t", "any"), "n0").results;
  EXPECT_EQ(moved[0].device, "g1");
  device_state_.decisions().unreserve(2, *test::pod("p").build());
  const auto back =
      device_state_.decisions().allocation(device_state_.find_claim("t", "any"), "n0").results;
  EXPECT_EQ(back[0].device, "g0") << "exactly as it was";
  EXPECT_EQ(device_state_.check(), "");
}

TEST_F(Allocation, whatWasWrittenStays) {
  publish({device("g0").kind("a"), device("g1").kind("b")});
  const test::ClaimBuilder any[] = {claim("any").request("r", wish("gpu"))};
  const test::ClaimBuilder only[] = {claim("only").request("r", wish("gpu").of_kind("a"))};
  EXPECT_EQ(ask(any, 1), "r=g0");
  device_state_.decisions().written(device_state_.find_claim("t", "any"));
  EXPECT_EQ(ask(only, 2), "none");
}

// Counters of one pool for devices of two nodes.
TEST_F(Allocation, sharedCountersConcernEveryNodeOfThePool) {
  auto sets = slice("c", "fabric", "", {});
  sets->slice_count = 2;
  sets->shared_counters = {{"links", {{"free", test::quantity("1")}}}};
  auto both = slice("d", "fabric", "",
                    {device("d0").on("n0").consumes("links", "free", "1"),
                     device("d1").on("n1").consumes("links", "free", "1")});
  both->slice_count = 2;
  both->reach.kind = model::DeviceReach::Kind::per_device;
  device_state_.set(sets);
  device_state_.set(both);
  device_state_.set(device_class("gpu"));
  const auto before = device_state_.search().stamp(1, {});
  EXPECT_EQ(ask(claim("c").request("r", wish("gpu"))), "r=d0");
  EXPECT_NE(device_state_.search().stamp(1, {}), before)
      << "the other node's device lost its counter";
}

TEST_F(Allocation, aSharedClaimComesAlongWhateverIsKnownOfTheNode) {
  device_state_.set(device_class("gpu"));
  device_state_.set(slice("a", "a-local", "n0", {device("l0").kind("any")}));
  device_state_.set(slice("b", "b-local", "n1", {device("o0").kind("own")}));
  device_state_.set(slice("z", "z-wide", "", {device("w0").kind("any")}));
  device_state_.set(claim("s").request("r", wish("gpu").of_kind("any")).build());
  device_state_.set(claim("c").request("r", wish("gpu").of_kind("own")).build());
  const ClaimId shared = device_state_.find_claim("t", "s");
  const ClaimId own = device_state_.find_claim("t", "c");
  const auto device_of_shared = [&] {
    return device_state_.inventory().text(device_state_.claim(shared).grant.at(0).hold.device);
  };
  ASSERT_TRUE(device_state_.decisions().reserve(0, 0, {&shared, 1}).found());
  ASSERT_EQ(device_of_shared(), "gpu.example.com/a-local/l0");
  const Wanted wanted[] = {{device_state_.claim(shared).plan, shared},
                           {device_state_.claim(own).plan, {}}};
  const auto prospect = device_state_.search().prospect(1, wanted, {});
  ASSERT_EQ(prospect.choices.size(), 1U);
  const ClaimId both[] = {shared, own};
  ASSERT_TRUE(device_state_.decisions().reserve(1, 1, both, {}, {}, &prospect).found());
  EXPECT_EQ(device_of_shared(), "gpu.example.com/z-wide/w0") << "which both nodes can use";
}

TEST_F(Allocation, aClaimHasAtMost256UsersDecidedOrNot) {
  publish({device("g0")});
  device_state_.set(claim("c").request("r", wish("gpu")).build());
  const auto user = [](int i) {
    return test::pod("p" + std::to_string(i))
        .with([](model::PodSpec& spec) {
          spec.resource_claims.push_back({.name = "g", .claim_name = "c", .template_name = {}});
        })
        .build();
  };
  for (int i = 0; i < 256; ++i) {
    ASSERT_TRUE(device_state_.decisions().reserve(static_cast<PodIndex>(i), 0, *user(i)).found());
  }
  EXPECT_EQ(device_state_.claims_of(*user(256)).problem,
            "resource claim c has 256 users, as many as it may have");
  EXPECT_EQ(device_state_.claims_of(*user(0)).problem, "") << "it is one of them";
  const auto version = device_state_.claims_version();
  device_state_.decisions().unreserve(255, *user(255));
  EXPECT_EQ(device_state_.claims_of(*user(256)).problem, "");
  EXPECT_GT(device_state_.claims_version(), version);
}

TEST_F(Allocation, nobodyNewUsesADeviceWhoseTaintWouldEndThem) {
  publish({device("g0").taint("example.com/ecc", "NoExecute"),
           device("g1").taint("example.com/ecc", "NoSchedule")});
  const auto problem_on = [&](const std::string& name, std::vector<model::Toleration> tolerations) {
    auto given =
        std::make_shared<model::ResourceClaim>(*claim("c").request("r", wish("gpu")).build());
    model::DeviceResult result;
    result.request = "r";
    result.driver = test::kDriver;
    result.pool = "pool-n0";
    result.device = name;
    result.tolerations = std::move(tolerations);
    given->allocation.emplace().results = {result};
    device_state_.set(given);
    const auto uses = [](model::PodSpec& spec) { spec.resource_claims = {{"g", "c", {}}}; };
    return device_state_.claims_of(*test::pod("p").with(uses).build()).problem;
  };
  EXPECT_EQ(problem_on("g0", {}),
            "resource claim c holds gpu.example.com/pool-n0/g0, which has taint "
            "example.com/ecc:NoExecute");
  EXPECT_EQ(problem_on("g0", {{"", model::Toleration::Operator::exists, "", "", {}}}), "");
  EXPECT_EQ(problem_on("g1", {}), "") << "it only keeps claims away that hold nothing yet";
}

}  // namespace
}  // namespace tutti::devices
