#include "whatif/pod_edits.h"

#include <gtest/gtest.h>

#include "support/build.h"
#include "whatif/author.h"

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
