#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "admission/validate.h"
#include "admission/validate_update.h"
#include "support/decoded.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using test::Lines;
using test::lines;

struct QuotaCase {
  const char* sentence;
  std::string spec;
  Lines problems;
};

std::shared_ptr<model::Object> kueue(std::string_view kind, std::string_view rest,
                                     std::string_view version = "v1beta2") {
  const bool in_namespace = kind == "LocalQueue" || kind == "Workload";
  return test::decoded(
      fmt::format("{{apiVersion: kueue.x-k8s.io/{}, kind: {}, metadata: {{name: "
                  "x{}}}, {}}}",
                  version, kind, in_namespace ? ", namespace: t" : "", rest));
}

void demand(std::string_view kind, const std::vector<QuotaCase>& cases) {
  for (const QuotaCase& given : cases) {
    SCOPED_TRACE(given.sentence);
    const auto object = kueue(kind, fmt::format("spec: {{{}}}", given.spec));
    EXPECT_EQ(lines(validate(*object)), given.problems);
  }
}

std::string group(std::string_view amounts, std::string_view resource = "cpu",
                  std::string_view flavor = "f") {
  return fmt::format(
      "{{coveredResources: [{0}], flavors: [{{name: {1}, resources: [{{name: {0}, {2}}}]}}]}}",
      resource, flavor, amounts);
}

TEST(ClusterQueueRules, holdLimitsToTheCohort) {
  const std::string at = "spec.resourceGroups[0].flavors[0].resources[0].";
  const auto one = [](std::string_view amounts) {
    return fmt::format("resourceGroups: [{}]", group(amounts));
  };
  demand("ClusterQueue",
         {{"no quota", "", {}},
          {"a quota", one("nominalQuota: 4"), {}},
          {"limits in a cohort",
           "cohortName: c, " + one("nominalQuota: 4, borrowingLimit: 0, lendingLimit: 4"),
           {}},
          {"a negative quota",
           one("nominalQuota: -1"),
           {at + "nominalQuota: must be at least 0, is -1"}},
          {"limits without a cohort",
           one("nominalQuota: 4, borrowingLimit: 1, lendingLimit: 1"),
           {at + "borrowingLimit: must be absent without spec.cohortName, is 1",
            at + "lendingLimit: must be absent without spec.cohortName, is 1"}},
          {"lending more than there is",
           "cohortName: c, " + one("nominalQuota: 4, lendingLimit: 5"),
           {at + "lendingLimit: must be at most nominalQuota, which is 4, is 5"}}});
}

TEST(ClusterQueueRules, giveEachResourceAndFlavorOneGroup) {
  const std::string groups = "resourceGroups: [";
  demand("ClusterQueue",
         {{"two groups",
           groups + group("nominalQuota: 1") + "," + group("nominalQuota: 1", "memory", "g") + "]",
           {}},
          {"a flavor twice",
           groups + group("nominalQuota: 1") + "," + group("nominalQuota: 1", "memory") + "]",
           {"spec.resourceGroups[1].flavors[0].name: must be unique, 'f' occurs more than once"}},
          {"a resource twice",
           groups + group("nominalQuota: 1") + "," + group("nominalQuota: 1", "cpu", "g") + "]",
           {"spec.resourceGroups[1].coveredResources[0]: must be unique, 'cpu' occurs more than "
            "once"}},
          {"another order",
           groups + "{coveredResources: [cpu, memory], flavors: [{name: f, resources: [{name: "
                    "memory, nominalQuota: 1}, {name: cpu, nominalQuota: 1}]}]}]",
           {"spec.resourceGroups[0].flavors[0].resources[0].name: must be 'cpu' as in "
            "coveredResources[0], is 'memory'",
            "spec.resourceGroups[0].flavors[0].resources[1].name: must be 'memory' as in "
            "coveredResources[1], is 'cpu'"}},
          {"a resource that a flavor leaves out",
           groups + "{coveredResources: [cpu, memory], flavors: [{name: f, resources: [{name: cpu, "
                    "nominalQuota: 1}]}]}]",
           {"spec.resourceGroups[0].flavors[0].resources: must have one entry for each of "
            "coveredResources (2), has 1"}},
          {"nothing in a group",
           groups + "{}]",
           {"spec.resourceGroups[0].coveredResources: must have 1 to 64 entries, has 0",
            "spec.resourceGroups[0].flavors: must have 1 to 64 entries, has 0"}}});
}

