// VolumeRestrictions, NodeVolumeLimits and VolumeZone.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "plugins/volumes/node_volume_limits.h"
#include "plugins/volumes/volume_restrictions.h"
#include "plugins/volumes/volume_zone.h"
#include "support/ask.h"
#include "support/build.h"
#include "support/storage.h"

namespace tutti::plugins {
namespace {

using Lines = std::vector<std::string>;
using model::Volume;
using test::answers;
using test::node;
using test::pod;

const Lines kBothTake = {"n1 ok", "n2 ok"};

class Volumes : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster.set_node(node("n1").label("topology.kubernetes.io/zone", "a"));
    cluster.set_node(node("n2").label("topology.kubernetes.io/zone", "b"));
  }
  core::Cluster cluster;
};

// --- VolumeRestrictions --------------------------------------------------------------------------

Volume disk(Volume::Source source, std::string id, bool read_only = false) {
  return {.name = "disk",
          .source = source,
          .id = std::move(id),
          .monitors = {},
          .pool = {},
          .driver = {},
          .read_only = read_only};
}

Volume rbd(std::string monitor, bool read_only = false) {
  Volume made = disk(Volume::Source::rbd, "image", read_only);
  made.monitors = {std::move(monitor), "shared-by-none"};
  made.pool = "pool";
  return made;
}

test::PodBuilder with_disk(std::string name, const Volume& volume) {
  return pod(std::move(name)).with([&](model::PodSpec& spec) { spec.volumes = {volume}; });
}

TEST_F(Volumes, aDiskMayNotBeMountedTwiceOnANode) {
  using enum Volume::Source;
  struct Case {
    std::string what;
    Volume held;
    Volume wanted;
    bool conflict;
  };
  const std::vector<Case> cases = {
      {"gce written twice", disk(gce_disk, "d"), disk(gce_disk, "d", true), true},
      {"gce only read", disk(gce_disk, "d", true), disk(gce_disk, "d", true), false},
      {"gce, another disk", disk(gce_disk, "d"), disk(gce_disk, "e"), false},
      {"aws even when only read", disk(aws_disk, "d", true), disk(aws_disk, "d", true), true},
      {"aws and gce of one name", disk(aws_disk, "d"), disk(gce_disk, "d"), false},
      {"iscsi by iqn, whatever the target", disk(iscsi, "10.0.0.1:3260:iqn.2001-04.x"),
       disk(iscsi, "10.0.0.2:3260:iqn.2001-04.x"), true},
      {"iscsi only read", disk(iscsi, "t:iqn.x", true), disk(iscsi, "t:iqn.x", true), false},
  };
  const VolumeRestrictions plugin;
  int index = 0;
  for (const auto& [what, held, wanted, conflict] : cases) {
    SCOPED_TRACE(what);
    const auto suffix = std::to_string(index++);
    const auto holder = cluster.set_pod(with_disk("holder" + suffix, held).on("n1"));
    const Lines rejected = {"n1 unschedulable: node(s) had no available disk", "n2 ok"};
    EXPECT_EQ(answers(cluster, plugin, with_disk("p" + suffix, wanted)),
              conflict ? rejected : kBothTake);
    cluster.remove_pod(holder);
  }
}

TEST_F(Volumes, rbdImagesConflictWhenTheyShareAMonitor) {
  const VolumeRestrictions plugin;
  cluster.set_pod(with_disk("holder", rbd("m1")).on("n1"));
  auto other = rbd("m2");
  other.monitors = {"m2"};
  EXPECT_EQ(answers(cluster, plugin, with_disk("p", other)), kBothTake);
  EXPECT_EQ(answers(cluster, plugin, with_disk("q", rbd("m1"))),
            (Lines{"n1 unschedulable: node(s) had no available disk", "n2 ok"}));
}

TEST_F(Volumes, aReadWriteOncePodClaimHasOneUserInTheWholeCluster) {
  const VolumeRestrictions plugin;
  cluster.set_object(test::claim("data").mode("ReadWriteOncePod"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("data")), kBothTake);
  cluster.set_pod(pod("user").claim("data").on("n1"));
  const std::string reason =
      " unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod "
      "access mode already in-use by another pod";
  EXPECT_EQ(answers(cluster, plugin, pod("q").claim("data")),
            (Lines{"n1" + reason, "n2" + reason}));
}

