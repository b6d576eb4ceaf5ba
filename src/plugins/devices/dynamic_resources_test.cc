#include "plugins/devices/dynamic_resources.h"

#include <gtest/gtest.h>

#include "core/framework/claim_patch.h"
#include "devices/device_state.h"
#include "support/device_build.h"

namespace tutti::plugins {
namespace {

using core::Code;
using test::claim;
using test::device;
using test::device_class;
using test::slice;
using test::wish;

// Applies claim patches to what it was given, as an API server would.
class ClaimPort final : public core::ClusterPort {
 public:
  explicit ClaimPort(core::Cluster& cluster) : cluster_(cluster) {}
  void bind(const core::BindRequest&) override {}
  void evict(const core::PodReference&, const model::Condition&) override {}
  void patch_pod(const core::PodStatusPatch&) override {}
  void patch_group(const core::GroupConditionPatch&) override {}
  void record(const core::EventRecord&) override {}
  void update(const model::ObjectPtr&) override {}
  void patch_claim(const core::ClaimPatch& patch) override { patches.push_back(patch); }

  // What was asked for comes back as observed.
  void answer() {
    for (const auto& patch : std::exchange(patches, {})) {
      const auto* known = cluster_.find_object<model::ResourceClaim>(patch.ns, patch.name);
      ASSERT_NE(known, nullptr);
      if (!core::allows(*known, patch)) continue;
      auto next = std::make_shared<model::ResourceClaim>(*known);
      core::apply(*next, patch, Instant{});
      ++next->meta.resource_version;
      cluster_.set_object(next);
    }
  }

  std::vector<core::ClaimPatch> patches;

 private:
  core::Cluster& cluster_;
};

class DynamicResourcesTest : public ::testing::Test {
 protected:
  DynamicResourcesTest() {
    for (const char* name : {"n1", "n2"}) {
      nodes_.push_back(cluster_.set_node(test::node(name)));
      cluster_.set_object(
          slice(name, name, name, {device("g0").kind("a"), device("g1").kind("b")}));
    }
    cluster_.set_object(device_class("gpu"));
  }

  core::PodId pod(const std::string& name, const std::string& claim_name) {
    return cluster_.set_pod(test::pod(name).with([&](model::PodSpec& spec) {
      spec.resource_claims.push_back(
          {.name = "gpu", .claim_name = claim_name, .template_name = {}});
    }));
  }
  Bitset accepted(core::PodId id) {
    const auto prepared = plugin_.prepare_filter(cluster_, cluster_.class_of(id));
    Bitset nodes = cluster_.nodes().live();
    if (!prepared.evaluator) {
      nodes.clear();
    } else {
      prepared.evaluator->filter(nodes);
    }
    return nodes;
  }
  core::PluginStatus reserve(core::PodId id, core::NodeId node) {
    cluster_.place(id, node);
    auto verdict = plugin_.reserve(cluster_, id, node);
    if (!verdict.success()) cluster_.take_off(id);
    return verdict;
  }
  const model::ResourceClaim& stored(const std::string& name) {
    return *cluster_.find_object<model::ResourceClaim>("t", name);
  }

