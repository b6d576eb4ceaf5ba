// Which devices of a node are taken, and which node loses the least by it.
#include "devices/allocation/packing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/device_build.h"

namespace tutti::devices {
namespace {

using test::claim;
using test::device;
using test::wish;

// Nodes n0, n1, … whose devices have domains, and claims that take what they are given.
struct Rack {
  Rack() {
    places.look_at(device_state.inventory());
    device_state.set(test::device_class("gpu"));
  }

  // One device for every character, named g0, g1, …; the character is its NVLink domain, '-' none.
  void publish(NodeIndex node, std::string_view islands) {
    std::vector<model::Device> devices;
    for (std::size_t i = 0; i < islands.size(); ++i) {
      auto made = device("g" + std::to_string(i));
      if (islands[i] != '-') made.attribute("nvlinkDomain", std::string(1, islands[i]));
      devices.push_back(made);
    }
    const std::string name = "n" + std::to_string(node);
    device_state.set(test::slice(name, name, name, std::move(devices)));
  }

  // Two GPUs, a and b, of two slices each: whole ones, and parts of one slice.
  void publish_cuttable(NodeIndex node) {
    std::vector<model::Device> devices;
    for (const std::string gpu : {"a", "b"}) {
      devices.push_back(device(gpu).kind("whole").consumes(gpu, "slices", "2"));
      devices.push_back(device(gpu + "0").kind("part").consumes(gpu, "slices", "1"));
      devices.push_back(device(gpu + "1").kind("part").consumes(gpu, "slices", "1"));
    }
    const std::string name = "n" + std::to_string(node);
    auto made = test::slice(name, name, name, std::move(devices));
    auto sets = test::slice(name + "-counters", name, name, {});
    made->slice_count = sets->slice_count = 2;
    sets->shared_counters = {{"a", {{"slices", test::quantity("2")}}},
                             {"b", {{"slices", test::quantity("2")}}}};
    device_state.set(made);
    device_state.set(sets);
  }

  ClaimId made(const model::DeviceWish& wanted) {
    const auto object = claim("c" + std::to_string(++claims)).request("r", wanted).build();
    device_state.set(object);
    return device_state.find_claim("t", object->meta.name);
  }

  // The devices that the wish gets on the node, by name, or "none". They stay.
  std::string take(const model::DeviceWish& wanted, NodeIndex node = 0) {
    const ClaimId ids[] = {made(wanted)};
    const auto solution = device_state.decisions().reserve(claims, node, ids, domains);
    if (!solution.found()) return "none";
    device_state.decisions().written(ids[0]);
    std::vector<std::string> names;
    for (const Pick& pick : solution.grants.front()) {
      names.push_back(device_state.inventory().device(pick.hold.device).name);
    }
    std::ranges::sort(names);
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }
  std::string take(std::int64_t count, NodeIndex node = 0) {
    return take(wish("gpu").count(count), node);
  }

  // Somebody holds the device of this name.
  void occupy(const std::string& name, NodeIndex node = 0) {
    auto& ledger = const_cast<Ledger&>(device_state.ledger());
    for (const DeviceId id : devices_at(device_state.inventory(), places, node)) {
      if (device_state.inventory().device(id).name != name) continue;
      ledger.take({id, false, {}});
      device_state.spans().touch(id);
    }
  }

  std::int64_t loss(const model::DeviceWish& wanted, NodeIndex node) {
    const std::vector<Wanted> asked = {{device_state.claim(made(wanted)).plan, {}}};
    const Ledger before = device_state.ledger();
    const auto prospect = device_state.search().prospect(node, asked, domains);
    EXPECT_TRUE(prospect.found);
    EXPECT_TRUE(device_state.ledger() == before) << "a question changes nothing";
    const bool breaks = std::ranges::any_of(
        prospect.loss.spans, [&](SpanId span) { return device_state.spans().untouched(span); });
    EXPECT_LE(prospect.loss.points, kLossMax);
    return prospect.loss.points + (breaks ? kSpanLoss : 0);
  }

