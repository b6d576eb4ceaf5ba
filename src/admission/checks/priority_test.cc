#include "admission/checks/priority.h"

#include <gtest/gtest.h>

#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::PreemptionPolicy;
using model::PriorityClass;
using test::Lines;
using test::lines;

PriorityClass priority_class(std::string name, std::int32_t value, bool global_default = false) {
  PriorityClass made;
  made.meta.name = std::move(name);
  made.value = value;
  made.global_default = global_default;
  return made;
}

PriorityClasses classes_of(const std::vector<PriorityClass>& given) {
  std::vector<const PriorityClass*> pointers;
  for (const PriorityClass& each : given) pointers.push_back(&each);
  return PriorityClasses(pointers);
}

model::Pod pod_of(std::string class_name) {
  return *test::pod("a")
              .with([&](model::PodSpec& spec) { spec.priority_class_name = class_name; })
              .build();
}

Lines resolve(model::Pod& pod, const PriorityClasses& classes) {
  SpecRewrites rewrites;
  return lines(resolve_priority(pod, classes, rewrites));
}

TEST(Priority, comesFromTheNamedClass) {
  auto high = priority_class("high", 1000);
  high.preemption_policy = PreemptionPolicy::never;
  model::Pod pod = pod_of("high");
  EXPECT_EQ(resolve(pod, classes_of({high})), Lines{});
  EXPECT_EQ(pod.priority, 1000);
  EXPECT_EQ(pod.preemption_policy, PreemptionPolicy::never);
}

TEST(Priority, isZeroWithoutAnyClass) {
  model::Pod pod = pod_of("");
  EXPECT_EQ(resolve(pod, PriorityClasses()), Lines{});
  EXPECT_EQ(pod.priority, 0);
  EXPECT_EQ(pod.preemption_policy, PreemptionPolicy::preempt_lower_priority);
  EXPECT_EQ(pod.spec->priority_class_name, "");
}

TEST(Priority, knowsTheSystemsClassesAlways) {
  model::Pod cluster = pod_of("system-cluster-critical");
  model::Pod node = pod_of("system-node-critical");
  EXPECT_EQ(resolve(cluster, PriorityClasses()), Lines{});
  EXPECT_EQ(resolve(node, PriorityClasses()), Lines{});
  EXPECT_EQ(cluster.priority, 2000000000);
  EXPECT_EQ(node.priority, 2000001000);
}

TEST(Priority, refusesAnUnknownClassAndLeavesThePodAsItWas) {
  model::Pod pod = pod_of("x");
  EXPECT_EQ(resolve(pod, classes_of({priority_class("default", 5, true)})),
            Lines{"spec.priorityClassName: no PriorityClass named 'x'"});
  EXPECT_EQ(pod.priority, std::nullopt);
}

TEST(Priority, takesTheGlobalDefaultAndItsName) {
  model::Pod pod = pod_of("");
  EXPECT_EQ(resolve(pod, classes_of({priority_class("high", 9), priority_class("usual", 5, true)})),
            Lines{});
  EXPECT_EQ(pod.priority, 5);
  EXPECT_EQ(pod.spec->priority_class_name, "usual");
}

TEST(Priority, takesTheSmallestOfSeveralGlobalDefaultsInAnyOrder) {
  const auto a = priority_class("a", 7, true);
  const auto b = priority_class("b", 3, true);
  const auto c = priority_class("c", 3, true);
  for (const auto& order : {std::vector{a, b, c}, std::vector{c, b, a}, std::vector{b, a, c}}) {
    EXPECT_EQ(classes_of(order).fallback().class_name, "b");
  }
}

TEST(Priority, acceptsANumberThatAgreesAndRefusesOneThatDoesNot) {
  const auto classes = classes_of({priority_class("high", 1000)});
  model::Pod pod = pod_of("high");
  pod.priority = 1000;
  EXPECT_EQ(resolve(pod, classes), Lines{});
  pod.priority = 999;
  EXPECT_EQ(resolve(pod, classes),
            Lines{"spec.priority: must be 1000, the value of PriorityClass 'high', is 999"});
  EXPECT_EQ(pod.priority, 999);
}

TEST(Priority, keepsANumberThatComesWithoutAClass) {
  model::Pod bare = pod_of("");
  bare.priority = 7;
  EXPECT_EQ(resolve(bare, classes_of({priority_class("usual", 5, true)})), Lines{});
  EXPECT_EQ(bare.priority, 7);
  EXPECT_EQ(bare.spec->priority_class_name, "");
}

TEST(Priority, refusesAnotherPreemptionPolicyThanTheClasss) {
  model::Pod pod = pod_of("high");
  pod.preemption_policy = PreemptionPolicy::never;
  EXPECT_EQ(resolve(pod, classes_of({priority_class("high", 1000)})),
            Lines{"spec.preemptionPolicy: must be PreemptLowerPriority, the policy of "
                  "PriorityClass 'high', is Never"});
}

TEST(Priority, leavesPodsOfOneTemplateSharingASpec) {
  const auto classes = classes_of({priority_class("usual", 5, true)});
  SpecRewrites rewrites;
  model::Pod first = pod_of("");
  model::Pod second = first;
  EXPECT_TRUE(resolve_priority(first, classes, rewrites).empty());
  EXPECT_TRUE(resolve_priority(second, classes, rewrites).empty());
  EXPECT_EQ(first.spec, second.spec);
}

TEST(Priority, isResolvedForGroupsAsTheirVersionKnowsIt) {
  const auto classes = classes_of({priority_class("usual", 5, true)});
  struct Case {
    std::string_view version;
    std::optional<PreemptionPolicy> policy;
  };
  for (const Case& given :
       {Case{model::kSchedulingV1Alpha2, std::nullopt},
        Case{model::kSchedulingV1Alpha3, PreemptionPolicy::preempt_lower_priority},
        Case{model::kSchedulingV1Beta1, PreemptionPolicy::preempt_lower_priority}}) {
    SCOPED_TRACE(given.version);
    model::PodGroup group = *test::pod_group("g").api(given.version).build();
    EXPECT_EQ(lines(resolve_priority(group, classes)), Lines{});
    EXPECT_EQ(group.spec.priority, 5);
    EXPECT_EQ(group.spec.priority_class_name, "usual");
    EXPECT_EQ(group.spec.preemption_policy, given.policy);
  }
}

TEST(Priority, followsTheSameRulesForGroups) {
  model::PodGroup group = *test::pod_group("g").priority(3).build();
  EXPECT_EQ(lines(resolve_priority(group, PriorityClasses())), Lines{});
  EXPECT_EQ(group.spec.priority, 3);
  model::CompositePodGroup composite;
  composite.api_version = model::kSchedulingV1Alpha3;
  composite.spec.priority_class_name = "x";
  EXPECT_EQ(lines(resolve_priority(composite, PriorityClasses())),
            Lines{"spec.priorityClassName: no PriorityClass named 'x'"});
}

}  // namespace
}  // namespace tutti::admission
