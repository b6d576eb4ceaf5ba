#include "plugins/affinity/inter_pod_affinity.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bitset.h"
#include "model/cluster.h"
#include "support/ask.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using Lines = std::vector<std::string>;
using Scores = std::map<std::string, std::int64_t>;
using test::answers;
using test::node;
using test::pod;

constexpr auto kHost = "kubernetes.io/hostname";
const std::string kApart = " unresolvable: node(s) didn't match pod affinity rules";
const std::string kTooClose = " unschedulable: node(s) didn't match pod anti-affinity rules";
const std::string kUnwanted =
    " unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";

model::PodAffinityTerm term(std::string key, std::string app) {
  model::PodAffinityTerm made;
  made.topology_key = std::move(key);
  made.selector = model::LabelSelector{{{"app", std::move(app)}}, {}};
  return made;
}

test::PodBuilder app(std::string name, std::string label) {
  return pod(std::move(name)).label("app", std::move(label));
}

class InterPod : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster.set_node(node("a1").label("zone", "a"));
    cluster.set_node(node("a2").label("zone", "a"));
    cluster.set_node(node("b1").label("zone", "b"));
    cluster.set_node(node("x"));
  }
  core::Cluster cluster;
  InterPodAffinity plugin;
};

TEST_F(InterPod, affinityAsksForAMatchingPodInTheDomain) {
  cluster.set_pod(app("db", "db").on("a1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").affinity("zone", "app", "db")),
            (Lines{"a1 ok", "a2 ok", "b1" + kApart, "x" + kApart}));
}

TEST_F(InterPod, oneSinglePodMustMatchAllAffinityTerms) {
  cluster.set_pod(app("db", "db").on("a1"));
  cluster.set_pod(app("web", "web").on("a1"));
  const auto p = pod("p").affinity("zone", "app", "db").affinity(kHost, "app", "web");
  EXPECT_EQ(answers(cluster, plugin, p),
            (Lines{"a1" + kApart, "a2" + kApart, "b1" + kApart, "x" + kApart}));
}

TEST_F(InterPod, theFirstPodOfASetMayGoAnywhereThatHasTheKeys) {
  const auto p = app("p", "web").affinity("zone", "app", "web");
  EXPECT_EQ(answers(cluster, plugin, p), (Lines{"a1 ok", "a2 ok", "b1 ok", "x" + kApart}));
}

TEST_F(InterPod, theSecondPodOfASetMustJoinTheFirst) {
  cluster.set_pod(app("first", "web").on("b1"));
  const auto p = app("p", "web").affinity("zone", "app", "web");
  EXPECT_EQ(answers(cluster, plugin, p),
            (Lines{"a1" + kApart, "a2" + kApart, "b1 ok", "x" + kApart}));
}

TEST_F(InterPod, aPodThatDoesNotMatchItsOwnTermsWaitsForOneThatDoes) {
  const auto p = app("p", "db").affinity("zone", "app", "web");
  EXPECT_EQ(answers(cluster, plugin, p),
            (Lines{"a1" + kApart, "a2" + kApart, "b1" + kApart, "x" + kApart}));
}

TEST_F(InterPod, saysWhoseCompanyIsWantedAndWhereItWouldHelp) {
  const auto db = cluster.class_of(cluster.set_pod(app("db", "db")));
  const auto web = cluster.class_of(cluster.set_pod(app("p", "web").affinity("zone", "app", "db")));
  const auto prepared = plugin.prepare_filter(cluster, web);
  const core::CompanyWish* wish = prepared.evaluator->company_wish();
  ASSERT_NE(wish, nullptr);
  EXPECT_TRUE(wish->counts(db.labels));
  EXPECT_FALSE(wish->counts(web.labels));
  const auto a1 = *cluster.nodes().find("a1");
  EXPECT_FALSE(wish->is_met(a1));
  Bitset near = cluster.nodes().live();
  wish->keep_near(a1, near);
  EXPECT_TRUE(near.test(a1.index) && near.test(cluster.nodes().find("a2")->index));
  EXPECT_EQ(near.count(), 2U);
  Bitset possible = cluster.nodes().live();
  prepared.evaluator->rule_out(possible);
  EXPECT_FALSE(possible.test(cluster.nodes().find("x")->index));
  EXPECT_EQ(possible.count(), 3U);
}

TEST_F(InterPod, antiAffinityKeepsAwayFromMatchingPods) {
  cluster.set_pod(app("web", "web").on("a1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").anti_affinity("zone", "app", "web")),
            (Lines{"a1" + kTooClose, "a2" + kTooClose, "b1 ok", "x ok"}));
  EXPECT_EQ(answers(cluster, plugin, pod("q").anti_affinity(kHost, "app", "web")),
            (Lines{"a1" + kTooClose, "a2 ok", "b1 ok", "x ok"}));
}

TEST_F(InterPod, placedPodsKeepOthersAwayByTheirOwnAntiAffinity) {
  cluster.set_pod(pod("hermit").anti_affinity("zone", "app", "web").on("a1"));
  EXPECT_EQ(answers(cluster, plugin, app("p", "web")),
            (Lines{"a1" + kUnwanted, "a2" + kUnwanted, "b1 ok", "x ok"}));
  EXPECT_EQ(answers(cluster, plugin, app("q", "db")), (Lines{"a1 ok", "a2 ok", "b1 ok", "x ok"}));
}

