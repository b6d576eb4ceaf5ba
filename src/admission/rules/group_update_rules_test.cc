#include <gtest/gtest.h>

#include "admission/validate_update.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::CompositePodGroup;
using model::GroupTemplate;
using model::kSchedulingV1Alpha2;
using model::kSchedulingV1Alpha3;
using model::kSchedulingV1Beta1;
using model::PodGroup;
using model::Workload;
using test::Lines;
using test::lines;

template <typename T>
Lines change(const T& before, const std::function<void(T&)>& edit) {
  T after = before;
  edit(after);
  return lines(validate_update(before, after));
}

TEST(PodGroupUpdate, movesTheMinimumSinceV1alpha3) {
  const auto grow = [](PodGroup& group) { group.spec.policy.minimum = 8; };
  const auto of = [](std::string_view version) {
    return *test::pod_group("g").gang(4).api(version).build();
  };
  EXPECT_EQ(change<PodGroup>(of(kSchedulingV1Alpha2), grow),
            Lines{"spec.schedulingPolicy.gang.minCount: is immutable: was 4, is 8"});
  EXPECT_EQ(change<PodGroup>(of(kSchedulingV1Alpha3), grow), Lines{});
  EXPECT_EQ(change<PodGroup>(of(kSchedulingV1Beta1), grow), Lines{});
}

TEST(PodGroupUpdate, freezesTheRestInEveryVersion) {
  struct Case {
    const char* sentence;
    std::function<void(PodGroup&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"nothing", [](auto&) {}, {}},
      {"the choice of policy",
       [](auto& group) { group.spec.policy = {}; },
       {"spec.schedulingPolicy: is immutable: was gang, is basic"}},
      {"the topology",
       [](auto& group) { group.spec.topology_key = "rack"; },
       {"spec.schedulingConstraints.topology[0].key: is immutable: was '', is 'rack'"}},
      {"the claims",
       [](auto& group) {
         group.spec.resource_claims = {{"a", "x", ""}};
       },
       {"spec.resourceClaims: is immutable"}},
      {"the disruption mode",
       [](auto& group) { group.spec.disruption = model::DisruptionMode::all; },
       {"spec.disruptionMode: is immutable"}},
      {"the priority",
       [](auto& group) {
         group.spec.priority = 3;
         group.spec.priority_class_name = "high";
       },
       {"spec.priorityClassName: is immutable: was '', is 'high'", "spec.priority: is immutable"}},
      {"the parent",
       [](auto& group) { group.parent = "c"; },
       {"spec.parentCompositePodGroupName: is immutable: was '', is 'c'"}},
      {"a condition", [](auto& group) { group.conditions.edit().resize(1); }, {}},
  };
  for (const auto version : {kSchedulingV1Alpha2, kSchedulingV1Alpha3, kSchedulingV1Beta1}) {
    for (const Case& given : cases) {
      SCOPED_TRACE(std::string(version) + ": " + given.sentence);
      EXPECT_EQ(change<PodGroup>(*test::pod_group("g").gang(4).api(version).build(), given.edit),
                given.problems);
    }
  }
}

TEST(PodGroupUpdate, namesTheReferenceAsTheVersionDoes) {
  const auto refer = [](PodGroup& group) { group.workload = model::WorkloadReference{"w", "t"}; };
  EXPECT_EQ(change<PodGroup>(*test::pod_group("g").api(kSchedulingV1Alpha2).build(), refer),
            Lines{"spec.podGroupTemplateRef: is immutable"});
  EXPECT_EQ(change<PodGroup>(*test::pod_group("g").build(), refer),
            Lines{"spec.workloadRef: is immutable"});
}

TEST(GroupUpdate, keepsTheVersion) {
  EXPECT_EQ(change<PodGroup>(*test::pod_group("g").build(),
                             [](PodGroup& group) { group.api_version = kSchedulingV1Alpha3; }),
            Lines{"apiVersion: is immutable: was 'scheduling.k8s.io/v1beta1', is "
                  "'scheduling.k8s.io/v1alpha3'"});
}

