#include "plugins/volumes/volume_binding.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "plugins/volumes/claims.h"
#include "support/ask.h"
#include "support/build.h"
#include "support/storage.h"

namespace tutti::plugins {
namespace {

using Lines = std::vector<std::string>;
using test::answers;
using test::node;
using test::pod;

constexpr auto kHost = "kubernetes.io/hostname";
const std::string kUnreachable =
    " unresolvable: node(s) didn't match PersistentVolume's node affinity";
const std::string kNoVolume =
    " unresolvable: node(s) didn't find available persistent volumes to bind";
const std::string kNoSpace = " unresolvable: node(s) did not have enough free storage";
const Lines kBothOk = {"n1 ok", "n2 ok"};

// Remembers what was written.
class Port final : public core::ClusterPort {
 public:
  void bind(const core::BindRequest&) override {}
  void evict(const core::PodReference&, const model::Condition&) override {}
  void patch_pod(const core::PodStatusPatch&) override {}
  void patch_group(const core::GroupConditionPatch&) override {}
  void record(const core::EventRecord&) override {}
  void update(const model::ObjectPtr& object) override { written.push_back(object); }
  std::vector<model::ObjectPtr> written;
};

class Binding : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster.set_node(node("n1").label("zone", "a"));
    cluster.set_node(node("n2").label("zone", "b"));
    cluster.set_object(test::storage_class("local", std::string(kNoProvisioner)));
    cluster.set_object(test::storage_class("csi", "driver"));
  }
  core::NodeId at(std::string_view name) { return *cluster.nodes().find(name); }
  // Places the pod and reserves, as a transaction does.
  core::PluginStatus reserve(core::PodId id, std::string_view name) {
    cluster.place(id, at(name));
    return plugin.reserve(cluster, id, at(name));
  }
  test::ClaimBuilder waiting(std::string name, std::string storage_class = "local") {
    return test::claim(std::move(name)).storage_class(std::move(storage_class)).size("5Gi");
  }
  test::VolumeBuilder local(std::string name, std::string host, std::string_view size = "10Gi") {
    return test::volume(std::move(name))
        .storage_class("local")
        .size(size)
        .reach(kHost, std::move(host));
  }
  core::Cluster cluster;
  VolumeBinding plugin;
};

TEST_F(Binding, skipsPodsWithoutClaims) {
  const auto pods = cluster.class_of(cluster.set_pod(pod("p")));
  EXPECT_EQ(plugin.prepare_filter(cluster, pods).verdict.code, core::Code::skip);
}

TEST_F(Binding, refusesPodsWhoseClaimsCannotBeUsed) {
  cluster.set_object(test::claim("immediate"));
  cluster.set_object(test::claim("leaving").with(
      [](model::PersistentVolumeClaim& claim) { claim.meta.deletion = Instant{}; }));
  cluster.set_object(test::claim("lost").bound_to("pv").with(
      [](model::PersistentVolumeClaim& claim) { claim.phase = "Lost"; }));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"missing", "persistentvolumeclaim \"missing\" not found"},
      {"immediate", "pod has unbound immediate PersistentVolumeClaims"},
      {"leaving", "persistentvolumeclaim \"leaving\" is being deleted"},
      {"lost", "persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"pv\""},
  };
  for (const auto& [claim, reason] : cases) {
    SCOPED_TRACE(claim);
    EXPECT_EQ(answers(cluster, plugin, pod("p-" + claim).claim(claim)),
              (Lines{"unresolvable: " + reason}));
  }
}

TEST_F(Binding, waitsForTheClaimOfAnEphemeralVolume) {
  const auto p = pod("p").with([](model::PodSpec& spec) {
    spec.volumes.push_back({.name = "scratch",
                            .source = model::Volume::Source::ephemeral,
                            .id = {},
                            .monitors = {},
                            .pool = {},
                            .driver = {}});
  });
  EXPECT_EQ(answers(cluster, plugin, p),
            (Lines{"unresolvable: waiting for ephemeral volume controller to create the "
                   "persistentvolumeclaim \"p-scratch\""}));
}

TEST_F(Binding, aBoundVolumeDecidesWhereItsPodRuns) {
  cluster.set_object(test::claim("data").bound_to("pv"));
  cluster.set_object(test::volume("pv").reach("zone", "a"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("data")),
            (Lines{"n1 ok", "n2" + kUnreachable}));
  cluster.set_object(test::claim("dangling").bound_to("gone"));
  const std::string gone =
      " unresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  EXPECT_EQ(answers(cluster, plugin, pod("q").claim("dangling")),
            (Lines{"n1" + gone, "n2" + gone}));
}

