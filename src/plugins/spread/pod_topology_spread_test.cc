#include "plugins/spread/pod_topology_spread.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/apps.h"
#include "support/ask.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using Lines = std::vector<std::string>;
using test::answers;
using test::node;
using test::pod;

constexpr auto kZone = "topology.kubernetes.io/zone";
constexpr auto kHost = "kubernetes.io/hostname";
const std::string kSkewed = " unschedulable: node(s) didn't match pod topology spread constraints";
const std::string kNoKey =
    " unresolvable: node(s) didn't match pod topology spread constraints "
    "(missing required label)";

model::TopologySpreadConstraint constraint(std::string key, std::int32_t max_skew = 1) {
  model::TopologySpreadConstraint made;
  made.topology_key = std::move(key);
  made.max_skew = max_skew;
  made.selector = model::LabelSelector{{{"app", "web"}}, {}};
  return made;
}

test::PodBuilder web(std::string name) { return pod(std::move(name)).label("app", "web"); }

test::PodBuilder spread(std::string name, model::TopologySpreadConstraint rule) {
  return web(std::move(name)).with([&](model::PodSpec& spec) { spec.spread.push_back(rule); });
}

class Spread : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster.set_node(node("a1").label(kZone, "a"));
    cluster.set_node(node("a2").label(kZone, "a"));
    cluster.set_node(node("b1").label(kZone, "b"));
  }
  core::Cluster cluster;
  PodTopologySpread plugin;
};

TEST_F(Spread, rejectsADomainThatWouldRunAheadByMoreThanMaxSkew) {
  cluster.set_pod(web("w1").on("a1"));
  EXPECT_EQ(answers(cluster, plugin, spread("p", constraint(kZone))),
            (Lines{"a1" + kSkewed, "a2" + kSkewed, "b1 ok"}));
}

TEST_F(Spread, allowsMaxSkewItself) {
  cluster.set_pod(web("w1").on("a1"));
  EXPECT_EQ(answers(cluster, plugin, spread("p", constraint(kZone, 2))),
            (Lines{"a1 ok", "a2 ok", "b1 ok"}));
}

TEST_F(Spread, rejectsANodeWithoutTheKeyForGood) {
  cluster.set_node(node("x"));
  EXPECT_EQ(answers(cluster, plugin, spread("p", constraint(kZone))),
            (Lines{"a1 ok", "a2 ok", "b1 ok", "x" + kNoKey}));
}

TEST_F(Spread, countsNeitherOtherNamespacesNorTerminatingPodsNorOtherLabels) {
  cluster.set_pod(web("w1").in_namespace("other").on("a1"));
  cluster.set_pod(pod("w2").label("app", "db").on("a1"));
  auto dying = std::make_shared<model::Pod>(*web("w3").on("a1").build());
  dying->meta.deletion = Instant{};
  cluster.set_pod(dying);
  EXPECT_EQ(answers(cluster, plugin, spread("p", constraint(kZone))),
            (Lines{"a1 ok", "a2 ok", "b1 ok"}));
}

TEST_F(Spread, aPodThatDoesNotMatchItselfAddsNothing) {
  cluster.set_pod(web("w1").on("a1"));
  const auto rule = constraint(kZone);
  const auto other =
      pod("p").label("app", "db").with([&](model::PodSpec& spec) { spec.spread.push_back(rule); });
  EXPECT_EQ(answers(cluster, plugin, other), (Lines{"a1 ok", "a2 ok", "b1 ok"}));
}

TEST_F(Spread, takesTheMinimumAsZeroWhileDomainsAreFewerThanMinDomains) {
  cluster.set_pod(web("w1").on("a1"));
  cluster.set_pod(web("w2").on("b1"));
  auto rule = constraint(kZone);
  rule.min_domains = 3;
  EXPECT_EQ(answers(cluster, plugin, spread("p", rule)),
            (Lines{"a1" + kSkewed, "a2" + kSkewed, "b1" + kSkewed}));
}

