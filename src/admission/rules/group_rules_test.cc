#include <gtest/gtest.h>

#include "admission/validate.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::CompositePodGroup;
using model::kSchedulingV1Alpha2;
using model::kSchedulingV1Alpha3;
using model::kSchedulingV1Beta1;
using model::PodGroup;
using model::PreemptionPolicy;
using model::WorkloadReference;
using test::bad_name;
using test::Lines;
using test::lines;

PodGroup gang(std::string_view version) {
  return *test::pod_group("g").gang(4).api(version).build();
}

CompositePodGroup composite() {
  CompositePodGroup made;
  made.api_version = kSchedulingV1Alpha3;
  made.meta.name = "c";
  made.meta.ns = "t";
  made.spec.policy = {true, 2};
  made.workload = WorkloadReference{"w", "c"};
  return made;
}

constexpr std::string_view kAllVersions[] = {kSchedulingV1Alpha2, kSchedulingV1Alpha3,
                                             kSchedulingV1Beta1};

TEST(PodGroupRules, holdInEveryVersion) {
  struct Case {
    const char* sentence;
    std::function<void(PodGroup&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"a gang", [](auto&) {}, {}},
      {"a gang of one", [](auto& group) { group.spec.policy.minimum = 1; }, {}},
      {"a gang of none",
       [](auto& group) { group.spec.policy.minimum = 0; },
       {"spec.schedulingPolicy.gang.minCount: must be at least 1, is 0"}},
      {"all or nothing without a gang",
       [](auto& group) {
         group.spec.policy = {};
         group.spec.disruption = model::DisruptionMode::all;
       },
       {}},
      {"a topology key", [](auto& group) { group.spec.topology_key = "example.com/rack"; }, {}},
      {"a topology key is a label's",
       [](auto& group) { group.spec.topology_key = "a b"; },
       {bad_name("spec.schedulingConstraints.topology[0].key", label_key_problem("a b"), "a b")}},
      {"the highest priority", [](auto& group) { group.spec.priority = 1000000000; }, {}},
      {"a priority kept for the system",
       [](auto& group) { group.spec.priority = 1000000001; },
       {"spec.priority: must be at most 1000000000, is 1000000001"}},
      {"the lowest priority", [](auto& group) { group.spec.priority = INT32_MIN; }, {}},
      {"a class is a DNS name",
       [](auto& group) { group.spec.priority_class_name = "A"; },
       {bad_name("spec.priorityClassName", dns_subdomain_problem("A"), "A")}},
      {"four claims",
       [](auto& group) {
         for (const char* name : {"a", "b", "c", "d"}) {
           group.spec.resource_claims.push_back({name, "claim", ""});
         }
       },
       {}},
      {"five claims",
       [](auto& group) {
         for (const char* name : {"a", "b", "c", "d", "e"}) {
           group.spec.resource_claims.push_back({name, "", "template"});
         }
       },
       {"spec.resourceClaims: must have at most 4 entries, has 5"}},
      {"a claim of no source",
       [](auto& group) {
         group.spec.resource_claims = {{"a", "", ""}};
       },
       {"spec.resourceClaims[0]: must have exactly one of resourceClaimName and "
        "resourceClaimTemplateName, has none"}},
      {"a claim twice",
       [](auto& group) {
         group.spec.resource_claims = {{"a", "x", ""}, {"a", "y", ""}};
       },
       {"spec.resourceClaims[1].name: must be unique, 'a' occurs more than once"}},
      {"the status of a claim",
       [](auto& group) {
         group.spec.resource_claims = {{"a", "", "x"}};
         group.claim_statuses = {{"a", "g-a-1"}};
       },
       {}},
      {"the status of no claim",
       [](auto& group) {
         group.claim_statuses = {{"a", "g-a-1"}};
       },
       {"status.resourceClaimStatuses[0].name: must be the name of an entry of "
        "spec.resourceClaims, is 'a'"}},
  };
  for (const std::string_view version : kAllVersions) {
    for (const Case& given : cases) {
      SCOPED_TRACE(std::string(version) + ": " + given.sentence);
      PodGroup group = gang(version);
      given.edit(group);
      EXPECT_EQ(lines(validate(group)), given.problems);
    }
  }
}