TEST_F(Volumes, aMissingClaimRefusesThePod) {
  EXPECT_EQ(answers(cluster, VolumeRestrictions(), pod("p").claim("x")),
            (Lines{"unresolvable: persistentvolumeclaim \"x\" not found"}));
}

TEST_F(Volumes, restrictionsFollowPodsThatComeAndGo) {
  const VolumeRestrictions plugin;
  cluster.set_object(test::claim("data").mode("ReadWriteOncePod"));
  const auto wanted = with_disk("p", disk(Volume::Source::aws_disk, "d")).claim("data");
  const auto pods = cluster.class_of(cluster.set_pod(wanted));
  const auto kept = plugin.prepare_filter(cluster, pods);
  const auto with_claim = cluster.set_pod(pod("a").claim("data"));
  const auto with_same_disk = cluster.set_pod(with_disk("b", disk(Volume::Source::aws_disk, "d")));
  const core::NodeId n1 = *cluster.nodes().find("n1");
  const core::NodeId n2 = *cluster.nodes().find("n2");
  std::uint64_t sequence = cluster.journal().end();
  const auto expect_follows = [&] {
    test::follow(cluster, *kept.evaluator, sequence,
                 [&](core::NodeId at) { return kept.evaluator->accepts(at); });
    const auto fresh = plugin.prepare_filter(cluster, pods);
    for (const auto at : {n1, n2}) {
      EXPECT_EQ(kept.evaluator->accepts(at), fresh.evaluator->accepts(at));
    }
  };
  cluster.place(with_claim, n1);
  expect_follows();
  EXPECT_FALSE(kept.evaluator->accepts(n2));
  cluster.place(with_same_disk, n2);
  expect_follows();
  cluster.take_off(with_claim);
  expect_follows();
  EXPECT_TRUE(kept.evaluator->accepts(n1));
  EXPECT_FALSE(kept.evaluator->accepts(n2));
  cluster.take_off(with_same_disk);
  expect_follows();
  EXPECT_TRUE(kept.evaluator->accepts(n2));
}

// --- NodeVolumeLimits ----------------------------------------------------------------------------

const std::string kFull = " unschedulable: node(s) exceed max volume count";

std::shared_ptr<const model::CsiNode> csi_node(std::string name, std::int32_t limit) {
  auto made = std::make_shared<model::CsiNode>();
  made->meta.name = std::move(name);
  made->drivers = {{.name = "csi", .node_id = {}, .topology_keys = {}, .allocatable_count = limit}};
  return made;
}

class VolumeLimits : public Volumes {
 protected:
  void SetUp() override {
    Volumes::SetUp();
    cluster.set_object(csi_node("n1", 2));
    for (const auto* name : {"a", "b", "c"}) {
      cluster.set_object(test::claim(name).bound_to(std::string("pv-") + name));
      cluster.set_object(test::volume(std::string("pv-") + name).csi("csi", name));
    }
  }
  NodeVolumeLimits plugin;
};

