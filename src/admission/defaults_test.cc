#include "admission/defaults.h"

#include <gtest/gtest.h>

#include "model/cluster.h"
#include "support/build.h"

namespace tutti::admission {
namespace {

using model::PodSpec;
using model::Requirement;
using model::Toleration;
using test::pod;
using test::put;
using test::quantity;

model::Pod defaulted(const test::PodBuilder& builder) {
  SpecRewrites rewrites;
  model::Pod made = *builder.build();
  apply_defaults(made, rewrites);
  return made;
}

TEST(PodDefaults, fillInWhatIsAbsent) {
  const model::Pod made = defaulted(pod("a"));
  EXPECT_EQ(made.spec->scheduler_name, "default-scheduler");
  EXPECT_EQ(made.spec->restart_policy, "Always");
  EXPECT_EQ(made.spec->termination_grace_seconds, 30);
}

TEST(PodDefaults, keepWhatIsPresent) {
  const model::Pod made = defaulted(pod("a").scheduler("tutti").with([](PodSpec& spec) {
    spec.restart_policy = "Never";
    spec.termination_grace_seconds = 0;
  }));
  EXPECT_EQ(made.spec->scheduler_name, "tutti");
  EXPECT_EQ(made.spec->restart_policy, "Never");
  EXPECT_EQ(made.spec->termination_grace_seconds, 0);
}

TEST(PodDefaults, takeMissingRequestsFromLimits) {
  const model::Pod made = defaulted(pod("a").cpu("1").with([](PodSpec& spec) {
    put(spec.containers[0].limits, "cpu", quantity("2"));
    put(spec.containers[0].limits, "nvidia.com/gpu", quantity("8"));
  }));
  const model::ResourceList expected = {{"cpu", quantity("1")}, {"nvidia.com/gpu", quantity("8")}};
  EXPECT_EQ(made.spec->containers[0].requests, expected);
}

TEST(PodDefaults, openHostPortsOnTheHostsNetworkOnly) {
  const auto with_port = [](bool host_network) {
    return pod("a").with([=](PodSpec& spec) {
      spec.host_network = host_network;
      spec.containers[0].ports.push_back({80, 0, "", model::Protocol::tcp});
    });
  };
  EXPECT_EQ(defaulted(with_port(true)).spec->containers[0].ports[0].host_port, 80);
  EXPECT_EQ(defaulted(with_port(false)).spec->containers[0].ports[0].host_port, 0);
}

TEST(PodDefaults, tolerateALostNodeForFiveMinutes) {
  const std::vector<Toleration> expected = {
      {"node.kubernetes.io/not-ready", Toleration::Operator::exists, "", "NoExecute", 300},
      {"node.kubernetes.io/unreachable", Toleration::Operator::exists, "", "NoExecute", 300}};
  EXPECT_EQ(defaulted(pod("a")).spec->tolerations, expected);
}

TEST(PodDefaults, leaveThePodsOwnAnswerToALostNode) {
  const Toleration everything = {"", Toleration::Operator::exists, "", "", {}};
  EXPECT_EQ(defaulted(pod("a").toleration(everything)).spec->tolerations,
            std::vector<Toleration>{everything});
  const Toleration briefly = {"node.kubernetes.io/not-ready", Toleration::Operator::exists, "",
                              "NoExecute", 5};
  const auto tolerations = defaulted(pod("a").toleration(briefly)).spec->tolerations;
  ASSERT_EQ(tolerations.size(), 2U);
  EXPECT_EQ(tolerations[0], briefly);
  EXPECT_EQ(tolerations[1].key, "node.kubernetes.io/unreachable");
}

test::PodBuilder keyed(std::string hash) {
  return pod("a")
      .label("hash", std::move(hash))
      .affinity("zone", "app", "web")
      .with([](PodSpec& spec) {
        spec.affinity.required[0].match_label_keys = {"hash", "absent"};
        spec.affinity.required[0].mismatch_label_keys = {"tenant"};
      });
}

TEST(PodDefaults, mergeLabelKeysFromThePodsOwnLabels) {
  const model::Pod made = defaulted(keyed("x1").label("tenant", "blue"));
  const std::vector<Requirement> expected = {{"hash", Requirement::Operator::in, {"x1"}},
                                             {"tenant", Requirement::Operator::not_in, {"blue"}}};
  EXPECT_EQ(made.spec->affinity.required[0].selector->match_expressions, expected);
}

TEST(PodDefaults, changeNothingTheSecondTime) {
  SpecRewrites rewrites;
  model::Pod made = defaulted(keyed("x1").gate("g"));
  const auto spec = made.spec;
  apply_defaults(made, rewrites);
  EXPECT_EQ(made.spec, spec) << "the very same spec, not an equal copy";
  EXPECT_EQ(made.status.conditions.size(), 1U);
}

TEST(PodDefaults, leavePodsOfOneTemplateSharingASpec) {
  SpecRewrites rewrites;
  const model::Pod original = *pod("a").build();
  model::Pod first = original;
  model::Pod second = original;
  apply_defaults(first, rewrites);
  apply_defaults(second, rewrites);
  EXPECT_EQ(first.spec, second.spec);
  EXPECT_NE(first.spec, original.spec);
  EXPECT_EQ(original.spec->scheduler_name, "") << "a shared spec is not changed in place";
}

TEST(PodDefaults, separatePodsWhoseLabelsEnterTheSpec) {
  SpecRewrites rewrites;
  model::Pod first = *keyed("x1").build();
  model::Pod second = first;
  model::Pod third = first;
  test::put(second.meta.labels, "hash", std::string("x2"));
  test::put(third.meta.labels, "unrelated", std::string("y"));
  for (model::Pod* each : {&first, &second, &third}) apply_defaults(*each, rewrites);
  EXPECT_NE(first.spec, second.spec);
  EXPECT_EQ(first.spec, third.spec);
}

TEST(PodDefaults, sayThatAGatedPodIsGated) {
  const model::Pod made = defaulted(pod("a").gate("g"));
  const auto* const condition = model::find(made.status.conditions, "PodScheduled");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->status, "False");
  EXPECT_EQ(condition->reason, "SchedulingGated");
  EXPECT_TRUE(defaulted(pod("a")).status.conditions.empty());
}

TEST(NodeDefaults, offerTheCapacityUnlessTheNodeSaysLess) {
  SpecRewrites rewrites;
  model::Node node = *test::node("n1").build();
  node.allocatable.clear();
  apply_defaults(node, rewrites);
  EXPECT_EQ(node.allocatable, node.capacity);
  put(node.allocatable, "cpu", quantity("1"));
  const auto given = node.allocatable;
  apply_defaults(node, rewrites);
  EXPECT_EQ(node.allocatable, given);
}

TEST(NamespaceDefaults, labelItWithItsName) {
  SpecRewrites rewrites;
  model::Namespace ns;
  ns.meta.name = "ml";
  ns.meta.labels = {{"team", "x"}};
  apply_defaults(ns, rewrites);
  const model::Labels expected = {{"kubernetes.io/metadata.name", "ml"}, {"team", "x"}};
  EXPECT_EQ(ns.meta.labels, expected);
}

TEST(GroupDefaults, giveABasicGroupTheMinimumOne) {
  SpecRewrites rewrites;
  model::PodGroup group = *test::pod_group("g").build();
  group.spec.policy.minimum = 0;
  apply_defaults(group, rewrites);
  EXPECT_EQ(group.spec.policy.minimum, 1);
  EXPECT_FALSE(group.spec.disruption) << "what nobody wrote stays unwritten";
  group.spec.policy = {true, 8};
  apply_defaults(group, rewrites);
  EXPECT_EQ(group.spec.policy.minimum, 8);
}

model::StorageClass storage_class(std::string name, bool is_default, int created) {
  model::StorageClass made;
  made.meta.name = std::move(name);
  made.meta.created = Instant(Millis(created));
  made.is_default = is_default;
  return made;
}

TEST(ClaimDefaults, takeTheNewestDefaultClass) {
  const auto plain = storage_class("a", false, 9);
  const auto older = storage_class("b", true, 1);
  const auto newer = storage_class("d", true, 2);
  const auto twin = storage_class("c", true, 2);
  const std::vector<const model::StorageClass*> classes = {&plain, &older, &newer, &twin};
  model::PersistentVolumeClaim claim;
  apply_default_class(claim, classes);
  EXPECT_EQ(claim.storage_class, "c");
}

TEST(ClaimDefaults, leaveAChoiceAlone) {
  const auto fast = storage_class("fast", true, 1);
  const std::vector<const model::StorageClass*> classes = {&fast};
  model::PersistentVolumeClaim claim;
  claim.storage_class = "";
  apply_default_class(claim, classes);
  EXPECT_EQ(claim.storage_class, "");
  claim.storage_class.reset();
  apply_default_class(claim, {});
  EXPECT_EQ(claim.storage_class, std::nullopt);
}

TEST(ClaimDefaults, mountAFilesystem) {
  SpecRewrites rewrites;
  model::PersistentVolumeClaim claim;
  apply_defaults(claim, rewrites);
  EXPECT_EQ(claim.volume_mode, "Filesystem");
}

}  // namespace
}  // namespace tutti::admission