  core::Cluster cluster_;
  DynamicResources plugin_;
  ClaimPort port_{cluster_};
  std::vector<core::NodeId> nodes_;
};

TEST_F(DynamicResourcesTest, saysNothingAboutPodsWithoutClaims) {
  const auto id = cluster_.set_pod(test::pod("p"));
  EXPECT_EQ(plugin_.prepare_filter(cluster_, cluster_.class_of(id)).verdict.code, Code::skip);
}

TEST_F(DynamicResourcesTest, holdsAPodUntilItsClaimExists) {
  const auto id = pod("p", "c");
  const core::GroupTable groups;
  const auto held = plugin_.pre_enqueue(cluster_, groups, id);
  EXPECT_EQ(held.code, Code::unresolvable);
  EXPECT_EQ(held.reason, "resource claim c does not exist");
  cluster_.set_object(claim("c").request("r", wish("gpu")).build());
  EXPECT_TRUE(plugin_.pre_enqueue(cluster_, groups, id).success());
}

TEST_F(DynamicResourcesTest, acceptsNodesThatHaveTheDevices) {
  cluster_.set_object(claim("c").request("r", wish("gpu").count(2)).build());
  cluster_.set_object(claim("d").request("r", wish("gpu").of_kind("a")).build());
  const auto first = pod("p", "d");
  const auto second = pod("q", "c");
  EXPECT_EQ(accepted(second).count(), 2U);
  EXPECT_TRUE(reserve(first, nodes_[0]).success());
  EXPECT_EQ(accepted(second).count(), 1U);
  const auto prepared = plugin_.prepare_filter(cluster_, cluster_.class_of(second));
  EXPECT_EQ(prepared.evaluator->explain(nodes_[0]).at(0).reason,
            "Insufficient devices of class gpu");
  EXPECT_EQ(prepared.evaluator->explain(nodes_[0]).at(0).code, Code::unschedulable);
  plugin_.unreserve(cluster_, first, nodes_[0]);
  cluster_.take_off(first);
  EXPECT_EQ(accepted(second).count(), 2U);
}

TEST_F(DynamicResourcesTest, looksThroughNoNodeTwiceInTheSameState) {
  cluster_.set_object(claim("c").request("r", wish("gpu").count(2)).build());
  cluster_.set_object(claim("d").request("r", wish("gpu").of_kind("a")).build());
  const auto first = pod("p", "d");
  const auto second = pod("q", "c");
  const auto steps = [&] { return cluster_.devices().search().effort().steps; };
  const auto try_and_take_back = [&] {
    EXPECT_TRUE(reserve(first, nodes_[0]).success());
    EXPECT_EQ(accepted(second).count(), 1U);
    plugin_.unreserve(cluster_, first, nodes_[0]);
    cluster_.take_off(first);
    EXPECT_EQ(accepted(second).count(), 2U);
  };
  EXPECT_EQ(accepted(second).count(), 2U);
  const auto none = steps();
  try_and_take_back();
  const auto once = steps() - none;
  try_and_take_back();
  const auto again = steps() - none - once;
  // The second time costs what the reservation alone does when nobody scored the node for it.
  cluster_.set_object(claim("e").request("r", wish("gpu").of_kind("a")).build());
  const auto before = steps();
  EXPECT_TRUE(reserve(pod("s", "e"), nodes_[1]).success());
  EXPECT_EQ(again, steps() - before);
  EXPECT_GT(once, again);
}

TEST_F(DynamicResourcesTest, refusesAClaimThatMakesNoSenseAndQuotesIt) {
  cluster_.set_object(claim("c").request("r", wish("gpu").where("device.drivr == ''")).build());
  const auto id = pod("p", "c");
  const auto prepared = plugin_.prepare_filter(cluster_, cluster_.class_of(id));
  EXPECT_EQ(prepared.verdict.code, Code::unresolvable);
  EXPECT_NE(prepared.verdict.reason.find("selector \"device.drivr == ''\": line 1, column"),
            std::string::npos)
      << prepared.verdict.reason;
}

TEST_F(DynamicResourcesTest, writesTheClaimBeforeThePodBinds) {
  cluster_.set_object(claim("c").request("r", wish("gpu").of_kind("b")).build());
  const auto id = pod("p", "c");
  ASSERT_TRUE(reserve(id, nodes_[1]).success());
  EXPECT_EQ(plugin_.pre_bind(cluster_, port_, id, nodes_[1]).code, Code::wait);
  EXPECT_EQ(plugin_.pre_bind(cluster_, port_, id, nodes_[1]).code, Code::wait);
  ASSERT_EQ(port_.patches.size(), 1U) << "the same is not written twice";
  port_.answer();
  EXPECT_TRUE(plugin_.pre_bind(cluster_, port_, id, nodes_[1]).success());
  const auto& written = stored("c");
  ASSERT_TRUE(written.allocation.has_value());
  EXPECT_EQ(written.allocation->results.at(0).device, "g1");
  EXPECT_EQ(written.allocation->node_selector->at(0).match_fields.at(0).values,
            std::vector<std::string>{"n2"});
  EXPECT_EQ(written.reserved_for.at(0).uid, "pod-p");
  EXPECT_EQ(written.meta.finalizers.list(),
            std::vector<std::string>{std::string(model::kClaimFinalizer)});
  EXPECT_EQ(cluster_.check_consistency(), "");
}

TEST_F(DynamicResourcesTest, writesNoDevicesThatWereTakenAwayMeanwhile) {
  for (const bool of_driver : {true, false}) {
    SCOPED_TRACE(of_driver ? "the slice is gone" : "the class is gone");
    const std::string name = of_driver ? "c" : "d";
    cluster_.set_object(claim(name).request("r", wish("gpu")).build());
    const auto id = pod("of-" + name, name);
    ASSERT_TRUE(reserve(id, nodes_[of_driver ? 0 : 1]).success());
    cluster_.remove_object(of_driver ? model::ObjectKey{model::Kind::resource_slice, {}, "n1", {}}
                                     : model::ObjectKey{model::Kind::device_class, {}, "gpu", {}});
    const auto answer = plugin_.pre_bind(cluster_, port_, id, nodes_[of_driver ? 0 : 1]);
    EXPECT_EQ(answer.code, Code::error);
    EXPECT_EQ(answer.reason, "resource claim " + name + " lost its devices");
    EXPECT_TRUE(port_.patches.empty());
  }
}

TEST_F(DynamicResourcesTest, whatWasWrittenIsReleasedWhenTheDecisionIsTakenBack) {
  cluster_.set_object(claim("c").request("r", wish("gpu")).build());
  const auto id = pod("p", "c");
  ASSERT_TRUE(reserve(id, nodes_[0]).success());
  EXPECT_EQ(plugin_.pre_bind(cluster_, port_, id, nodes_[0]).code, Code::wait);
  port_.answer();
  plugin_.unreserve(cluster_, id, nodes_[0]);
  const auto releases = cluster_.devices().take_releases();
  ASSERT_EQ(releases.size(), 1U);
  EXPECT_EQ(releases[0].consumer_uid, "pod-p");
}

TEST_F(DynamicResourcesTest, anAllocatedClaimKeepsItsPodWithinReach) {
  cluster_.set_object(claim("c").request("r", wish("gpu")).build());
  const auto first = pod("p", "c");
  const auto second = pod("q", "c");
  ASSERT_TRUE(reserve(first, nodes_[0]).success());
  EXPECT_TRUE(accepted(second).test(nodes_[0].index));
  EXPECT_FALSE(accepted(second).test(nodes_[1].index)) << "the first has settled it";
  (void)plugin_.pre_bind(cluster_, port_, first, nodes_[0]);
  port_.answer();
  EXPECT_TRUE(accepted(second).test(nodes_[0].index));
  EXPECT_FALSE(accepted(second).test(nodes_[1].index));
}

TEST_F(DynamicResourcesTest, waitsForBindingConditions) {
  auto special = static_cast<model::Device>(device("x").kind("x"));
  special.binding_conditions = {"Attached"};
  special.binding_failure_conditions = {"Broken"};
  cluster_.set_object(slice("special", "special", "n1", {special}));
  cluster_.set_object(claim("c").request("r", wish("gpu").of_kind("x")).build());
  const auto id = pod("p", "c");
  ASSERT_TRUE(reserve(id, nodes_[0]).success());
  (void)plugin_.pre_bind(cluster_, port_, id, nodes_[0]);
  port_.answer();
  EXPECT_EQ(plugin_.pre_bind(cluster_, port_, id, nodes_[0]).code, Code::wait);
  auto reported = std::make_shared<model::ResourceClaim>(stored("c"));
  reported->device_statuses.push_back(
      {test::kDriver, "special", "x", {}, {{"Attached", "True", {}, {}, {}, 0}}});
  cluster_.set_object(reported);
  EXPECT_TRUE(plugin_.pre_bind(cluster_, port_, id, nodes_[0]).success());
  auto broken = std::make_shared<model::ResourceClaim>(stored("c"));
  broken->device_statuses[0].conditions = {{"Broken", "True", {}, {}, {}, 0}};
  cluster_.set_object(broken);
  EXPECT_EQ(plugin_.pre_bind(cluster_, port_, id, nodes_[0]).code, Code::error);
}

// The first claim is the group's and decided already, the second is fresh: each gets its own.
TEST_F(DynamicResourcesTest, resultsBelongToClaimsNotToPositions) {
  cluster_.set_object(slice("net", "net", "", {device("fabric").kind("net")}));
  cluster_.set_object(claim("shared").request("r", wish("gpu").of_kind("net")).build());
  cluster_.set_object(claim("own-1").request("r", wish("gpu").of_kind("a")).build());
  cluster_.set_object(claim("own-2").request("r", wish("gpu").of_kind("b")).build());
  const auto with_both = [&](const std::string& name, const std::string& own) {
    return cluster_.set_pod(test::pod(name).with([&](model::PodSpec& spec) {
      spec.resource_claims.push_back({.name = "s", .claim_name = "shared", .template_name = {}});
      spec.resource_claims.push_back({.name = "o", .claim_name = own, .template_name = {}});
    }));
  };
  ASSERT_TRUE(reserve(with_both("p", "own-1"), nodes_[0]).success());
  ASSERT_TRUE(reserve(with_both("q", "own-2"), nodes_[0]).success());
  const auto device_of = [&](const std::string& name) {
    const auto& device_state = cluster_.devices();
    return device_state.decisions()
        .allocation(device_state.find_claim("t", name), "n1")
        .results.at(0)
        .device;
  };
  EXPECT_EQ(device_of("shared"), "fabric");
  EXPECT_EQ(device_of("own-1"), "g0");
  EXPECT_EQ(device_of("own-2"), "g1");
}

}  // namespace
}  // namespace tutti::plugins
