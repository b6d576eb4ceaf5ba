// Every idle device has one reason: a table of situations, one per reason.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "capacity/stage.h"
#include "support/device_build.h"

namespace tutti {
namespace {

using capacity::DeviceUse;
using capacity::Report;
using test::CapacityStage;
using test::kGpu;

// "held 0 usable 8 nodeCordoned 2".
std::string text_of(const Report& report, std::string_view name) {
  for (const DeviceUse& use : report.devices) {
    if (use.name != name) continue;
    std::string text = "held " + std::to_string(use.held) + " usable " + std::to_string(use.usable);
    for (const auto& idle : use.unusable) {
      text += " " + std::string(capacity::name(idle.reason)) + " " + std::to_string(idle.devices);
    }
    return text;
  }
  return "none";
}

test::NodeBuilder gpu_node() {
  return test::node("n").cpu("16").memory("64Gi").allocatable(kGpu, "8");
}

// Work that asks for `gpus` each, and is held by a gate, so that nothing of it is placed.
test::PodBuilder work(const char* gpus) {
  return test::pod("work").cpu("1").memory("1Gi").request(kGpu, gpus).gate("never");
}

TEST(DeviceUse, namesTheFirstThingThatKeepsAnIdleDeviceFromUse) {
  struct Case {
    const char* says;
    std::function<void(CapacityStage&)> set;
  };
  const Case cases[] = {
      {"held 0 usable 8", [](auto& stage) { stage.add(gpu_node()).add(work("2")); }},
      {"held 0 usable 8", [](auto& stage) { stage.add(gpu_node()); }},
      {"held 5 usable 3",
       [](auto& stage) {
         stage.add(gpu_node()).add(work("1")).add(test::pod("p").request(kGpu, "5").on("n"));
       }},
      {"held 0 usable 0 nodeCordoned 8",
       [](auto& stage) { stage.add(gpu_node().unschedulable()).add(work("2")); }},
      {"held 0 usable 0 nodeTainted 8",
       [](auto& stage) {
         stage.add(gpu_node().taint("dedicated", "x", "NoSchedule")).add(work("2"));
       }},
      {"held 0 usable 8",  // devices' own taint, and nobody to tolerate it yet
       [](auto& stage) { stage.add(gpu_node().taint(kGpu, "present", "NoSchedule")); }},
      {"held 0 usable 0 nodeNotReady 8",
       [](auto& stage) {
         stage.add(gpu_node().taint("node.kubernetes.io/not-ready", "", "NoSchedule"))
             .add(work("2"));
       }},
      {"held 0 usable 0 excluded 8",
       [](auto& stage) { stage.add(gpu_node()).add(work("2").node_selector("pool", "other")); }},
      {"held 0 usable 6 tooFewLeft 2", [](auto& stage) { stage.add(gpu_node()).add(work("3")); }},
      {"held 0 usable 0 tooFewLeft 8", [](auto& stage) { stage.add(gpu_node()).add(work("16")); }},
      {"held 0 usable 0 noCpu 8",
       [](auto& stage) {
         stage.add(gpu_node()).add(work("1")).add(test::pod("p").cpu("16").on("n"));
       }},
      {"held 0 usable 3 noCpu 5",
       [](auto& stage) {
         stage.add(gpu_node()).add(work("1")).add(test::pod("p").cpu("13").on("n"));
       }},
      {"held 0 usable 0 noMemory 8",
       [](auto& stage) {
         stage.add(gpu_node()).add(work("1")).add(test::pod("p").memory("64Gi").on("n"));
       }},
      {"held 0 usable 0 noPodSlots 8",
       [](auto& stage) {
         stage.add(gpu_node().pods("1")).add(work("1")).add(test::pod("p").on("n"));
       }},
      {"held 0 usable 0 noOtherResource 8",
       [](auto& stage) { stage.add(gpu_node()).add(work("1").request("example.com/nic", "1")); }},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.says);
    CapacityStage stage;
    each.set(stage);
    EXPECT_EQ(text_of(stage.report(), kGpu), each.says);
  }
}

TEST(DeviceUse, countsDevicesThatANodeHasButDoesNotOfferAsUnhealthy) {
  CapacityStage stage;
  auto node = std::make_shared<model::Node>(*gpu_node().build());
  test::put(node->allocatable, kGpu, test::quantity("6"));
  stage.add(std::shared_ptr<const model::Node>(node)).add(work("1"));
  EXPECT_EQ(text_of(stage.report(), kGpu), "held 0 usable 6 unhealthy 2");
}

TEST(DeviceUse, saysWhichNodesTheIdleDevicesAreOn) {
  CapacityStage stage;
  for (const char* name : {"c", "a", "b"}) {
    stage.add(test::node(name).allocatable(kGpu, "2").unschedulable());
  }
  const Report report = stage.report();
  ASSERT_EQ(report.devices.size(), 1U);
  ASSERT_EQ(report.devices[0].unusable.size(), 1U);
  EXPECT_EQ(capacity::places_text(report.devices[0].unusable[0]), "a, b, c");
}

TEST(DeviceUse, countsTheDevicesOfSlicesOnce) {
  CapacityStage stage;
  const auto add = [&](const std::shared_ptr<model::ResourceSlice>& slice) {
    stage.add(std::shared_ptr<const model::ResourceSlice>(slice));
  };
  stage.add(test::node("n").cpu("4"));
  stage.add(test::node("cordoned").cpu("4").unschedulable());
  add(test::slice("s1", "p1", "n",
                  {test::device("d1"), test::device("d2").taint("xid", "NoExecute")}));
  add(test::slice("s2", "p2", "gone", {test::device("d1")}));
  add(test::slice("s3", "p3", "cordoned", {test::device("d1"), test::device("d2")}));
  auto half = test::slice("s4", "p4", "n", {test::device("d1"), test::device("d2")});
  half->slice_count = 2;
  add(half);
  EXPECT_EQ(text_of(stage.report(), test::kDriver),
            "held 0 usable 1 poolIncomplete 2 nodeCordoned 2 unhealthy 1 nodeMissing 1");
}

TEST(DeviceUse, countsWhatIncompleteGroupsHold) {
  CapacityStage stage;
  stage.add(gpu_node());
  stage.add(test::pod_group("g").gang(3).build());
  for (const char* name : {"g-0", "g-1"}) {
    stage.add(test::pod(name).group("g").request(kGpu, "2").on("n"));
  }
  const Report report = stage.report();
  EXPECT_EQ(report.devices[0].held, 4U);
  EXPECT_EQ(report.devices[0].held_by_incomplete, 4U);
  ASSERT_EQ(report.incomplete.size(), 1U);
  EXPECT_EQ(report.incomplete[0].name, "PodGroup t/g");
  EXPECT_EQ(report.incomplete[0].why, "2 of 3 members are placed");
}

}  // namespace
}  // namespace tutti