TEST_F(VolumeLimits, aNodeTakesNoMoreVolumesThanItsDriverCanAttach) {
  cluster.set_pod(pod("one").claim("a").on("n1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("b")), kBothTake);
  cluster.set_pod(pod("two").claim("b").on("n1"));
  EXPECT_EQ(answers(cluster, plugin, pod("q").claim("c")), (Lines{"n1" + kFull, "n2 ok"}));
}

TEST_F(VolumeLimits, aVolumeAlreadyThereCostsNothing) {
  cluster.set_pod(pod("one").claim("a").claim("b").on("n1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("a")), kBothTake);
}

TEST_F(VolumeLimits, attachmentsWithoutAPodCount) {
  cluster.set_pod(pod("one").claim("a").on("n1"));
  auto attachment = std::make_shared<model::VolumeAttachment>();
  attachment->meta.name = "va";
  attachment->attacher = "csi";
  attachment->node_name = "n1";
  attachment->volume_name = "pv-b";
  cluster.set_object(attachment);
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("c")), (Lines{"n1" + kFull, "n2 ok"}));
}

TEST_F(VolumeLimits, claimsWithoutAVolumeCountForTheirProvisioner) {
  cluster.set_object(test::storage_class("fast", "csi"));
  for (const auto* name : {"x", "y", "z"}) {
    cluster.set_object(test::claim(name).storage_class("fast"));
  }
  cluster.set_pod(pod("one").claim("x").claim("y").on("n1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("z")), (Lines{"n1" + kFull, "n2 ok"}));
}

TEST_F(VolumeLimits, onlyNodesThatStateALimitHaveOne) {
  cluster.remove_object(model::key_of(*csi_node("n1", 0)));
  cluster.set_pod(pod("one").claim("a").claim("b").on("n1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("c")), kBothTake);
}

TEST_F(VolumeLimits, countsFollowPodsThatComeAndGo) {
  const auto pods = cluster.class_of(cluster.set_pod(pod("p").claim("c")));
  const auto kept = plugin.prepare_filter(cluster, pods);
  const core::NodeId n1 = *cluster.nodes().find("n1");
  const auto first = cluster.set_pod(pod("one").claim("a"));
  const auto second = cluster.set_pod(pod("two").claim("b"));
  std::uint64_t sequence = cluster.journal().end();
  const auto catch_up = [&] {
    test::follow(cluster, *kept.evaluator, sequence,
                 [&](core::NodeId at) { return kept.evaluator->accepts(at); });
  };
  cluster.place(first, n1);
  cluster.place(second, n1);
  catch_up();
  EXPECT_FALSE(kept.evaluator->accepts(n1));
  cluster.take_off(first);
  catch_up();
  EXPECT_TRUE(kept.evaluator->accepts(n1));
}

// --- VolumeZone ----------------------------------------------------------------------------------

const std::string kElsewhere = " unresolvable: node(s) had no available volume zone";

TEST_F(Volumes, aZonedVolumeIsReachableFromItsZonesOnly) {
  struct Case {
    std::string key;
    std::string value;
    Lines expected;
  };
  const Lines only_first = {"n1 ok", "n2" + kElsewhere};
  const std::vector<Case> cases = {
      {"topology.kubernetes.io/zone", "a", only_first},
      {"topology.kubernetes.io/zone", "a__b", kBothTake},
      {"failure-domain.beta.kubernetes.io/zone", "a", only_first},
      {"topology.kubernetes.io/region", "r", {"n1" + kElsewhere, "n2" + kElsewhere}},
      {"unrelated", "a", kBothTake},
  };
  int index = 0;
  for (const auto& [key, value, expected] : cases) {
    SCOPED_TRACE(key + "=" + value);
    const auto name = "v" + std::to_string(index++);
    cluster.set_object(test::claim(name).bound_to("pv-" + name));
    cluster.set_object(test::volume("pv-" + name).label(key, value));
    EXPECT_EQ(answers(cluster, VolumeZone(), pod("p-" + name).claim(name)), expected);
  }
}

TEST_F(Volumes, nodesWithoutZonesTakeZonedVolumes) {
  cluster.set_node(node("n2"));
  cluster.set_object(test::claim("c").bound_to("pv"));
  cluster.set_object(test::volume("pv").label("topology.kubernetes.io/zone", "a"));
  EXPECT_EQ(answers(cluster, VolumeZone(), pod("p").claim("c")), kBothTake);
}

TEST_F(Volumes, zoneSaysWhatIsMissing) {
  cluster.set_object(test::claim("lost").bound_to("nowhere"));
  EXPECT_EQ(answers(cluster, VolumeZone(), pod("p").claim("lost")),
            (Lines{"unresolvable: persistentvolume \"nowhere\" not found"}));
  cluster.set_object(test::claim("classless"));
  EXPECT_EQ(answers(cluster, VolumeZone(), pod("q").claim("classless")),
            (Lines{"unresolvable: PersistentVolumeClaim had no pv name and storageClass name"}));
}

}  // namespace
}  // namespace tutti::plugins