TEST(PodGroupRules, knowTheServedVersions) {
  EXPECT_EQ(lines(validate(gang("scheduling.k8s.io/v1alpha1"))),
            Lines{"apiVersion: must be one of scheduling.k8s.io/v1alpha2, "
                  "scheduling.k8s.io/v1alpha3, scheduling.k8s.io/v1beta1, is "
                  "'scheduling.k8s.io/v1alpha1'"});
}

TEST(PodGroupRules, nameTheTemplateAsTheVersionDoes) {
  for (const std::string_view version : kAllVersions) {
    SCOPED_TRACE(version);
    PodGroup group = gang(version);
    group.workload = WorkloadReference{"train.v2", "workers"};
    EXPECT_EQ(lines(validate(group)), Lines{});
    group.workload = WorkloadReference{"", "a.b"};
    const bool alpha2 = version == kSchedulingV1Alpha2;
    const std::string at = alpha2 ? "spec.podGroupTemplateRef.workload." : "spec.workloadRef.";
    EXPECT_EQ(lines(validate(group)),
              (Lines{at + "workloadName: is required",
                     bad_name(at + (alpha2 ? "podGroupTemplateName" : "templateName"),
                              dns_label_problem("a.b"), "a.b")}));
  }
}

TEST(PodGroupRules, askForAWorkloadBelowAParent) {
  PodGroup group = gang(kSchedulingV1Alpha3);
  group.parent = "c";
  EXPECT_EQ(lines(validate(group)),
            Lines{"spec.workloadRef: is required when a parent is named ('c')"});
  group.workload = WorkloadReference{"w", "workers"};
  EXPECT_EQ(lines(validate(group)), Lines{});
  group.parent = "C";
  EXPECT_EQ(lines(validate(group)),
            Lines{bad_name("spec.parentCompositePodGroupName", dns_subdomain_problem("C"), "C")});
}

TEST(PodGroupRules, refuseFieldsThatV1alpha2DoesNotHave) {
  PodGroup group = gang(kSchedulingV1Alpha2);
  group.parent = "c";
  group.spec.preemption_policy = PreemptionPolicy::never;
  EXPECT_EQ(lines(validate(group)),
            (Lines{"spec.preemptionPolicy: is not a field of scheduling.k8s.io/v1alpha2",
                   "spec.parentCompositePodGroupName: is not a field of "
                   "scheduling.k8s.io/v1alpha2"}));
  group = gang(kSchedulingV1Beta1);
  group.spec.preemption_policy = PreemptionPolicy::never;
  EXPECT_EQ(lines(validate(group)), Lines{});
}

TEST(CompositePodGroupRules, holdForItsOwnForm) {
  struct Case {
    const char* sentence;
    std::function<void(CompositePodGroup&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"a root", [](auto&) {}, {}},
      {"a child", [](auto& group) { group.parent = "root"; }, {}},
      {"a gang of no groups",
       [](auto& group) { group.spec.policy.minimum = 0; },
       {"spec.schedulingPolicy.gang.minGroupCount: must be at least 1, is 0"}},
      {"without a workload",
       [](auto& group) { group.workload.reset(); },
       {"spec.workloadRef: is required"}},
      {"with claims",
       [](auto& group) {
         group.spec.resource_claims = {{"a", "x", ""}};
       },
       {"spec.resourceClaims: is not a field of a composite group, has 1 entries"}},
      {"with a system priority",
       [](auto& group) { group.spec.priority = 2000000000; },
       {"spec.priority: must be at most 1000000000, is 2000000000"}},
      {"of another version",
       [](auto& group) { group.api_version = kSchedulingV1Beta1; },
       {"apiVersion: must be one of scheduling.k8s.io/v1alpha3, is "
        "'scheduling.k8s.io/v1beta1'"}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.sentence);
    CompositePodGroup group = composite();
    given.edit(group);
    EXPECT_EQ(lines(validate(group)), given.problems);
  }
}

}  // namespace
}  // namespace tutti::admission