TEST_F(InterPod, termsLookIntoTheirOwnNamespaceUnlessTheySayOtherwise) {
  cluster.set_pod(app("web", "web").in_namespace("u").on("a1"));
  EXPECT_EQ(answers(cluster, plugin, pod("p").anti_affinity("zone", "app", "web")),
            (Lines{"a1 ok", "a2 ok", "b1 ok", "x ok"}));
  auto listed = term("zone", "web");
  listed.namespaces = {"u"};
  EXPECT_EQ(answers(cluster, plugin, pod("q").with([&](model::PodSpec& spec) {
              spec.anti_affinity.required = {listed};
            })),
            (Lines{"a1" + kTooClose, "a2" + kTooClose, "b1 ok", "x ok"}));
}

TEST_F(InterPod, namespaceSelectorsReadNamespaceLabelsAndTheImpliedName) {
  auto team = std::make_shared<model::Namespace>();
  team->meta.name = "u";
  team->meta.labels = {{"team", "blue"}};
  cluster.set_object(team);
  cluster.set_pod(app("in-u", "web").in_namespace("u").on("a1"));
  cluster.set_pod(app("in-v", "web").in_namespace("v").on("b1"));
  const auto with_selector = [&](std::string name, model::LabelSelector selector) {
    auto rule = term("zone", "web");
    rule.namespace_selector = std::move(selector);
    return pod(std::move(name)).with([&](model::PodSpec& spec) {
      spec.anti_affinity.required = {rule};
    });
  };
  EXPECT_EQ(answers(cluster, plugin, with_selector("p", {{{"team", "blue"}}, {}})),
            (Lines{"a1" + kTooClose, "a2" + kTooClose, "b1 ok", "x ok"}));
  EXPECT_EQ(
      answers(cluster, plugin, with_selector("q", {{{"kubernetes.io/metadata.name", "v"}}, {}})),
      (Lines{"a1 ok", "a2 ok", "b1" + kTooClose, "x ok"}));
  EXPECT_EQ(answers(cluster, plugin, with_selector("r", {})),
            (Lines{"a1" + kTooClose, "a2" + kTooClose, "b1" + kTooClose, "x ok"}));
}

TEST_F(InterPod, skipsWhenNobodyAsksForAnything) {
  cluster.set_pod(app("web", "web").on("a1"));
  const auto pods = cluster.class_of(cluster.set_pod(app("p", "web")));
  EXPECT_EQ(plugin.prepare_filter(cluster, pods).verdict.code, core::Code::skip);
  EXPECT_EQ(plugin.prepare_score(cluster, pods).verdict.code, core::Code::skip);
}

TEST_F(InterPod, scoresPreferredTermsOfThePod) {
  cluster.set_pod(app("db1", "db").on("a1"));
  cluster.set_pod(app("db2", "db").on("a2"));
  cluster.set_pod(app("noise", "noise").on("b1"));
  const auto p = pod("p").with([](model::PodSpec& spec) {
    spec.affinity.preferred = {{10, term("zone", "db")}, {5, term(kHost, "db")}};
    spec.anti_affinity.preferred = {{5, term("zone", "noise")}};
  });
  // Raw: zone a 2·10, hosts +5 each, zone b −5.
  EXPECT_EQ(test::scores(cluster, plugin, p),
            (Scores{{"a1", 100}, {"a2", 100}, {"b1", 0}, {"x", 16}}));
}

TEST_F(InterPod, scoresWhatPlacedPodsPreferAndRequire) {
  cluster.set_pod(pod("fan").on("a1").with([](model::PodSpec& spec) {
    spec.affinity.preferred = {{3, term(kHost, "web")}};
  }));
  cluster.set_pod(pod("grump").on("b1").with([](model::PodSpec& spec) {
    spec.anti_affinity.preferred = {{1, term(kHost, "web")}};
  }));
  cluster.set_pod(app("friend", "web").affinity(kHost, "app", "web").on("a2"));
  // Raw: a1 +3, a2 +1 (hardPodAffinityWeight), b1 −1.
  EXPECT_EQ(test::scores(cluster, plugin, app("p", "web")),
            (Scores{{"a1", 100}, {"a2", 50}, {"b1", 0}, {"x", 25}}));
  const InterPodAffinity heavy({.hard_pod_affinity_weight = 7});
  EXPECT_EQ(test::scores(cluster, heavy, app("q", "web")).at("a2"), 100);
  const InterPodAffinity deaf({.ignore_preferred_terms_of_existing_pods = true});
  EXPECT_TRUE(test::scores(cluster, deaf, app("r", "web")).empty());
}

TEST_F(InterPod, isWorthRetryingWhenAWantedPodComesOrAnUnwantedOneGoes) {
  const auto db = app("db", "db").on("a1").build();
  const auto hermit = pod("hermit").anti_affinity(kHost, "app", "web").on("a1").build();
  const auto seeker = app("p", "web").affinity("zone", "app", "db").build();
  const auto retry = [&](core::EventKind kind, const model::Pod& other) {
    return plugin.worth_retrying(cluster, *seeker, {kind, {}, &other, nullptr});
  };
  EXPECT_TRUE(retry(core::EventKind::pod_added, *db));
  EXPECT_FALSE(retry(core::EventKind::pod_added, *hermit));
  EXPECT_TRUE(retry(core::EventKind::pod_removed, *hermit));
  EXPECT_FALSE(retry(core::EventKind::pod_removed, *db));
}

}  // namespace
}  // namespace tutti::plugins
