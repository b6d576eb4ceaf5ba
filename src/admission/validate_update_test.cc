#include "admission/validate_update.h"

#include <gtest/gtest.h>

#include "model/apps.h"
#include "model/cluster.h"
#include "model/storage.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::PersistentVolume;
using model::PersistentVolumeClaim;
using test::Lines;
using test::lines;
using test::quantity;

template <typename T>
Lines update(const T& before, const std::function<void(T&)>& edit) {
  T after = before;
  edit(after);
  return lines(validate_update(before, after));
}

TEST(MetadataUpdate, keepsTheUid) {
  EXPECT_EQ(update<model::Node>(*test::node("n1").build(), [](auto& node) { node.meta.uid = "x"; }),
            Lines{"metadata.uid: is immutable: was 'node-n1', is 'x'"});
}

TEST(MetadataUpdate, addsNoFinalizerToWhatIsBeingDeleted) {
  const auto add = [](model::Node& node) { node.meta.finalizers = {"a/b", "c/d"}; };
  model::Node before = *test::node("n1").build();
  before.meta.finalizers = {"a/b"};
  EXPECT_EQ(update<model::Node>(before, add), Lines{});
  before.meta.deletion = Instant();
  EXPECT_EQ(update<model::Node>(before, add),
            Lines{"metadata.finalizers: must not gain an entry while the object is being deleted, "
                  "gained 'c/d'"});
  EXPECT_EQ(update<model::Node>(before, [](auto& node) { node.meta.finalizers.clear(); }), Lines{});
}

TEST(NodeUpdate, isFree) {
  EXPECT_EQ(update<model::Node>(*test::node("n1").build(),
                                [](auto& node) {
                                  node.unschedulable = true;
                                  node.taints.push_back({"a", "", "NoSchedule"});
                                  node.allocatable.clear();
                                }),
            Lines{});
}

TEST(PriorityClassUpdate, freezesValueAndPolicy) {
  model::PriorityClass before;
  before.value = 5;
  EXPECT_EQ(update<model::PriorityClass>(before, [](auto& now) { now.global_default = true; }),
            Lines{});
  EXPECT_EQ(update<model::PriorityClass>(before,
                                         [](auto& now) {
                                           now.value = 6;
                                           now.preemption_policy = model::PreemptionPolicy::never;
                                         }),
            (Lines{"value: is immutable: was 5, is 6", "preemptionPolicy: is immutable"}));
}

TEST(ClaimUpdate, bindsAndGrowsButDoesNotTurnIntoAnother) {
  PersistentVolumeClaim open;
  open.access_modes = {"ReadWriteOnce"};
  open.volume_mode = "Filesystem";
  open.storage_request = quantity("1Gi");
  PersistentVolumeClaim bound = open;
  bound.volume_name = "pv1";
  bound.storage_class = "fast";

  const auto settle = [](PersistentVolumeClaim& claim) {
    claim.volume_name = "pv2";
    claim.storage_class = "slow";
  };
  const auto grow = [](PersistentVolumeClaim& claim) { claim.storage_request = quantity("2Gi"); };
  const auto shrink = [](PersistentVolumeClaim& claim) { claim.storage_request = quantity("1Mi"); };
  EXPECT_EQ(update<PersistentVolumeClaim>(open, settle), Lines{});
  EXPECT_EQ(update<PersistentVolumeClaim>(bound, settle),
            (Lines{"spec.storageClassName: is immutable",
                   "spec.volumeName: is immutable: was 'pv1', is 'pv2'"}));
  EXPECT_EQ(update<PersistentVolumeClaim>(bound, grow), Lines{});
  EXPECT_EQ(update<PersistentVolumeClaim>(bound, shrink),
            Lines{"spec.resources.requests[storage]: must not shrink: was 1Gi, is 1Mi"});
  EXPECT_EQ(update<PersistentVolumeClaim>(
                bound, [](auto& claim) { claim.access_modes = {"ReadWriteMany"}; }),
            Lines{"spec.accessModes: is immutable"});
}

TEST(VolumeUpdate, isClaimedAndReleasedButStaysWhereItIs) {
  PersistentVolume before;
  before.csi_driver = "csi.example.com";
  before.csi_handle = "h1";
  EXPECT_EQ(update<PersistentVolume>(before,
                                     [](auto& volume) {
                                       volume.claim_name = "data";
                                       volume.phase = "Bound";
                                       volume.node_affinity.emplace(1);
                                     }),
            Lines{});
  EXPECT_EQ(update<PersistentVolume>(before, [](auto& volume) { volume.csi_handle = "h2"; }),
            Lines{"spec.csi.volumeHandle: is immutable: was 'h1', is 'h2'"});
  before.node_affinity.emplace(1);
  EXPECT_EQ(update<PersistentVolume>(before, [](auto& volume) { volume.node_affinity.reset(); }),
            Lines{"spec.nodeAffinity: is immutable"});
}

TEST(StorageUpdate, freezesWhatDefinesTheKind) {
  EXPECT_EQ(
      update<model::StorageClass>({},
                                  [](auto& now) {
                                    now.provisioner = "x";
                                    now.wait_for_first_consumer = true;
                                    now.is_default = true;
                                  }),
      (Lines{"provisioner: is immutable: was '', is 'x'", "volumeBindingMode: is immutable"}));
  EXPECT_EQ(update<model::CsiStorageCapacity>({},
                                              [](auto& now) {
                                                now.storage_class = "fast";
                                                now.capacity = quantity("1Gi");
                                              }),
            Lines{"storageClassName: is immutable: was '', is 'fast'"});
  EXPECT_EQ(update<model::VolumeAttachment>({}, [](auto& now) { now.node_name = "n1"; }),
            Lines{"spec.nodeName: is immutable: was '', is 'n1'"});
}

TEST(SetUpdate, freezesTheSelector) {
  const auto select = [](auto& set) { set.selector.emplace(); };
  EXPECT_EQ(update<model::ReplicaSet>({}, select), Lines{"spec.selector: is immutable"});
  EXPECT_EQ(update<model::StatefulSet>({}, select), Lines{"spec.selector: is immutable"});
  EXPECT_EQ(update<model::PodDisruptionBudget>({}, select), Lines{});
}

TEST(Update, isAskedAboutOneObjectOnly) {
  EXPECT_DEATH(
      static_cast<void>(validate_update(*test::node("a").build(), *test::node("b").build())),
      "kind, namespace and name");
}

}  // namespace
}  // namespace tutti::admission
