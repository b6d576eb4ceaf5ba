#include <gtest/gtest.h>

#include "admission/validate_update.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::NodeSelectorTerm;
using model::Pod;
using model::PodSpec;
using model::Requirement;
using model::Toleration;
using test::Lines;
using test::lines;
using test::pod;
using test::put;
using test::quantity;

struct UpdateCase {
  const char* sentence;
  std::function<void(PodSpec&)> edit;
  Lines problems;
};

void expect_each(const test::PodBuilder& before, const std::vector<UpdateCase>& cases) {
  for (const UpdateCase& given : cases) {
    SCOPED_TRACE(given.sentence);
    test::PodBuilder after = before;
    after.with(given.edit);
    EXPECT_EQ(lines(validate_update(*before.build(), *after.build())), given.problems);
  }
}

const Toleration kGpu = {"gpu", Toleration::Operator::exists, "", "NoSchedule", {}};
const Toleration kDrain = {"drain", Toleration::Operator::exists, "", "NoExecute", 60};

TEST(PodUpdate, changesOnlyWhatMayChange) {
  const auto before = pod("a").cpu("1").toleration(kGpu).toleration(kDrain).with([](PodSpec& spec) {
    spec.active_deadline_seconds = 100;
    spec.termination_grace_seconds = 30;
  });
  expect_each(
      before,
      {
          {"nothing", [](PodSpec&) {}, {}},
          {"an image", [](PodSpec& spec) { spec.containers[0].image = "other"; }, {}},
          {"a container's name",
           [](PodSpec& spec) { spec.containers[0].name = "other"; },
           {"spec.containers[0].name: is immutable: was 'main', is 'other'"}},
          {"a container more",
           [](PodSpec& spec) { spec.containers.emplace_back(); },
           {"spec.containers: must keep its 1 entries, has 2"}},
          {"a request",
           [](PodSpec& spec) { put(spec.containers[0].requests, "cpu", quantity("2")); },
           {"spec.containers[0].resources.requests: is immutable"}},
          {"the same request in other words",
           [](PodSpec& spec) { put(spec.containers[0].requests, "cpu", quantity("1000m")); },
           {}},
          {"a toleration more",
           [](PodSpec& spec) {
             spec.tolerations.push_back({"x", Toleration::Operator::exists, "", "", {}});
           },
           {}},
          {"a toleration less",
           [](PodSpec& spec) { spec.tolerations.erase(spec.tolerations.begin()); },
           {"spec.tolerations: may only gain entries, lost the one of key 'gpu'"}},
          {"another toleration",
           [](PodSpec& spec) { spec.tolerations[0].effect.clear(); },
           {"spec.tolerations: may only gain entries, lost the one of key 'gpu'"}},
          {"how long it tolerates a drain",
           [](PodSpec& spec) { spec.tolerations[1].toleration_seconds = 10; },
           {}},
          {"a shorter deadline", [](PodSpec& spec) { spec.active_deadline_seconds = 50; }, {}},
          {"a longer deadline",
           [](PodSpec& spec) { spec.active_deadline_seconds = 101; },
           {"spec.activeDeadlineSeconds: may only be set or shortened: was 100, is 101"}},
          {"no deadline",
           [](PodSpec& spec) { spec.active_deadline_seconds.reset(); },
           {"spec.activeDeadlineSeconds: may only be set or shortened: was 100, is absent"}},
          {"the grace period",
           [](PodSpec& spec) { spec.termination_grace_seconds = 1; },
           {"spec.terminationGracePeriodSeconds: is immutable"}},
          {"the group",
           [](PodSpec& spec) { spec.scheduling_group = "g"; },
           {"spec.schedulingGroup.podGroupName: is immutable: was '', is 'g'"}},
          {"the scheduler",
           [](PodSpec& spec) { spec.scheduler_name = "tutti"; },
           {"spec.schedulerName: is immutable: was '', is 'tutti'"}},
          {"the priority class",
           [](PodSpec& spec) { spec.priority_class_name = "high"; },
           {"spec.priorityClassName: is immutable: was '', is 'high'"}},
          {"the node selector",
           [](PodSpec& spec) { put(spec.node_selector, "a", std::string("b")); },
           {"spec.nodeSelector: is immutable"}},
          {"the node affinity",
           [](PodSpec& spec) { spec.node_affinity.required.emplace(1); },
           {"spec.affinity.nodeAffinity: is immutable"}},
          {"the spread",
           [](PodSpec& spec) { spec.spread.emplace_back(); },
           {"spec.topologySpreadConstraints: is immutable"}},
          {"a gate more",
           [](PodSpec& spec) { spec.scheduling_gates = {"g"}; },
           {"spec.schedulingGates: may only lose entries, gained 'g'"}},
      });
}

TEST(PodUpdate, setsADeadlineThatWasAbsentAndRepairsANegativeGracePeriod) {
  const auto before = pod("a").with([](PodSpec& spec) { spec.termination_grace_seconds = -5; });
  expect_each(
      before,
      {
          {"a first deadline", [](PodSpec& spec) { spec.active_deadline_seconds = 10; }, {}},
          {"a grace period of one second",
           [](PodSpec& spec) { spec.termination_grace_seconds = 1; },
           {}},
          {"a grace period of two",
           [](PodSpec& spec) { spec.termination_grace_seconds = 2; },
           {"spec.terminationGracePeriodSeconds: is immutable"}},
      });
}

