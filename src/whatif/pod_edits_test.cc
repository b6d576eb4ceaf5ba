#include "whatif/pod_edits.h"

#include <gtest/gtest.h>

#include "support/build.h"
#include "whatif/change_target.h"

namespace tutti::whatif {
namespace {

const explain::PatchStep& only(const std::vector<explain::PatchStep>& steps) {
  EXPECT_EQ(steps.size(), 1U);
  return steps.front();
}

TEST(PodEdits, giveUpOneRequirementEach) {
  const auto pod = test::pod("p")
                       .node_selector("example.com/gpu", "h100")
                       .node_selector("disk", "ssd")
                       .anti_affinity("kubernetes.io/hostname", "app", "w")
                       .host_port(80)
                       .build();
  const auto edits = concessions(*pod->spec);
  ASSERT_EQ(edits.size(), 4U);
  EXPECT_EQ(edits[0].summary, "remove node selector disk=ssd");
  EXPECT_EQ(only(edits[1].steps).path, "/spec/nodeSelector/example.com~1gpu");
  EXPECT_EQ(edits[1].spec.node_selector.size(), 1U);
  EXPECT_EQ(edits[2].kind, "podAntiAffinity");
  EXPECT_TRUE(edits[2].spec.anti_affinity.required.empty());
  EXPECT_EQ(only(edits[3].steps).path, "/spec/containers/0/ports/0/hostPort");
  for (const PodEdit& edit : edits) EXPECT_NE(edit.spec, *pod->spec);
}

TEST(PodEdits, tolerateAppendsToWhatIsThere) {
  const model::Taint taint{"team", "ml", "NoSchedule"};
  const model::PodSpec none = *test::pod("p").build()->spec;
  const PodEdit edit = tolerating(none, taint);
  const auto first = steps_for(none, edit.steps);
  EXPECT_EQ(only(first).path, "/spec/tolerations");
  EXPECT_EQ(only(first).value.type, explain::Datum::Type::list);
  EXPECT_EQ(only(steps_for(edit.spec, edit.steps)).path, "/spec/tolerations/-");
  EXPECT_EQ(tolerating(edit.spec, taint).spec.tolerations.size(), 2U);
}

TEST(PodEdits, aTemplateOfLimitsGetsRequests) {
  const model::PodSpec admitted = *test::pod("p").cpu("3").build()->spec;
  model::PodSpec written = admitted;
  written.containers[0].limits = written.containers[0].requests;  // as reading it has left it
  const auto edit = asking_less(admitted, "cpu", 1000);
  ASSERT_TRUE(edit.has_value());
  const auto steps = steps_for(written, edit->steps);
  EXPECT_EQ(only(steps).path, "/spec/containers/0/resources/requests");
  EXPECT_EQ(only(steps).value, explain::Datum::object({{"cpu", explain::Datum::of("2")}}));
  EXPECT_EQ(steps_for(admitted, edit->steps), edit->steps);
}

TEST(PodEdits, namesSurviveAPointer) {
  EXPECT_EQ(pointer_part("a/b~c"), "a~1b~0c");
  EXPECT_EQ(named_by("a~1b~0c"), "a/b~c");
}

TEST(PodEdits, askLessOfTheContainerThatAsksForMost) {
  const auto pod = test::pod("p").cpu("1").build();
  model::PodSpec spec = *pod->spec;
  spec.containers.push_back(spec.containers.front());
  spec.containers[1].requests = {{"cpu", test::quantity("3")}};
  const auto edit = asking_less(spec, "cpu", 500);
  ASSERT_TRUE(edit.has_value());
  EXPECT_EQ(only(edit->steps).path, "/spec/containers/1/resources/requests/cpu");
  EXPECT_EQ(only(edit->steps).value.text, "2500m");
  EXPECT_FALSE(asking_less(spec, "cpu", 3000).has_value());
  EXPECT_FALSE(asking_less(spec, "memory", 1).has_value());
}

// "2 | 1s 4": requests of containers, then of init containers, sidecars with an s.
std::string amounts(const model::PodSpec& spec) {
  std::string out;
  for (const auto& each : spec.containers) out += each.requests.front().second.text() + " ";
  out += "|";
  for (const auto& each : spec.init_containers) {
    out += " " + each.requests.front().second.text() + (each.restart_always ? "s" : "");
  }
  return out;
}

TEST(PodEdits, askLessOfWhateverStandsOut) {
  struct Case {
    std::vector<std::string> containers, init;  // of cpu; sidecars end with an s
    std::int64_t less;
    std::string left;  // empty: nothing can be done
  };
  const std::vector<Case> cases = {
      {{"1"}, {"8"}, 4000, "1 | 4"},          {{"6"}, {"8"}, 1000, "6 | 7"},
      {{"6"}, {"8", "5"}, 4000, "4 | 4 4"},   {{"1"}, {"5s"}, 2000, "1 | 3s"},
      {{"3"}, {"1s"}, 1000, "2 | 1s"},        {{"1"}, {"2s", "5"}, 3000, "1 | 2s 2"},
      {{"1"}, {"5", "2s"}, 1000, "1 | 4 2s"}, {{"2", "3"}, {"4"}, 500, "2 2500m | 4"},
      {{"1"}, {"3s", "5"}, 7000, ""},         {{"1"}, {"8"}, 8000, ""},
  };
  for (const Case& each : cases) {
    model::PodSpec spec = *test::pod("p").build()->spec;
    const model::Container form = spec.containers.front();
    const auto made = [&](std::string cpu) {
      model::Container container = form;
      container.restart_always = cpu.ends_with('s');
      if (container.restart_always) cpu.pop_back();
      container.requests = {{"cpu", test::quantity(cpu)}};
      return container;
    };
    spec.containers.clear();
    for (const auto& cpu : each.containers) spec.containers.push_back(made(cpu));
    for (const auto& cpu : each.init) spec.init_containers.push_back(made(cpu));
    const auto edit = asking_less(spec, "cpu", each.less);
    EXPECT_EQ(edit ? amounts(edit->spec) : "", each.left) << amounts(spec);
  }
}

TEST(PodEdits, writeWhereAnInitContainerIs) {
  model::PodSpec spec = *test::pod("p").cpu("1").build()->spec;
  spec.init_containers = spec.containers;
  spec.init_containers[0].requests = {{"cpu", test::quantity("3")}};
  const auto edit = asking_less(spec, "cpu", 1000);
  ASSERT_TRUE(edit.has_value());
  EXPECT_EQ(only(edit->steps).path, "/spec/initContainers/0/resources/requests/cpu");
  model::PodSpec written = spec;
  written.init_containers[0].limits = written.init_containers[0].requests;
  EXPECT_EQ(only(steps_for(written, edit->steps)).path,
            "/spec/initContainers/0/resources/requests");
}

TEST(PodEdits, lowerAPodsRequestWithItsContainers) {
  model::PodSpec spec = *test::pod("p").cpu("3").build()->spec;
  spec.pod_requests = {{"cpu", test::quantity("4")}};
  EXPECT_EQ(only(asking_less(spec, "cpu", 1000)->steps).path, "/spec/resources/requests/cpu");
  const auto edit = asking_less(spec, "cpu", 2000);
  ASSERT_EQ(edit->steps.size(), 2U);
  EXPECT_EQ(edit->steps[1].path, "/spec/containers/0/resources/requests/cpu");
  EXPECT_EQ(edit->steps[1].value.text, "2");
}

TEST(PodEdits, keepLimitAndRequestOfDevicesEqual) {
  model::PodSpec spec = *test::pod("p").build()->spec;
  spec.containers[0].requests = {{"nvidia.com/gpu", test::quantity("8")}};
  spec.containers[0].limits = spec.containers[0].requests;
  const auto edit = asking_less(spec, "nvidia.com/gpu", 4000);
  ASSERT_TRUE(edit.has_value());
  ASSERT_EQ(edit->steps.size(), 2U);
  EXPECT_EQ(edit->steps[1].path, "/spec/containers/0/resources/limits/nvidia.com~1gpu");
  EXPECT_EQ(edit->spec.containers[0].limits, edit->spec.containers[0].requests);
}

}  // namespace
}  // namespace tutti::whatif