TEST_F(Spread, leavesNodesThePodsAffinityExcludesOutOfTheMinimum) {
  cluster.set_node(node("c1").label(kZone, "c").label("disk", "hdd"));
  for (const auto* name : {"a1", "b1"}) cluster.set_pod(web(std::string("w-") + name).on(name));
  model::Requirement not_hdd{"disk", model::Requirement::Operator::not_in, {"hdd"}};
  auto rule = constraint(kZone);
  auto picky = spread("p", rule).with([&](model::PodSpec& spec) {
    spec.node_affinity.required = {{.match_expressions = {not_hdd}, .match_fields = {}}};
  });
  EXPECT_EQ(answers(cluster, plugin, picky), (Lines{"a1 ok", "a2 ok", "b1 ok", "c1 ok"}));
  picky.with([](model::PodSpec& spec) { spec.spread[0].honor_node_affinity = false; });
  EXPECT_EQ(answers(cluster, plugin, picky),
            (Lines{"a1" + kSkewed, "a2" + kSkewed, "b1" + kSkewed, "c1 ok"}));
}

TEST_F(Spread, leavesTaintedNodesOutOnlyWhenAskedTo) {
  cluster.set_node(node("c1").label(kZone, "c").taint("gpu", "yes", "NoSchedule"));
  for (const auto* name : {"a1", "b1"}) cluster.set_pod(web(std::string("w-") + name).on(name));
  auto rule = constraint(kZone);
  EXPECT_EQ(answers(cluster, plugin, spread("p", rule)),
            (Lines{"a1" + kSkewed, "a2" + kSkewed, "b1" + kSkewed, "c1 ok"}));
  rule.honor_node_taints = true;
  EXPECT_EQ(answers(cluster, plugin, spread("q", rule)),
            (Lines{"a1 ok", "a2 ok", "b1 ok", "c1 ok"}));
}

TEST_F(Spread, countsOnlyNodesThatHaveEveryKeyOfTheHardConstraints) {
  cluster.set_node(node("c1").label(kZone, "c"));
  for (const auto* name : {"a1", "a2", "b1"})
    cluster.set_node(node(name).label(kZone, "a").label("rack", name));
  cluster.set_pod(web("w1").on("c1"));
  auto both = spread("p", constraint(kZone)).with([](model::PodSpec& spec) {
    spec.spread.push_back(constraint("rack"));
  });
  EXPECT_EQ(answers(cluster, plugin, both), (Lines{"a1 ok", "a2 ok", "b1 ok", "c1" + kNoKey}));
}

TEST_F(Spread, countsNoPodForASelectorThatAsksForNothingButStillMatchesItself) {
  for (const auto* name : {"w1", "w2", "w3"}) cluster.set_pod(web(name).on("a1"));
  auto rule = constraint(kZone, 1);
  rule.selector = model::LabelSelector{};
  EXPECT_EQ(answers(cluster, plugin, spread("p", rule)), (Lines{"a1 ok", "a2 ok", "b1 ok"}));
}

TEST_F(Spread, completesTheSelectorByMatchLabelKeys) {
  cluster.set_pod(web("w1").label("version", "1").on("a1"));
  auto rule = constraint(kZone);
  rule.match_label_keys = {"version"};
  EXPECT_EQ(answers(cluster, plugin, spread("p", rule).label("version", "2")),
            (Lines{"a1 ok", "a2 ok", "b1 ok"}));
  EXPECT_EQ(answers(cluster, plugin, spread("q", rule).label("version", "1")),
            (Lines{"a1" + kSkewed, "a2" + kSkewed, "b1 ok"}));
}

// How many of `pods` fit in all when the nodes a1, a2 and b1 have room for so many each.
std::int64_t room_for(core::Cluster& cluster, const model::TopologySpreadConstraint& rule,
                      std::vector<std::int64_t> room, std::int64_t pods, std::int64_t company = 0) {
  const PodTopologySpread plugin;
  const auto prepared =
      plugin.prepare_filter(cluster, cluster.class_of(cluster.set_pod(spread("p", rule))));
  return prepared.evaluator->room_for({room, pods, company});
}

TEST_F(Spread, noDomainRunsAheadOfTheOneWithTheLeastProspects) {
  EXPECT_EQ(room_for(cluster, constraint(kZone), {9, 9, 0}, 8), 1);
  EXPECT_EQ(room_for(cluster, constraint(kZone), {9, 9, 2}, 8), 5);
  EXPECT_EQ(room_for(cluster, constraint(kZone, 3), {9, 9, 2}, 8), 7);
  EXPECT_EQ(room_for(cluster, constraint(kZone), {1, 1, 2}, 8), 4);
  EXPECT_EQ(room_for(cluster, constraint(kZone), {9, 9, 9}, 8), 8);
  cluster.set_pod(web("w1").on("a1"));
  EXPECT_EQ(room_for(cluster, constraint(kZone), {9, 9, 0}, 8), 0);
  EXPECT_EQ(room_for(cluster, constraint(kZone), {9, 9, 1}, 8), 2);
}

