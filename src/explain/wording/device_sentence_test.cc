#include "explain/wording/device_sentence.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/build.h"
#include "support/device_build.h"

namespace tutti::explain {
namespace {

using test::claim;
using test::device;
using test::wish;

// Two nodes: n1 with devices g0 to g3, n2 with h0, which is the only one of kind b.
struct DeviceStage {
  core::Cluster cluster;

  DeviceStage() {
    for (const char* name : {"n1", "n2"}) cluster.set_node(test::node(name).cpu("8"));
    cluster.set_object(test::device_class("gpu"));
    offer("n1", {device("g0").kind("a"), device("g1").kind("a"), device("g2").kind("a"),
                 device("g3").kind("a")});
    offer("n2", {device("h0").kind("b")});
  }
  void offer(const std::string& node, std::vector<model::Device> devices) {
    cluster.set_object(test::slice(node, node, node, std::move(devices)));
  }
  core::PodId pod(const std::string& name, const std::vector<test::ClaimBuilder>& claims) {
    for (const auto& made : claims) cluster.set_object(made.build());
    return cluster.set_pod(test::pod(name).with([&](model::PodSpec& spec) {
      for (const auto& made : claims) {
        const std::string of = made.build()->meta.name;
        spec.resource_claims.push_back({.name = of, .claim_name = of, .template_name = {}});
      }
    }));
  }
  std::optional<DeviceNeed> need(core::PodId pod) const {
    return device_need(cluster, demand_of_pod(cluster, pod, nullptr), pod);
  }
};

TEST(DeviceSentence, saysWhyFreeDevicesDoNotDo) {
  struct Case {
    std::string_view name;
    std::vector<test::ClaimBuilder> claims;
    std::string_view sentence;
    bool fragmented;
  };
  const auto fails = "device.attributes['gpu.example.com'].nope == 1";
  const Case cases[] = {
      {"too few there are",
       {claim("c").request("r", wish("gpu").count(6))},
       "needs 6 devices of class gpu; of 5 there, 5 free",
       false},
      {"too few on one node",
       {claim("c").request("r", wish("gpu").count(5))},
       "needs 5 devices of class gpu; of 5 there, 5 free, but at most 4 on one node",
       true},
      {"requests of one kind are summed",
       {claim("c").request("r", wish("gpu").count(4)).request("s", wish("gpu"))},
       "needs 5 devices of class gpu; of 5 there, 5 free, but at most 4 on one node",
       true},
      {"and so are claims",
       {claim("c").request("r", wish("gpu").count(4)), claim("d").request("s", wish("gpu"))},
       "needs 5 devices of class gpu (2 claims); of 5 there, 5 free, but at most 4 on one node",
       true},
      {"a selector that fails",
       {claim("c").request("r",
                           wish("gpu").where(std::string("device.driver == 'x' || ") + fails))},
       "needs 1 device of class gpu; of 5 there, 5 fail selector \"device.driver == 'x' || "
       "device.attributes['gpu.example.com'].nope == 1\": no such key: nope (line 1, column 61), 0 "
       "free",
       false},
      {"every alternative is told",
       {claim("c").first_available(
           "r", {wish("gpu").of_kind("b").count(2).named("x"), wish("gpu").count(9).named("y")})},
       "needs 2 devices of class gpu; of 5 there, 4 ruled out by selector "
       "\"device.attributes['gpu.example.com'].kind == 'b'\", 1 free; or 9 devices of class gpu; "
       "of 5 "
       "there, 5 free",
       false},
      {"a constraint",
       {claim("c").request("r", wish("gpu").count(2)).distinct("gpu.example.com/kind")},
       "needs 2 devices of class gpu; of 5 there, 5 free, but no node has 2 that satisfy "
       "distinctAttribute gpu.example.com/kind",
       false},
  };
  for (const auto& [name, claims, sentence, fragmented] : cases) {
    SCOPED_TRACE(name);
    DeviceStage stage;
    const auto need = stage.need(stage.pod("p", claims));
    ASSERT_TRUE(need);
    EXPECT_EQ(sentence_of(stage.cluster, *need), sentence);
    EXPECT_EQ(need->fragmented(), fragmented);
  }
}

TEST(DeviceSentence, allDevicesAreThoseOfTheNodeThatLacksTheFewest) {
  DeviceStage stage;
  stage.offer("n1", {device("g0"), device("g1"), device("g2").taint("x/sick", "NoSchedule")});
  stage.offer("n2", {});
  const auto need = stage.need(stage.pod("p", {claim("c").request("r", wish("gpu").all())}));
  ASSERT_TRUE(need);
  EXPECT_EQ(need->kind().need, 3U);
  EXPECT_EQ(need->kind().usable, 2U);
  EXPECT_EQ(sentence_of(stage.cluster, *need),
            "needs all devices of class gpu of one node; of 3 there, 1 unhealthy: n1/g2 "
            "(x/sick:NoSchedule), 2 free; the nearest node, n1, has 2 of its 3 free");
}

TEST(DeviceSentence, allDevicesOfANodeMayBreakAConstraint) {
  DeviceStage stage;
  stage.offer("n1", {device("g0").kind("a"), device("g1").kind("b")});
  stage.offer("n2", {});
  const auto need = stage.need(
      stage.pod("p", {claim("c").request("r", wish("gpu").all()).match("gpu.example.com/kind")}));
  ASSERT_TRUE(need);
  EXPECT_EQ(
      sentence_of(stage.cluster, *need),
      "needs all devices of class gpu of one node; of 2 there, 2 free, but no node has 2 that "
      "satisfy matchAttribute gpu.example.com/kind");
}

TEST(DeviceSentence, poolsOfOtherDriversAreNobodysReason) {
  DeviceStage stage;
  stage.cluster.set_object(test::device_class("gpu", {"device.driver == 'gpu.example.com'"}));
  auto nic = test::slice("nic", "nics", "n1", {device("nic0")});
  nic->driver = "nic.example.com";
  nic->slice_count = 2;
  stage.cluster.set_object(nic);
  const auto need = stage.need(stage.pod("p", {claim("c").request("r", wish("gpu").count(6))}));
  ASSERT_TRUE(need);
  EXPECT_EQ(sentence_of(stage.cluster, *need), "needs 6 devices of class gpu; of 5 there, 5 free");
}

TEST(DeviceSentence, aTaintOfTheDeviceItselfIsNoRules) {
  DeviceStage stage;
  auto planned = std::make_shared<model::DeviceTaintRule>();
  planned->meta.name = "planned";
  planned->selector.emplace().driver = test::kDriver;
  planned->taint = {"x/plan", {}, "NoSchedule", {}};
  stage.cluster.set_object(planned);
  stage.offer("n1", {device("g0").taint("x/sick", "NoExecute")});
  stage.offer("n2", {});
  const auto need = stage.need(stage.pod("p", {claim("c").request("r", wish("gpu"))}));
  ASSERT_TRUE(need);
  EXPECT_EQ(sentence_of(stage.cluster, *need),
            "needs 1 device of class gpu; of 1 there, 1 unhealthy: n1/g0 (x/sick:NoExecute), 0 "
            "free");
}

TEST(DeviceSentence, membersAreCountedByWhatTheyAskFor) {
  DeviceStage stage;
  core::GroupTable groups;
  const auto group = groups.set(test::pod_group("g").gang(3).build());
  const auto add = [&](const std::string& name, const test::WishBuilder& wished) {
    const auto pod = stage.pod(name, {claim("c-" + name).request("r", wished)});
    groups.add_pod(group, pod, core::GroupTable::Membership::pending);
    return pod;
  };
  add("any", wish("gpu"));
  add("b0", wish("gpu").of_kind("b"));
  const auto culprit = add("b1", wish("gpu").of_kind("b"));
  const auto demand = demand_of_group(stage.cluster, groups, group, nullptr);
  const auto need = device_need(stage.cluster, demand, culprit);
  ASSERT_TRUE(need);
  EXPECT_EQ(sentence_of(stage.cluster, *need),
            "needs 2 devices of class gpu (2 claims of 1); of 5 there, 4 ruled out by selector "
            "\"device.attributes['gpu.example.com'].kind == 'b'\", 1 free");
}

TEST(DeviceBlocker, isHealthWhereRepairsWouldDo) {
  DeviceStage stage;
  stage.offer("n1", {device("g0"), device("g1").taint("x/sick", "NoSchedule")});
  stage.offer("n2", {});
  const auto need = stage.need(stage.pod("p", {claim("c").request("r", wish("gpu").count(2))}));
  EXPECT_EQ(device_blocker(nullptr, need), Blocker::device_health);
  core::Diagnosis in_use{2,
                         {{"DynamicResources", "Insufficient devices of class gpu",
                           core::Code::unschedulable, 2, core::Concern::devices}}};
  EXPECT_EQ(device_blocker(&in_use, need), Blocker::device_health) << "by another member of a gang";
  const auto more = stage.need(stage.pod("q", {claim("d").request("r", wish("gpu").count(3))}));
  EXPECT_EQ(device_blocker(&in_use, more), Blocker::devices);
}

}  // namespace
}  // namespace tutti::explain