TEST_F(Binding, aWaitingClaimNeedsAFreeVolumeThatMatches) {
  cluster.set_object(waiting("data"));
  const auto p = pod("p").claim("data");
  EXPECT_EQ(answers(cluster, plugin, p), (Lines{"n1" + kNoVolume, "n2" + kNoVolume}));
  cluster.set_object(local("small", "n1", "1Gi"));
  cluster.set_object(local("taken", "n1").for_claim("another"));
  EXPECT_EQ(answers(cluster, plugin, p), (Lines{"n1" + kNoVolume, "n2" + kNoVolume}));
  cluster.set_object(local("right", "n1"));
  EXPECT_EQ(answers(cluster, plugin, p), (Lines{"n1 ok", "n2" + kNoVolume}));
}

TEST_F(Binding, aVolumeReservedForTheClaimLeavesNoOtherChoice) {
  cluster.set_object(waiting("data"));
  cluster.set_object(local("mine", "n2").for_claim("data"));
  cluster.set_object(local("free", "n1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("data")), (Lines{"n1" + kNoVolume, "n2 ok"}));
}

TEST_F(Binding, severalClaimsNeedSeveralVolumes) {
  cluster.set_object(waiting("one"));
  cluster.set_object(waiting("two"));
  cluster.set_object(local("v1", "n1"));
  const auto p = pod("p").claim("one").claim("two");
  EXPECT_EQ(answers(cluster, plugin, p), (Lines{"n1" + kNoVolume, "n2" + kNoVolume}));
  cluster.set_object(local("v2", "n1", "5Gi"));
  EXPECT_EQ(answers(cluster, plugin, p), (Lines{"n1 ok", "n2" + kNoVolume}));
}

TEST_F(Binding, aClassMayMakeVolumesWhereItsTopologyAllows) {
  cluster.set_object(waiting("data", "csi"));
  const auto p = pod("p").claim("data");
  EXPECT_EQ(answers(cluster, plugin, p), kBothOk);
  auto zoned = test::storage_class("csi", "driver");
  zoned->allowed_topologies = {
      {.match_expressions = {{"zone", model::Requirement::Operator::in, {"b"}}},
       .match_fields = {}}};
  cluster.set_object(zoned);
  EXPECT_EQ(answers(cluster, plugin, p), (Lines{"n1" + kNoVolume, "n2 ok"}));
}

TEST_F(Binding, aDriverThatPublishesCapacityMustHaveTheSpace) {
  cluster.set_object(waiting("data", "csi"));
  auto driver = std::make_shared<model::CsiDriver>();
  driver->meta.name = "driver";
  driver->storage_capacity = true;
  cluster.set_object(driver);
  const auto offer = [&](std::string zone, std::string_view size) {
    auto made = std::make_shared<model::CsiStorageCapacity>();
    made->meta.name = "in-" + zone;
    made->storage_class = "csi";
    made->node_topology = model::LabelSelector{{{"zone", zone}}, {}};
    made->capacity = test::quantity(size);
    cluster.set_object(made);
  };
  offer("a", "4Gi");
  offer("b", "6Gi");
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("data")), (Lines{"n1" + kNoSpace, "n2 ok"}));
}