TEST(ClusterQueueRules, boundTheNumberOfGroups) {
  std::string groups = "resourceGroups: [";
  for (int i = 0; i < 17; ++i) {
    groups += group("nominalQuota: 1", fmt::format("r{}", i), fmt::format("f{}", i)) + ",";
  }
  demand("ClusterQueue", {{"seventeen groups",
                           groups + "]",
                           {"spec.resourceGroups: must have at most 16 entries, has 17"}}});
}

TEST(ClusterQueueRules, checkPoliciesAndWords) {
  demand(
      "ClusterQueue",
      {{"reclaiming while borrowing",
        "preemption: {reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, "
        "maxPriorityThreshold: 5}}",
        {}},
       {"borrowing without reclaiming",
        "preemption: {borrowWithinCohort: {policy: LowerPriority}}",
        {"spec.preemption.borrowWithinCohort.policy: must be Never while reclaimWithinCohort is "
         "Never, is 'LowerPriority'"}},
       {"a preference without need",
        "flavorFungibility: {preference: PreemptionOverBorrowing}",
        {"spec.flavorFungibility.preference: must be absent unless whenCanBorrow and "
         "whenCanPreempt are TryNextFlavor"}},
       {"words of nobody",
        "stopPolicy: Pause, queueingStrategy: Lifo, preemption: {withinClusterQueue: Always}, "
        "flavorFungibility: {whenCanBorrow: Borrow}",
        {"spec.queueingStrategy: must be one of StrictFIFO, BestEffortFIFO, is 'Lifo'",
         "spec.flavorFungibility.whenCanBorrow: must be one of MayStopSearch, TryNextFlavor, is "
         "'Borrow'",
         "spec.preemption.withinClusterQueue: must be one of Never, LowerPriority, "
         "LowerOrNewerEqualPriority, is 'Always'",
         "spec.stopPolicy: must be one of None, Hold, HoldAndDrain, is 'Pause'"}},
       {"no weight", "fairSharing: {weight: 0}", {}},
       {"a negative weight",
        "fairSharing: {weight: -1}",
        {"spec.fairSharing.weight: must be at least 0, is -1"}},
       {"hardly a weight",
        "fairSharing: {weight: 1n}",
        {"spec.fairSharing.weight: must be 0 or above 1n, is 1n"}},
       {"a check on a flavor of another queue",
        "resourceGroups: [" + group("nominalQuota: 1") +
            "], admissionChecksStrategy: {admissionChecks: [{name: a, onFlavors: [f, g]}]}",
        {"spec.admissionChecksStrategy.admissionChecks[0].onFlavors[1]: must be a flavor of this "
         "queue, is 'g'"}},
       {"racing flavors in order",
        "queueingStrategy: StrictFIFO, concurrentAdmissionPolicy: {migration: {constraints: "
        "{lastAcceptableFlavorName: g}}}, resourceGroups: [" +
            group("nominalQuota: 1") + "]",
        {"spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName: must be "
         "a flavor of this queue, is 'g'",
         "spec.queueingStrategy: must not be StrictFIFO with concurrentAdmissionPolicy"}}});
}

TEST(ClusterQueueRules, knowTheWordsOfTheOlderVersion) {
  const auto queue = kueue("ClusterQueue",
                           "spec: {cohort: c, flavorFungibility: {whenCanBorrow: Borrow, "
                           "whenCanPreempt: Preempt}, resourceGroups: [" +
                               group("nominalQuota: 1, borrowingLimit: 1") + "]}",
                           "v1beta1");
  EXPECT_EQ(lines(validate(*queue)), Lines{});
}