TEST(CompositeUpdate, freezesTheMinimumToo) {
  CompositePodGroup before;
  before.api_version = kSchedulingV1Alpha3;
  before.spec.policy = {true, 2};
  EXPECT_EQ(change<CompositePodGroup>(before, [](auto&) {}), Lines{});
  EXPECT_EQ(change<CompositePodGroup>(before, [](auto& group) { group.spec.policy.minimum = 1; }),
            Lines{"spec.schedulingPolicy.gang.minGroupCount: is immutable: was 2, is 1"});
  EXPECT_EQ(change<CompositePodGroup>(before, [](auto& group) { group.parent = "root"; }),
            Lines{"spec.parentCompositePodGroupName: is immutable: was '', is 'root'"});
}

GroupTemplate template_leaf(std::string name) {
  GroupTemplate made;
  made.name = std::move(name);
  made.spec.policy = {true, 2};
  return made;
}

Workload flat(std::string_view version) {
  Workload made;
  made.api_version = version;
  made.pod_groups = {template_leaf("a"), template_leaf("b")};
  return made;
}

Workload nested() {
  Workload made;
  made.api_version = kSchedulingV1Alpha3;
  made.composites = {template_leaf("c")};
  made.composites[0].pod_groups = {template_leaf("a")};
  return made;
}

TEST(WorkloadUpdate, freezesTheTemplatesOfV1alpha2AsAWhole) {
  EXPECT_EQ(change<Workload>(flat(kSchedulingV1Alpha2), [](auto&) {}), Lines{});
  EXPECT_EQ(change<Workload>(flat(kSchedulingV1Alpha2),
                             [](auto& after) { after.pod_groups[0].spec.policy.minimum = 3; }),
            Lines{"spec.podGroupTemplates: is immutable"});
}

TEST(WorkloadUpdate, movesOnlyMinimaSinceV1alpha3) {
  struct Case {
    const char* sentence;
    std::function<void(Workload&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"a minimum", [](auto& after) { after.pod_groups[1].spec.policy.minimum = 3; }, {}},
      {"the order", [](auto& after) { std::swap(after.pod_groups[0], after.pod_groups[1]); }, {}},
      {"a policy",
       [](auto& after) { after.pod_groups[1].spec.policy = {}; },
       {"spec.podGroupTemplates[1].schedulingPolicy: is immutable: was gang, is basic"}},
      {"a template more",
       [](auto& after) { after.pod_groups.push_back(template_leaf("x")); },
       {"spec.podGroupTemplates: must not gain a template, gained 'x'"}},
      {"a template less",
       [](auto& after) { after.pod_groups.pop_back(); },
       {"spec.podGroupTemplates: must not lose a template, lost 'b'"}},
      {"another name",
       [](auto& after) { after.pod_groups[1].name = "x"; },
       {"spec.podGroupTemplates: must not lose a template, lost 'b'",
        "spec.podGroupTemplates: must not gain a template, gained 'x'"}},
      {"the controller",
       [](auto& after) {
         after.controller = model::ControllerReference{"batch", "Job", "j"};
       },
       {"spec.controllerRef: is immutable"}},
  };
  for (const auto version : {kSchedulingV1Alpha3, kSchedulingV1Beta1}) {
    for (const Case& given : cases) {
      SCOPED_TRACE(std::string(version) + ": " + given.sentence);
      EXPECT_EQ(change<Workload>(flat(version), given.edit), given.problems);
    }
  }
}

TEST(WorkloadUpdate, movesMinimaOfPodGroupsInsideCompositesOnly) {
  EXPECT_EQ(
      change<Workload>(
          nested(), [](auto& after) { after.composites[0].pod_groups[0].spec.policy.minimum = 3; }),
      Lines{});
  EXPECT_EQ(
      change<Workload>(nested(), [](auto& after) { after.composites[0].spec.policy.minimum = 3; }),
      Lines{"spec.compositePodGroupTemplates[0].schedulingPolicy.gang.minGroupCount: is "
            "immutable: was 2, is 3"});
  EXPECT_EQ(
      change<Workload>(nested(),
                       [](auto& after) { after.composites[0].composites = {template_leaf("d")}; }),
      Lines{"spec.compositePodGroupTemplates[0].compositePodGroupTemplates: must not gain a "
            "template, gained 'd'"});
}

}  // namespace
}  // namespace tutti::admission