TEST_F(Binding, aClaimWithASelectedNodeGoesThere) {
  cluster.set_object(waiting("data", "csi").annotation(kSelectedNode, "n2"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").claim("data")), (Lines{"n1" + kNoVolume, "n2 ok"}));
}

TEST_F(Binding, aReservedVolumeIsNotGivenTwice) {
  cluster.set_object(waiting("one"));
  cluster.set_object(waiting("two"));
  cluster.set_object(local("v", "n1"));
  const auto first = cluster.set_pod(pod("first").claim("one"));
  const auto version = cluster.versions().structure;
  ASSERT_TRUE(reserve(first, "n1").success());
  EXPECT_GT(cluster.versions().structure, version);
  EXPECT_EQ(answers(cluster, plugin, pod("second").claim("two")),
            (Lines{"n1" + kNoVolume, "n2" + kNoVolume}));
  plugin.unreserve(cluster, first, at("n1"));
  EXPECT_EQ(answers(cluster, plugin, pod("third").claim("two")),
            (Lines{"n1 ok", "n2" + kNoVolume}));
}

TEST_F(Binding, podsSharingAClaimFollowTheFirst) {
  cluster.set_object(waiting("shared", "csi"));
  const auto first = cluster.set_pod(pod("first").claim("shared"));
  const auto second = cluster.set_pod(pod("second").claim("shared"));
  ASSERT_TRUE(reserve(first, "n2").success());
  EXPECT_EQ(answers(cluster, plugin, pod("third").claim("shared")),
            (Lines{"n1" + kNoVolume, "n2 ok"}));
  ASSERT_TRUE(reserve(second, "n2").success());
  plugin.unreserve(cluster, first, at("n2"));
  EXPECT_EQ(answers(cluster, plugin, pod("fourth").claim("shared")),
            (Lines{"n1" + kNoVolume, "n2 ok"}));
}

TEST_F(Binding, reserveTakesTheSmallestVolumeAndTheFirstByName) {
  cluster.set_object(waiting("data"));
  cluster.set_object(local("a-large", "n1", "20Gi"));
  cluster.set_object(local("c-small", "n1", "6Gi"));
  cluster.set_object(local("b-small", "n1", "6Gi"));
  const auto id = cluster.set_pod(pod("p").claim("data"));
  ASSERT_TRUE(reserve(id, "n1").success());
  Port port;
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n1")).code, core::Code::wait);
  ASSERT_EQ(port.written.size(), 1U);
  const auto& written = model::as<model::PersistentVolume>(*port.written[0]);
  EXPECT_EQ(written.meta.name, "b-small");
  EXPECT_EQ(written.claim_namespace + "/" + written.claim_name, "t/data");
  EXPECT_EQ(written.claim_uid, "claim-data");
}

TEST_F(Binding, preBindWritesOnceAndEndsWhenTheClaimIsBound) {
  cluster.set_object(waiting("data"));
  cluster.set_object(local("v", "n1").version(7));
  const auto id = cluster.set_pod(pod("p").claim("data"));
  ASSERT_TRUE(reserve(id, "n1").success());
  Port port;
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n1")).code, core::Code::wait);
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n1")).code, core::Code::wait);
  EXPECT_EQ(port.written.size(), 1U);
  cluster.set_object(local("v", "n1").version(8).for_claim("data"));
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n1")).code, core::Code::wait);
  cluster.set_object(waiting("data").bound_to("v"));
  EXPECT_TRUE(plugin.pre_bind(cluster, port, id, at("n1")).success());
  EXPECT_EQ(port.written.size(), 1U);
}

TEST_F(Binding, preBindWritesAgainWhenItsWriteLost) {
  cluster.set_object(waiting("data"));
  cluster.set_object(local("v", "n1").version(7));
  const auto id = cluster.set_pod(pod("p").claim("data"));
  ASSERT_TRUE(reserve(id, "n1").success());
  Port port;
  plugin.pre_bind(cluster, port, id, at("n1"));
  cluster.set_object(local("v", "n1").version(8));
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n1")).code, core::Code::wait);
  EXPECT_EQ(port.written.size(), 2U);
}

TEST_F(Binding, preBindFailsWhenAnotherClaimTookTheVolume) {
  cluster.set_object(waiting("data"));
  cluster.set_object(local("v", "n1"));
  const auto id = cluster.set_pod(pod("p").claim("data"));
  ASSERT_TRUE(reserve(id, "n1").success());
  cluster.set_object(local("v", "n1").for_claim("thief"));
  Port port;
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n1")).code, core::Code::error);
}

TEST_F(Binding, preBindSelectsTheNodeForAVolumeToBeMade) {
  cluster.set_object(waiting("data", "csi").version(1));
  const auto id = cluster.set_pod(pod("p").claim("data"));
  ASSERT_TRUE(reserve(id, "n2").success());
  Port port;
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n2")).code, core::Code::wait);
  ASSERT_EQ(port.written.size(), 1U);
  EXPECT_EQ(*model::find(port.written[0]->meta.annotations, kSelectedNode), "n2");
  cluster.set_object(waiting("data", "csi").version(2).annotation(kSelectedNode, "n2"));
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n2")).code, core::Code::wait);
  cluster.set_object(test::volume("made").for_claim("data").reach("zone", "b"));
  cluster.set_object(waiting("data", "csi").annotation(kSelectedNode, "n2").bound_to("made"));
  EXPECT_TRUE(plugin.pre_bind(cluster, port, id, at("n2")).success());
}

TEST_F(Binding, preBindFailsWhenTheProvisionerGivesTheNodeBack) {
  cluster.set_object(waiting("data", "csi").version(1));
  const auto id = cluster.set_pod(pod("p").claim("data"));
  ASSERT_TRUE(reserve(id, "n2").success());
  Port port;
  plugin.pre_bind(cluster, port, id, at("n2"));
  cluster.set_object(waiting("data", "csi").version(2).annotation(kSelectedNode, "n2"));
  plugin.pre_bind(cluster, port, id, at("n2"));
  cluster.set_object(waiting("data", "csi").version(3));
  EXPECT_EQ(plugin.pre_bind(cluster, port, id, at("n2")).code, core::Code::error);
}

}  // namespace
}  // namespace tutti::plugins