TEST(CohortRules, letARootLendNothing) {
  const std::string at = "spec.resourceGroups[0].flavors[0].resources[0].";
  demand("Cohort",
         {{"lending more than its own",
           "parentName: p, resourceGroups: [" + group("nominalQuota: 1, lendingLimit: 9") + "]",
           {}},
          {"a limit at the root",
           "resourceGroups: [" + group("nominalQuota: 1, lendingLimit: 1") + "]",
           {at + "lendingLimit: must be absent without spec.parentName, is 1"}},
          {"its own parent, which waits for someone to notice", "parentName: x", {}}});
}

TEST(FlavorRules, checkLabelsTaintsAndTolerations) {
  demand("ResourceFlavor",
         {{"nothing", "", {}},
          {"a topology with labels", "topologyName: t, nodeLabels: {a: b}", {}},
          {"a topology without labels",
           "topologyName: t",
           {"spec.nodeLabels: must have at least one entry with topologyName"}},
          {"nine labels",
           "nodeLabels: {a: b, c: b, d: b, e: b, f: b, g: b, h: b, i: b, j: b}",
           {"spec.nodeLabels: must have at most 8 entries, has 9"}},
          {"an effect of nobody",
           "nodeTaints: [{key: a, effect: Never}]",
           {"spec.nodeTaints[0].effect: must be one of NoSchedule, PreferNoSchedule, NoExecute, "
            "is 'Never'"}},
          {"a comparison",
           "tolerations: [{key: a, operator: Gt, value: '1'}]",
           {"spec.tolerations[0].operator: must be Equal or Exists"}},
          {"a value for any value",
           "tolerations: [{key: a, operator: Exists, value: b}]",
           {"spec.tolerations[0].value: must be empty with operator Exists, is 'b'"}}});
}

TEST(QueueRules, checkTheSmallKinds) {
  demand("LocalQueue",
         {{"a queue", "clusterQueue: c", {}},
          {"a word of nobody",
           "clusterQueue: c, stopPolicy: Paused",
           {"spec.stopPolicy: must be one of None, Hold, HoldAndDrain, is 'Paused'"}}});
  demand("AdmissionCheck", {{"a check", "controllerName: example.com/c", {}},
                            {"nobody", "", {"spec.controllerName: is required"}}});
  EXPECT_EQ(lines(validate(*kueue("WorkloadPriorityClass", "value: 5"))), Lines{});
}

TEST(QueueRules, saysWhatMayNotChange) {
  const struct {
    const char* kind;
    const char* before;
    const char* after;
    Lines problems;
  } cases[] = {
      {"LocalQueue",
       "clusterQueue: a",
       "clusterQueue: b",
       {"spec.clusterQueue: is immutable: was 'a', is 'b'"}},
      {"ResourceFlavor", "nodeLabels: {a: b}", "nodeLabels: {a: b}, topologyName: t", {}},
      {"ResourceFlavor",
       "nodeLabels: {a: b}, topologyName: t",
       "nodeLabels: {a: c}, topologyName: u",
       {"spec.topologyName: is immutable: was 't', is 'u'"}},
      {"AdmissionCheck",
       "controllerName: a",
       "controllerName: b",
       {"spec.controllerName: is immutable: was 'a', is 'b'"}},
      {"ClusterQueue", "cohortName: a", "cohortName: b", {}},
  };
  for (const auto& [kind, before, after, problems] : cases) {
    SCOPED_TRACE(after);
    EXPECT_EQ(lines(validate_update(*kueue(kind, fmt::format("spec: {{{}}}", before)),
                                    *kueue(kind, fmt::format("spec: {{{}}}", after)))),
              problems);
  }
}

constexpr std::string_view kPods = "template: {spec: {containers: [{name: c}]}}";