Requirement in(std::string key, std::string value) {
  return {std::move(key), Requirement::Operator::in, {std::move(value)}};
}

TEST(PodUpdate, narrowsTheNodesOfAGatedPod) {
  const auto before =
      pod("a").gate("g").gate("h").node_selector("pool", "gpu").with([](PodSpec& spec) {
        spec.node_affinity.required = {NodeSelectorTerm{{in("zone", "a")}, {}}};
      });
  const Lines wider = {
      "spec.affinity.nodeAffinity: may only be narrowed while the pod is gated: keep each required "
      "term, adding requirements at its end"};
  expect_each(
      before,
      {
          {"a gate less", [](PodSpec& spec) { spec.scheduling_gates = {"h"}; }, {}},
          {"no gate", [](PodSpec& spec) { spec.scheduling_gates.clear(); }, {}},
          {"another gate",
           [](PodSpec& spec) { spec.scheduling_gates = {"x"}; },
           {"spec.schedulingGates: may only lose entries, gained 'x'"}},
          {"one label more",
           [](PodSpec& spec) { put(spec.node_selector, "rack", std::string("r1")); },
           {}},
          {"another label",
           [](PodSpec& spec) { spec.node_selector.edit()[0].second = "cpu"; },
           {"spec.nodeSelector[pool]: may only gain entries while the pod is gated; 'gpu' must "
            "stay"}},
          {"one requirement more",
           [](PodSpec& spec) {
             spec.node_affinity.required->front().match_expressions.push_back(in("rack", "r1"));
           },
           {}},
          {"one requirement less",
           [](PodSpec& spec) { spec.node_affinity.required->front().match_expressions.clear(); },
           wider},
          {"one alternative more",
           [](PodSpec& spec) {
             spec.node_affinity.required->push_back({{in("zone", "b")}, {}});
           },
           wider},
          {"no requirement at all", [](PodSpec& spec) { spec.node_affinity.required.reset(); },
           wider},
          {"a preference",
           [](PodSpec& spec) {
             spec.node_affinity.preferred = {{1, {{in("zone", "a")}, {}}}};
           },
           {}},
      });
}

TEST(PodUpdate, givesAGatedPodItsFirstNodeAffinityButNeverFillsAnEmptyTerm) {
  const auto set = [](PodSpec& spec) {
    spec.node_affinity.required = {NodeSelectorTerm{{in("zone", "a")}, {}}};
  };
  expect_each(pod("a").gate("g"), {{"the first", set, {}}});
  const auto nowhere = pod("a").gate("g").with(
      [](PodSpec& spec) { spec.node_affinity.required = {NodeSelectorTerm{}}; });
  expect_each(nowhere, {{"a term that matched nothing would match something",
                         set,
                         {"spec.affinity.nodeAffinity: may only be narrowed while the pod is "
                          "gated: keep each required term, adding requirements at its end"}}});
}

TEST(PodUpdate, leavesTheNodeToBinding) {
  const Pod before = *pod("a").build();
  Pod after = before;
  after.node_name = "n1";
  EXPECT_EQ(lines(validate_update(before, after)),
            Lines{"spec.nodeName: changes by binding only: was '', is 'n1'"});
}

TEST(PodUpdate, keepsThePriorityAndLetsStatusAndLabelsChange) {
  const Pod before = *pod("a").priority(1).build();
  Pod after = before;
  after.meta.labels = {{"app", "web"}};
  after.status.nominated_node = "n1";
  EXPECT_EQ(lines(validate_update(before, after)), Lines{});
  after.priority = 2;
  after.preemption_policy = model::PreemptionPolicy::never;
  EXPECT_EQ(lines(validate_update(before, after)),
            (Lines{"spec.priority: is immutable", "spec.preemptionPolicy: is immutable"}));
}

TEST(Binding, takesAFreePod) {
  EXPECT_EQ(lines(validate_binding(*pod("a").build(), "n1")), Lines{});
}

TEST(Binding, refusesAPodThatIsBoundGatedLeavingOrDone) {
  EXPECT_EQ(lines(validate_binding(*pod("a").on("n2").build(), "n1")),
            Lines{"spec.nodeName: must be empty to bind to 'n1', is 'n2'"});
  EXPECT_EQ(lines(validate_binding(*pod("a").gate("g").build(), "n1")),
            Lines{"spec.schedulingGates: must be empty to bind to 'n1', has 1 entries"});
  Pod leaving = *pod("a").build();
  leaving.meta.deletion = Instant();
  EXPECT_EQ(lines(validate_binding(leaving, "n1")),
            Lines{"metadata.deletionTimestamp: must be absent to bind to 'n1'"});
  Pod done = *pod("a").build();
  done.status.phase = model::PodPhase::failed;
  EXPECT_EQ(lines(validate_binding(done, "n1")),
            Lines{"status.phase: must not be Failed to bind to 'n1'"});
}

}  // namespace
}  // namespace tutti::admission