  test::NumberedNodes places;
  DeviceState device_state{places};
  std::vector<std::string> domains = {"*/nvlinkDomain"};
  PodIndex claims = 0;
};

TEST(Packing, takesDevicesFromTheBrokenDomainWithTheLeastToSpare) {
  struct Case {
    const char* what;
    const char* domains;
    std::vector<std::string> held;
    std::int64_t count;
    const char* expected;
  };
  const Case cases[] = {
      {"nothing in use: the first", "aaaabbbb", {}, 2, "g0 g1"},
      {"a broken domain suffices", "aaaabbbb", {"g4"}, 2, "g5 g6"},
      {"of two broken ones the fuller", "aaaabbbb", {"g0", "g4", "g5"}, 2, "g6 g7"},
      {"a broken one does not suffice", "aaaabbbb", {"g0", "g1"}, 3, "g4 g5 g6"},
      {"one domain rather than two", "aabbcccc", {"g0", "g2"}, 2, "g4 g5"},
      {"the smallest whole one that holds them", "aaaabb", {}, 2, "g4 g5"},
      {"two when one cannot", "aaabbb", {}, 4, "g0 g1 g2 g3"},
      {"the largest, then the least to spare", "aaaabbbccc", {"g7"}, 6, "g0 g1 g2 g3 g8 g9"},
      {"broken ones if they are not more", "aaaabbbbcccc", {"g4", "g8"}, 6, "g10 g11 g5 g6 g7 g9"},
      {"what has no domain is nothing whole", "aa--", {}, 1, "g2"},
      {"all of it", "aabb", {}, 4, "g0 g1 g2 g3"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    Rack rack;
    rack.publish(0, each.domains);
    for (const auto& name : each.held) rack.occupy(name);
    EXPECT_EQ(rack.take(each.count), each.expected);
  }
}

TEST(Packing, looksAtNarrowerDomainsInsideWiderOnes) {
  Rack rack;
  rack.domains = {"*/nvlinkDomain", "resource.kubernetes.io/pcieRoot"};
  std::vector<model::Device> devices;
  for (int i = 0; i < 8; ++i) {
    devices.push_back(device("g" + std::to_string(i))
                          .attribute("nvlinkDomain", std::string(i < 4 ? "a" : "b"))
                          .attribute("resource.kubernetes.io/pcieRoot", std::int64_t{i / 2}));
  }
  rack.device_state.set(test::slice("n0", "n0", "n0", std::move(devices)));
  rack.occupy("g4");
  EXPECT_EQ(rack.take(1), "g5") << "the broken root of the broken island";
  EXPECT_EQ(rack.take(2), "g6 g7") << "a root of its own, in the same island";
  EXPECT_EQ(rack.take(1), "g0");
  EXPECT_EQ(rack.take(2), "g2 g3") << "not one of each root";
}

TEST(Packing, countsUnhealthyDevicesAsBroken) {
  Rack rack;
  const auto in = [](std::string name, std::string domain) {
    return device(std::move(name)).attribute("nvlinkDomain", std::move(domain));
  };
  rack.device_state.set(test::slice(
      "n0", "n0", "n0",
      {in("g0", "a"), in("g1", "a"), in("g2", "b"), in("g3", "b").taint("ecc", "NoSchedule")}));
  EXPECT_EQ(rack.take(1), "g2") << "b cannot be had whole anyway";
  EXPECT_EQ(rack.take(2), "g0 g1");
}

TEST(Packing, withoutAttributesKeepsPublishedOrder) {
  Rack rack;
  rack.domains = {};
  rack.publish(0, "aaaabbbb");
  rack.occupy("g4");
  EXPECT_EQ(rack.take(2), "g0 g1");
}

TEST(Packing, findsDomainsThatConstraintsForceItAcross) {
  Rack rack;
  rack.publish(0, "aabb");
  rack.occupy("g0");
  // The broken domain goes first, and cannot serve: both must have the domain in common.
  const auto object =
      claim("matched").request("r", wish("gpu").count(2)).match("gpu.example.com/nvlinkDomain");
  rack.device_state.set(object.build());
  const ClaimId ids[] = {rack.device_state.find_claim("t", "matched")};
  ASSERT_TRUE(rack.device_state.decisions().reserve(99, 0, ids, rack.domains).found());
  EXPECT_EQ(rack.take(1), "g1");
  EXPECT_EQ(rack.take(1), "none");
}

TEST(Packing, keepsWholeGpusBesidePartitions) {
  Rack rack;
  rack.publish_cuttable(0);
  const auto part = wish("gpu").of_kind("part");
  const auto whole = wish("gpu").of_kind("whole");
  EXPECT_EQ(rack.take(part), "a0");
  EXPECT_EQ(rack.take(part), "a1") << "a is cut up already";
  EXPECT_EQ(rack.take(whole), "b");
  EXPECT_EQ(rack.take(part), "none");
}

// --- between nodes -------------------------------------------------------------------------------

TEST(Fragmentation, ofAPartitionIsLeastOnTheGpuThatIsCutUp) {
  Rack rack;
  for (const NodeIndex node : {0U, 1U, 2U}) rack.publish_cuttable(node);
  const auto part = wish("gpu").of_kind("part");
  rack.occupy("b0", 1);
  rack.occupy("a", 2);
  EXPECT_LT(rack.loss(part, 1), rack.loss(part, 2)) << "the other half of b on n1";
  EXPECT_LT(rack.loss(part, 2), rack.loss(part, 0)) << "n0 is untouched";
  const auto whole = wish("gpu").of_kind("whole");
  EXPECT_LT(rack.loss(whole, 1), rack.loss(whole, 0)) << "the whole GPU that is left on n1";
  EXPECT_LT(rack.loss(whole, 2), rack.loss(whole, 0));
}

TEST(Fragmentation, ofWholeDevicesIsLeastWhereTheLeastIsLeft) {
  Rack rack;
  for (const NodeIndex node : {0U, 1U, 2U}) rack.publish(node, "aaaabbbb");
  rack.domains = {"*/nvlinkDomain"};
  for (const char* name : {"g0", "g1", "g2"}) rack.occupy(name, 1);
  for (const char* name : {"g0", "g1", "g2", "g3", "g4"}) rack.occupy(name, 2);
  const auto two = wish("gpu").count(2);
  EXPECT_LT(rack.loss(two, 2), rack.loss(two, 1)) << "an island that is broken, or a whole one";
  EXPECT_LT(rack.loss(two, 1), rack.loss(two, 0)) << "the untouched node last";
  const auto one = wish("gpu");
  EXPECT_LT(rack.loss(one, 2), rack.loss(one, 0));
  EXPECT_LT(rack.loss(one, 2), rack.loss(one, 1)) << "both are broken, n2 has less to spare";
}

TEST(Fragmentation, ofExactlyAWholeNodeIsThatOfAnyOther) {
  Rack rack;
  rack.publish(0, "aaaabbbb");
  rack.publish(1, "ccccdddd");
  const auto all = wish("gpu").count(8);
  EXPECT_EQ(rack.loss(all, 0), rack.loss(all, 1));
}

TEST(Fragmentation, prefersCliquesThatAreInUse) {
  Rack rack;
  for (const NodeIndex node : {0U, 1U}) rack.publish(node, "xxxx");
  for (const NodeIndex node : {2U, 3U}) rack.publish(node, "yyyy");
  const auto four = wish("gpu").count(4);
  EXPECT_EQ(rack.loss(four, 0), rack.loss(four, 3)) << "nobody is anywhere";
  const std::uint64_t before = rack.device_state.spans().version();
  EXPECT_EQ(rack.take(four, 3), "g0 g1 g2 g3");
  EXPECT_GT(rack.device_state.spans().version(), before);
  EXPECT_EQ(rack.loss(four, 2) + kSpanLoss, rack.loss(four, 0));
  EXPECT_EQ(rack.device_state.check(), "");
}

TEST(Fragmentation, ofASpanIsKnownAgainWhenItsLastDeviceIsGivenBack) {
  Rack rack;
  rack.publish(0, "xx");
  rack.publish(1, "xx");
  (void)rack.loss(wish("gpu"), 0);
  const ClaimId ids[] = {rack.made(wish("gpu"))};
  ASSERT_TRUE(rack.device_state.decisions().reserve(7, 0, ids, rack.domains).found());
  EXPECT_EQ(rack.device_state.check(), "");
  const std::uint64_t used = rack.device_state.spans().version();
  rack.device_state.decisions().unreserve(7, *test::pod("p").build());
  EXPECT_EQ(rack.device_state.check(), "");
  EXPECT_GT(rack.device_state.spans().version(), used);
}

TEST(Fragmentation, ofASharedDeviceIsLeastWhereItIsShared) {
  Rack rack;
  for (const std::string node : {"n0", "n1"}) {
    rack.device_state.set(test::slice(node, node, node,
                                      {device("g0").capacity("memory", "10").shared(),
                                       device("g1").capacity("memory", "10").shared()}));
  }
  const auto share = wish("gpu").capacity("memory", "2");
  EXPECT_EQ(rack.take(share, 1), "g0");
  EXPECT_LT(rack.loss(share, 1), rack.loss(share, 0));
}

}  // namespace
}  // namespace tutti::devices
