#include <gtest/gtest.h>

#include "admission/validate.h"
#include "model/group.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::GroupTemplate;
using model::kSchedulingV1Alpha2;
using model::kSchedulingV1Alpha3;
using model::kSchedulingV1Beta1;
using model::Workload;
using test::bad_name;
using test::Lines;
using test::lines;

GroupTemplate leaf_template(std::string name) {
  GroupTemplate made;
  made.name = std::move(name);
  made.spec.policy = {true, 2};
  return made;
}

GroupTemplate composite_template(std::string name, std::vector<GroupTemplate> pod_groups,
                                 std::vector<GroupTemplate> composites = {}) {
  GroupTemplate made = leaf_template(std::move(name));
  made.pod_groups = std::move(pod_groups);
  made.composites = std::move(composites);
  return made;
}

Workload workload(std::string_view version, std::vector<GroupTemplate> pod_groups,
                  std::vector<GroupTemplate> composites = {}) {
  Workload made;
  made.api_version = version;
  made.meta.name = "w";
  made.meta.ns = "t";
  made.pod_groups = std::move(pod_groups);
  made.composites = std::move(composites);
  return made;
}

std::vector<GroupTemplate> leaves(int count) {
  std::vector<GroupTemplate> made;
  for (int i = 0; i < count; ++i) made.push_back(leaf_template("l" + std::to_string(i)));
  return made;
}

TEST(WorkloadRules, askForTemplatesAsTheVersionDoes) {
  const Lines need_one = {"spec.podGroupTemplates: must have at least one entry, has 0"};
  const Lines none = {
      "spec: must have exactly one of podGroupTemplates and compositePodGroupTemplates, has none"};
  const Lines both = {
      "spec: must have exactly one of podGroupTemplates and compositePodGroupTemplates, has both"};
  const auto tree = composite_template("c", {leaf_template("b")});

  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha2, {leaf_template("a")}))), Lines{});
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha2, {}))), need_one);
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha2, {leaf_template("a")}, {tree}))),
            Lines{"spec.compositePodGroupTemplates: is not a field of scheduling.k8s.io/v1alpha2"});
  for (const std::string_view version : {kSchedulingV1Alpha3, kSchedulingV1Beta1}) {
    SCOPED_TRACE(version);
    EXPECT_EQ(lines(validate(workload(version, {leaf_template("a")}))), Lines{});
    EXPECT_EQ(lines(validate(workload(version, {}, {tree}))), Lines{});
    EXPECT_EQ(lines(validate(workload(version, {}))), none);
    EXPECT_EQ(lines(validate(workload(version, {leaf_template("a")}, {tree}))), both);
  }
}

TEST(WorkloadRules, allowEightTemplatesInAList) {
  for (const std::string_view version : {kSchedulingV1Alpha2, kSchedulingV1Beta1}) {
    EXPECT_EQ(lines(validate(workload(version, leaves(8)))), Lines{});
    EXPECT_EQ(lines(validate(workload(version, leaves(9)))),
              Lines{"spec.podGroupTemplates: must have at most 8 entries, has 9"});
  }
  EXPECT_EQ(
      lines(validate(workload(kSchedulingV1Alpha3, {}, {composite_template("c", leaves(9))}))),
      Lines{"spec.compositePodGroupTemplates[0].podGroupTemplates: must have at most 8 "
            "entries, has 9"});
}

TEST(WorkloadRules, nameEachTemplateOnceInTheWholeTree) {
  EXPECT_EQ(
      lines(validate(workload(kSchedulingV1Alpha2, {leaf_template("a"), leaf_template("a")}))),
      Lines{"spec.podGroupTemplates[1].name: must be unique, 'a' occurs more than once"});
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha3, {},
                                    {composite_template("c", {leaf_template("a")}),
                                     composite_template("d", {leaf_template("a")})}))),
            Lines{"spec.compositePodGroupTemplates[1].podGroupTemplates[0].name: must be unique, "
                  "'a' occurs more than once"});
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha3, {},
                                    {composite_template("a", {leaf_template("a")})}))),
            Lines{"spec.compositePodGroupTemplates[0].podGroupTemplates[0].name: must be unique, "
                  "'a' occurs more than once"});
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Beta1, {leaf_template("a.b")}))),
            Lines{bad_name("spec.podGroupTemplates[0].name", dns_label_problem("a.b"), "a.b")});
}

TEST(WorkloadRules, allowFourLevels) {
  const auto three = composite_template(
      "c1", {}, {composite_template("c2", {}, {composite_template("c3", {leaf_template("l")})})});
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha3, {}, {three}))), Lines{});
  const auto four = composite_template("c0", {}, {three});
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha3, {}, {four}))),
            Lines{"spec.compositePodGroupTemplates[0].compositePodGroupTemplates[0]"
                  ".compositePodGroupTemplates[0].compositePodGroupTemplates[0]: must lie in at "
                  "most 2 composites (4 levels with the PodGroups), lies in 3"});
}

TEST(WorkloadRules, giveEachCompositeAChild) {
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha3, {}, {composite_template("c", {})}))),
            Lines{"spec.compositePodGroupTemplates[0]: must have at least one child template, has "
                  "0"});
}

TEST(WorkloadRules, wantOnePriorityInAllTemplatesSinceV1alpha3) {
  auto urgent = leaf_template("b");
  urgent.spec.priority = 7;
  urgent.spec.priority_class_name = "urgent";
  const Lines expected = {
      "spec.podGroupTemplates[1].priorityClassName: must be '' as in template 'a', is 'urgent'",
      "spec.podGroupTemplates[1].priority: must be absent as in template 'a', is 7"};
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha3, {leaf_template("a"), urgent}))), expected);
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Beta1, {leaf_template("a"), urgent}))), expected);
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha2, {leaf_template("a"), urgent}))), Lines{});
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Beta1, {urgent}))), Lines{});
  EXPECT_EQ(validate(workload(kSchedulingV1Alpha3, {}, {composite_template("c", {urgent})})).size(),
            2U);
}

TEST(WorkloadRules, holdTemplatesToTheRulesOfGroups) {
  auto bad = composite_template("c", {leaf_template("l")});
  bad.spec.policy.minimum = 0;
  bad.pod_groups[0].spec.policy.minimum = 0;
  EXPECT_EQ(lines(validate(workload(kSchedulingV1Alpha3, {}, {bad}))),
            (Lines{"spec.compositePodGroupTemplates[0].schedulingPolicy.gang.minGroupCount: must "
                   "be at least 1, is 0",
                   "spec.compositePodGroupTemplates[0].podGroupTemplates[0].schedulingPolicy.gang"
                   ".minCount: must be at least 1, is 0"}));
}

TEST(WorkloadRules, checkTheControllersName) {
  auto given = workload(kSchedulingV1Beta1, {leaf_template("a")});
  given.controller = model::ControllerReference{"batch", "Job", "train"};
  EXPECT_EQ(lines(validate(given)), Lines{});
  given.controller = model::ControllerReference{"", "Pod", "train"};
  EXPECT_EQ(lines(validate(given)), Lines{});
  given.controller = model::ControllerReference{"Batch", "", "a/b"};
  EXPECT_EQ(lines(validate(given)),
            (Lines{bad_name("spec.controllerRef.apiGroup", dns_subdomain_problem("Batch"), "Batch"),
                   "spec.controllerRef.kind: is required",
                   "spec.controllerRef.name: must not contain '/' or '%' nor be '.' or '..', is "
                   "'a/b'"}));
}

}  // namespace
}  // namespace tutti::admission
