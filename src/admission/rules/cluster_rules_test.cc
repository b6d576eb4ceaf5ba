#include <gtest/gtest.h>

#include "admission/validate.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/storage.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using test::bad_name;
using test::Lines;
using test::lines;
using test::node;
using test::quantity;

template <typename T>
T named(std::string name, std::string ns = {}) {
  T made;
  made.meta.name = std::move(name);
  made.meta.ns = std::move(ns);
  return made;
}

TEST(NodeRules, boundAmountsFromBelow) {
  EXPECT_EQ(lines(validate(*node("n1").cpu("0").build())), Lines{});
  EXPECT_EQ(lines(validate(*node("n1").cpu("-1").build())),
            (Lines{"status.capacity[cpu]: must be at least 0, is -1",
                   "status.allocatable[cpu]: must be at least 0, is -1"}));
  EXPECT_EQ(lines(validate(*node("n1").allocatable("nvidia.com/gpu", "8").build())), Lines{});
  EXPECT_EQ(lines(validate(*node("n1").image("busybox", -1).build())),
            Lines{"status.images[0].sizeBytes: must be at least 0, is -1"});
}

TEST(NodeRules, checkTaints) {
  EXPECT_EQ(lines(validate(*node("n1").taint("gpu", "a100", "NoSchedule").build())), Lines{});
  EXPECT_EQ(lines(validate(
                *node("n1").taint("gpu", "", "NoSchedule").taint("gpu", "", "NoExecute").build())),
            Lines{});
  EXPECT_EQ(
      lines(validate(*node("n1").taint("gpu", "", "Never").build())),
      Lines{"spec.taints[0].effect: must be one of NoSchedule, PreferNoSchedule, NoExecute, is "
            "'Never'"});
  EXPECT_EQ(lines(validate(*node("n1").taint("", "", "NoSchedule").build())),
            Lines{"spec.taints[0].key: is required"});
  EXPECT_EQ(
      lines(validate(
          *node("n1").taint("gpu", "a", "NoSchedule").taint("gpu", "b", "NoSchedule").build())),
      Lines{"spec.taints[1]: must be unique, 'gpu:NoSchedule' occurs more than once"});
}

TEST(PriorityClassRules, keepTheHighestNumbersForTheSystem) {
  struct Case {
    const char* name;
    std::int32_t value;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"high", 1000000000, {}},
      {"low", -2147483647, {}},
      {"higher", 1000000001, {"value: must be at most 1000000000, is 1000000001"}},
      {"system-node-critical", 2000001000, {}},
      {"system-cluster-critical", 2000000000, {}},
      {"system-node-critical",
       5,
       {"value: must be 2000001000 for the system class 'system-node-critical', is 5"}},
      {"system-mine",
       5,
       {"metadata.name: must not begin with 'system-', which is kept for the system's classes, is "
        "'system-mine'"}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.name);
    auto priority_class = named<model::PriorityClass>(given.name);
    priority_class.value = given.value;
    EXPECT_EQ(lines(validate(priority_class)), given.problems);
  }
}

TEST(BudgetRules, checkSelectorAndCount) {
  auto budget = named<model::PodDisruptionBudget>("b", "t");
  EXPECT_EQ(lines(validate(budget)), Lines{});
  budget.selector = model::LabelSelector{{{"app", "web"}}, {}};
  budget.disruptions_allowed = -1;
  EXPECT_EQ(lines(validate(budget)), Lines{"status.disruptionsAllowed: must be at least 0, is -1"});
  budget.disruptions_allowed = 0;
  budget.min_available = {101, true};
  EXPECT_EQ(lines(validate(budget)), Lines{"spec.minAvailable: must not be above 100%"});
  budget.min_available = {1, false};
  budget.max_unavailable = {-1, false};
  EXPECT_EQ(lines(validate(budget)),
            (Lines{"spec: minAvailable and maxUnavailable exclude each other: give one",
                   "spec.maxUnavailable: must be at least 0, is -1"}));
  budget.max_unavailable.reset();
  budget.selector->match_labels[0].second = "a b";
  EXPECT_EQ(lines(validate(budget)),
            Lines{bad_name("spec.selector.matchLabels[app]", label_value_problem("a b"), "a b")});
}

TEST(SetRules, askForASelectorThatSelects) {
  auto set = named<model::ReplicaSet>("r", "t");
  EXPECT_EQ(lines(validate(set)), Lines{"spec.selector: is required"});
  set.selector.emplace();
  EXPECT_EQ(lines(validate(set)), Lines{"spec.selector: must select something, is empty"});
  set.selector->match_labels = {{"app", "web"}};
  EXPECT_EQ(lines(validate(set)), Lines{});
}

