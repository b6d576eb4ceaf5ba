#include "core/requests/flavor_match.h"

#include <gtest/gtest.h>

#include <string>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::core {
namespace {

using test::flavor;
using test::request;

model::PodSet set_like(const test::PodBuilder& pod, model::Labels annotations = {}) {
  model::PodSet set;
  set.pods.spec = pod.build()->spec;
  set.pods.annotations = std::move(annotations);
  return set;
}

test::PodBuilder with_affinity(std::string key, model::Requirement::Operator op,
                               std::vector<std::string> values) {
  test::PodBuilder pod("p");
  pod.with([&](model::PodSpec& spec) {
    model::NodeSelectorTerm term;
    term.match_expressions.push_back({std::move(key), op, std::move(values)});
    spec.node_affinity.required.emplace();
    spec.node_affinity.required->push_back(std::move(term));
  });
  return pod;
}

class FlavorMatchTest : public testing::Test {
 protected:
  FlavorMatchTest() {
    objects_.set(flavor("plain"));
    objects_.set(flavor("spot", {{"type", "spot"}}));
    auto tainted = std::make_shared<model::ResourceFlavor>(*flavor("tainted"));
    tainted->node_taints.push_back({"team", "x", "NoSchedule"});
    objects_.set(model::ObjectPtr(tainted));
    auto forgiving = std::make_shared<model::ResourceFlavor>(*tainted);
    forgiving->meta.name = "forgiving";
    model::Toleration toleration;
    toleration.key = "team";
    toleration.op = model::Toleration::Operator::exists;
    forgiving->tolerations.push_back(toleration);
    objects_.set(model::ObjectPtr(forgiving));
    auto soft = std::make_shared<model::ResourceFlavor>(*flavor("soft"));
    soft->node_taints.push_back({"team", "x", "PreferNoSchedule"});
    objects_.set(model::ObjectPtr(soft));
    auto racks = std::make_shared<model::ResourceFlavor>(*flavor("racks", {{"type", "dense"}}));
    racks->topology = "racks";
    objects_.set(model::ObjectPtr(racks));
    auto topology = std::make_shared<model::Topology>();
    topology->meta.name = "racks";
    topology->levels = {"rack", "kubernetes.io/hostname"};
    objects_.set(model::ObjectPtr(topology));
  }

  std::string mismatch(const model::PodSet& set, const std::string& name, bool implied = false) {
    return flavor_mismatch(objects_, *request("r").build(), set, name, implied);
  }

  QuotaObjects objects_;
};

TEST_F(FlavorMatchTest, followsLabelsTaintsAndTheAllowedList) {
  using Operator = model::Requirement::Operator;
  struct Case {
    std::string_view name;
    test::PodBuilder pod;
    std::string flavor;
    std::string expected;
  };
  const Case cases[] = {
      {"any pod may use a flavor that says nothing", test::pod("p"), "plain", ""},
      {"no such flavor", test::pod("p"), "other", "flavor other not found"},
      {"a selector that the flavor's label meets", test::pod("p").node_selector("type", "spot"),
       "spot", ""},
      {"a selector that it does not meet", test::pod("p").node_selector("type", "dense"), "spot",
       "flavor spot doesn't match node affinity"},
      {"a selector of another key is the nodes' matter",
       test::pod("p").node_selector("disk", "ssd"), "spot", ""},
      {"affinity that the label meets", with_affinity("type", Operator::in, {"spot"}), "spot", ""},
      {"affinity that it does not meet", with_affinity("type", Operator::not_in, {"spot"}), "spot",
       "flavor spot doesn't match node affinity"},
      {"affinity to another key is the nodes' matter", with_affinity("disk", Operator::in, {"ssd"}),
       "spot", ""},
      {"an untolerated taint", test::pod("p"), "tainted",
       "untolerated taint {team x NoSchedule} in flavor tainted"},
      {"the flavor's own toleration counts", test::pod("p"), "forgiving", ""},
      {"PreferNoSchedule repels nobody", test::pod("p"), "soft", ""},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(mismatch(set_like(each.pod), each.flavor), each.expected);
  }
}

TEST_F(FlavorMatchTest, keepsToTheFlavorsThatTheWorkloadAllows) {
  const auto only =
      request("r").annotation("kueue.x-k8s.io/workload-allowed-resource-flavors", "spot, plain");
  const model::PodSet set = set_like(test::pod("p"));
  EXPECT_EQ(flavor_mismatch(objects_, *only.build(), set, "plain", false), "");
  EXPECT_EQ(flavor_mismatch(objects_, *only.build(), set, "soft", false),
            "flavor soft is not among those the workload allows");
}

TEST_F(FlavorMatchTest, asksForTopologyOfThoseOnlyWhoHaveOne) {
  const model::PodSet plain = set_like(test::pod("p"));
  const model::PodSet in_rack =
      set_like(test::pod("p"), {{"kueue.x-k8s.io/podset-required-topology", "rack"}});
  const model::PodSet in_zone =
      set_like(test::pod("p"), {{"kueue.x-k8s.io/podset-preferred-topology", "zone"}});
  EXPECT_FALSE(asks_for_topology(plain));
  EXPECT_TRUE(asks_for_topology(in_rack));
  EXPECT_EQ(mismatch(in_rack, "racks"), "");
  EXPECT_EQ(mismatch(in_rack, "plain"),
            "Flavor \"plain\" does not support TopologyAwareScheduling");
  EXPECT_EQ(mismatch(in_zone, "racks"), "Flavor \"racks\" does not contain the requested level");
  EXPECT_EQ(mismatch(plain, "racks"), "Flavor \"racks\" supports only TopologyAwareScheduling");
  EXPECT_EQ(mismatch(plain, "racks", true), "");
}

}  // namespace
}  // namespace tutti::core