TEST_F(Spread, pastTheCountOfPodsOfItsOwnOthersMayComeToo) {
  EXPECT_EQ(room_for(cluster, constraint(kZone), {9, 9, 0}, 8, 2), 3);
}

TEST_F(Spread, domainsThatDoNotExistYetHaveNoProspects) {
  auto rule = constraint(kZone);
  rule.min_domains = 3;
  EXPECT_EQ(room_for(cluster, rule, {9, 9, 9}, 8), 2);
}

TEST_F(Spread, podsThatDoNotCountDoNotFillADomain) {
  auto nothing = constraint(kZone);
  nothing.selector = model::LabelSelector{};
  EXPECT_EQ(room_for(cluster, nothing, {9, 0, 0}, 8), 8);
}

TEST_F(Spread, skipsPodsWithoutHardConstraints) {
  const auto id = cluster.set_pod(web("p"));
  EXPECT_EQ(plugin.prepare_filter(cluster, cluster.class_of(id)).verdict.code, core::Code::skip);
}

TEST_F(Spread, scoresEmptierDomainsHigher) {
  cluster.set_pod(web("w1").on("a1"));
  cluster.set_pod(web("w2").on("a1"));
  cluster.set_pod(web("w3").on("b1"));
  auto rule = constraint(kZone);
  rule.hard = false;
  // Two zones weigh ln 4: raw 2·1.386 = 3 in zone a, 1·1.386 = 1 in zone b.
  const std::map<std::string, std::int64_t> expected = {{"a1", 33}, {"a2", 33}, {"b1", 100}};
  EXPECT_EQ(test::scores(cluster, plugin, spread("p", rule)), expected);
}

TEST_F(Spread, scoresNodesWithoutTheKeyZero) {
  cluster.set_node(node("x"));
  auto rule = constraint(kZone);
  rule.hard = false;
  const std::map<std::string, std::int64_t> expected = {
      {"a1", 100}, {"a2", 100}, {"b1", 100}, {"x", 0}};
  EXPECT_EQ(test::scores(cluster, plugin, spread("p", rule)), expected);
}

TEST_F(Spread, spreadsPodsOfAServiceOverHostsAndZonesByDefault) {
  EXPECT_TRUE(test::scores(cluster, plugin, web("lonely")).empty());
  auto service = std::make_shared<model::Service>();
  service->meta.ns = "t";
  service->meta.name = "web";
  service->selector = {{"app", "web"}};
  cluster.set_object(service);
  cluster.set_node(node("x"));
  cluster.set_pod(web("w1").on("a1"));
  // Hosts: 4 nodes, ln 6 = 1.79, +2 each. Zones: a, b and "none", ln 5 = 1.61, +4 each.
  // Raw: a1 1.79+2+1.61+4 = 9, a2 2+1.61+4 = 8, b1 6, x 2.
  const std::map<std::string, std::int64_t> expected = {
      {"a1", 22}, {"a2", 33}, {"b1", 55}, {"x", 100}};
  EXPECT_EQ(test::scores(cluster, plugin, web("p")), expected);
}

TEST_F(Spread, configuredDefaultsMayBeHard) {
  core::PodTopologySpreadArgs args;
  args.defaulting = core::PodTopologySpreadArgs::Defaulting::list;
  args.default_constraints = {constraint(kZone)};
  args.default_constraints[0].selector.reset();
  const PodTopologySpread configured(args);
  auto set = std::make_shared<model::ReplicaSet>();
  set->meta.ns = "t";
  set->meta.name = "web";
  set->selector = model::LabelSelector{{{"app", "web"}}, {}};
  cluster.set_object(set);
  cluster.set_pod(web("w1").on("a1"));
  EXPECT_EQ(answers(cluster, configured, web("p")),
            (Lines{"a1" + kSkewed, "a2" + kSkewed, "b1 ok"}));
}

TEST_F(Spread, isWorthRetryingOnlyForPodsThatCount) {
  const auto rejected = spread("p", constraint(kHost)).build();
  const auto matching = web("w").on("a1").build();
  const auto foreign = pod("f").on("a1").build();
  const auto removed = [&](const model::Pod* gone) {
    return plugin.worth_retrying(cluster, *rejected,
                                 {core::EventKind::pod_removed, {}, gone, nullptr});
  };
  EXPECT_TRUE(removed(matching.get()));
  EXPECT_FALSE(removed(foreign.get()));
}

}  // namespace
}  // namespace tutti::plugins