TEST(LeaseRules, boundTheDuration) {
  auto lease = named<model::Lease>("l", "t");
  EXPECT_EQ(lines(validate(lease)), Lines{});
  lease.duration_seconds = 0;
  EXPECT_EQ(lines(validate(lease)), Lines{"spec.leaseDurationSeconds: must be at least 1, is 0"});
}

TEST(ClaimRules, checkAccessModesAndSize) {
  struct Case {
    const char* sentence;
    std::function<void(model::PersistentVolumeClaim&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"one mode", [](auto&) {}, {}},
      {"two modes",
       [](auto& claim) {
         claim.access_modes = {"ReadWriteOnce", "ReadOnlyMany"};
       },
       {}},
      {"no mode",
       [](auto& claim) { claim.access_modes.clear(); },
       {"spec.accessModes: must have at least one entry, has 0"}},
      {"an unknown mode",
       [](auto& claim) { claim.access_modes = {"WriteOnce"}; },
       {"spec.accessModes[0]: must be one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, "
        "ReadWriteOncePod, is 'WriteOnce'"}},
      {"a single pod", [](auto& claim) { claim.access_modes = {"ReadWriteOncePod"}; }, {}},
      {"a single pod and others",
       [](auto& claim) {
         claim.access_modes = {"ReadWriteOncePod", "ReadWriteMany"};
       },
       {"spec.accessModes: must have no other entry beside ReadWriteOncePod, has 2"}},
      {"no size",
       [](auto& claim) { claim.storage_request = {}; },
       {"spec.resources.requests[storage]: must be more than 0, is 0"}},
      {"no class by choice", [](auto& claim) { claim.storage_class = ""; }, {}},
      {"a class of a bad name",
       [](auto& claim) { claim.storage_class = "A"; },
       {bad_name("spec.storageClassName", dns_subdomain_problem("A"), "A")}},
      {"a block device", [](auto& claim) { claim.volume_mode = "Block"; }, {}},
      {"an unknown mode of use",
       [](auto& claim) { claim.volume_mode = "Tape"; },
       {"spec.volumeMode: must be one of Filesystem, Block, is 'Tape'"}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.sentence);
    auto claim = named<model::PersistentVolumeClaim>("data", "t");
    claim.access_modes = {"ReadWriteOnce"};
    claim.storage_request = quantity("1Gi");
    given.edit(claim);
    EXPECT_EQ(lines(validate(claim)), given.problems);
  }
}

TEST(VolumeRules, checkSizeAffinityAndHandle) {
  auto volume = named<model::PersistentVolume>("pv");
  volume.access_modes = {"ReadWriteOnce"};
  volume.capacity = quantity("1Gi");
  EXPECT_EQ(lines(validate(volume)), Lines{});
  volume.capacity = {};
  volume.node_affinity.emplace();
  volume.csi_driver = "csi.example.com";
  EXPECT_EQ(lines(validate(volume)),
            (Lines{"spec.capacity[storage]: must be more than 0, is 0",
                   "spec.nodeAffinity.required.nodeSelectorTerms: must have at least one term, has "
                   "0",
                   "spec.csi.volumeHandle: is required"}));
}

TEST(StorageRules, checkTheSmallKinds) {
  auto storage_class = named<model::StorageClass>("fast");
  EXPECT_EQ(lines(validate(storage_class)), Lines{"provisioner: is required"});
  storage_class.provisioner = "kubernetes.io/no-provisioner";
  EXPECT_EQ(lines(validate(storage_class)), Lines{});

  auto csi_node = named<model::CsiNode>("n1");
  csi_node.drivers = {{"a.example.com", "n1", {}, -1}, {"a.example.com", "n1", {}, 3}};
  EXPECT_EQ(lines(validate(csi_node)),
            (Lines{"spec.drivers[0].allocatable.count: must be at least 0, is -1",
                   "spec.drivers[1].name: must be unique, 'a.example.com' occurs more than once"}));

  auto capacity = named<model::CsiStorageCapacity>("c", "t");
  capacity.storage_class = "fast";
  EXPECT_EQ(lines(validate(capacity)), Lines{});
  capacity.capacity = quantity("-1");
  EXPECT_EQ(lines(validate(capacity)), Lines{"capacity: must be at least 0, is -1"});

  auto attachment = named<model::VolumeAttachment>("va");
  EXPECT_EQ(lines(validate(attachment)),
            (Lines{"spec.attacher: is required", "spec.nodeName: is required"}));
}

}  // namespace
}  // namespace tutti::admission