TEST(AdmissionRequestRules, checkPodSets) {
  const auto sets = [](std::string_view text) { return fmt::format("podSets: [{}]", text); };
  const auto set = [](std::string_view text) { return fmt::format("{{{}, {}}}", text, kPods); };
  demand("Workload",
         {{"one set", sets(set("count: 3, minCount: 2")), {}},
          {"no set", "queueName: q", {"spec.podSets: must have 1 to 18 entries, has 0"}},
          {"a minimum above the count",
           sets(set("count: 3, minCount: 4")),
           {"spec.podSets[0].minCount: must be between 1 and count, which is 3, is 4"}},
          {"two minima and a name twice",
           sets(set("count: 3, minCount: 1") + "," + set("count: 3, minCount: 1")),
           {"spec.podSets[1].name: must be unique, 'main' occurs more than once",
            "spec.podSets: must have at most one entry with minCount, has 2"}},
          {"pods as a resource",
           sets("{template: {spec: {containers: [{name: c, resources: {requests: {pods: 1}}}]}}}"),
           {"spec.podSets[0].template.spec.containers[0].resources.requests[pods]: must be absent: "
            "pods are counted"}},
          {"a class without priority",
           sets(set("count: 1")) +
               ", priorityClassRef: {group: kueue.x-k8s.io, kind: PriorityClass, name: a}",
           {"spec.priority: is required with the name of a priority class",
            "spec.priorityClassRef.kind: must be WorkloadPriorityClass for the group "
            "'kueue.x-k8s.io', is 'PriorityClass'"}},
          {"no time at all",
           sets(set("count: 1")) + ", maximumExecutionTimeSeconds: 0",
           {"spec.maximumExecutionTimeSeconds: must be at least 1, is 0"}}});
}

std::string reserved_request(std::string_view spec, std::string_view status) {
  return fmt::format(
      "spec: {{podSets: [{{name: main, count: 3, {}}}], {}}}, status: {{conditions: [{{type: "
      "QuotaReserved, status: 'True'}}], {}}}",
      kPods, spec, status);
}

TEST(AdmissionRequestRules, checkWhatWasGiven) {
  const std::string given =
      "admission: {clusterQueue: c, podSetAssignments: [{name: main, flavors: {cpu: f}}]}";
  const struct {
    std::string status;
    Lines problems;
  } cases[] = {
      {given, {}},
      {"", {"status.admission: is required while QuotaReserved is True"}},
      {"admission: {clusterQueue: c, podSetAssignments: [{name: other}]}",
       {"status.admission.podSetAssignments[0].name: must be one of spec.podSets, is 'other'"}},
      {given + ", reclaimablePods: [{name: main, count: 4}]",
       {"status.reclaimablePods[0].count: must be at most the podSet's count, which is 3, is 4"}},
      {given + ", admissionChecks: [{name: a, state: Perhaps, message: ''}]",
       {"status.admissionChecks[0].state: must be one of Pending, Ready, Retry, Rejected, is "
        "'Perhaps'"}},
  };
  for (const auto& [status, problems] : cases) {
    SCOPED_TRACE(status);
    EXPECT_EQ(lines(validate(*kueue("Workload", reserved_request("queueName: q", status)))),
              problems);
  }
}

TEST(AdmissionRequestRules, freezeWhatQuotaWasReservedFor) {
  const std::string given = "admission: {clusterQueue: c, podSetAssignments: [{name: main}]}";
  const auto before = kueue("Workload", reserved_request("queueName: q", given));
  EXPECT_EQ(
      lines(validate_update(*before, *kueue("Workload", reserved_request("queueName: r", given)))),
      Lines{"spec.queueName: is immutable: was 'q', is 'r'"});
  EXPECT_EQ(
      lines(validate_update(
          *before, *kueue("Workload", reserved_request("queueName: q",
                                                       "admission: {clusterQueue: d, "
                                                       "podSetAssignments: [{name: main}]}")))),
      Lines{"status.admission: is immutable"});
  EXPECT_EQ(lines(validate_update(
                *before, *kueue("Workload", fmt::format("spec: {{queueName: r, podSets: [{{name: "
                                                        "main, count: 4, {}}}]}}",
                                                        kPods)))),
            Lines{"spec.podSets: is immutable while quota is reserved"});
}

}  // namespace
}  // namespace tutti::admission
