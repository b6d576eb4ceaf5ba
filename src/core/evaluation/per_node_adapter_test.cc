#include "core/framework/per_node_adapter.h"

#include <gtest/gtest.h>

#include "core/evaluation/evaluation.h"
#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

// Wants two free cpus beyond the request and counts pods; scores out of range on purpose.
class Roomy final : public PerNodePlugin {
 public:
  bool filters() const override { return true; }
  bool scores() const override { return true; }
  PluginStatus filter(const PodView& wanted, const NodeView& on) const override {
    const auto free = on.allocatable("cpu") - on.used("cpu");
    if (free - wanted.request("cpu") >= 2000) return {};
    return {Code::unresolvable, {}, "not roomy"};
  }
  std::int64_t score(const PodView&, const NodeView& on) const override {
    return on.label("bad") != nullptr ? -5 : 200 - 150 * static_cast<int>(on.pod_count());
  }
};

TEST(PerNodeAdapter, asksThePluginNodeByNode) {
  Cluster cluster;
  const NodeId large = cluster.set_node(node("large").cpu("8"));
  const NodeId small = cluster.set_node(node("small").cpu("2").label("bad", "yes"));
  cluster.set_pod(pod("there").cpu("1").on("large"));
  const auto pods = cluster.class_of(cluster.set_pod(pod("p").cpu("1")));
  const PerNodeAdapter plugin("Roomy", std::make_unique<Roomy>());

  const auto filter = plugin.prepare_filter(cluster, pods).evaluator;
  Bitset nodes = cluster.nodes().live();
  filter->filter(nodes);
  EXPECT_TRUE(nodes.test(large.index));
  EXPECT_FALSE(nodes.test(small.index));
  const auto verdicts = filter->explain(small);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].plugin, "Roomy");
  EXPECT_EQ(verdicts[0].reason, "not roomy");
  EXPECT_EQ(verdicts[0].code, Code::unresolvable);

  const auto scores = plugin.prepare_score(cluster, pods).evaluator;
  EXPECT_EQ(scores->score(large), 50);
  EXPECT_EQ(scores->score(small), 0);
}

TEST(PerNodeAdapter, skipsWhatThePluginDoesNotTakePartIn) {
  Cluster cluster;
  cluster.set_node(node("n"));
  const auto pods = cluster.class_of(cluster.set_pod(pod("p")));
  const PerNodeAdapter plugin("Idle", std::make_unique<PerNodePlugin>());
  EXPECT_EQ(plugin.prepare_filter(cluster, pods).verdict.code, Code::skip);
  EXPECT_EQ(plugin.prepare_score(cluster, pods).verdict.code, Code::skip);
}

// Lets only pods of the team that owns the node on it.
class Owned final : public PerNodePlugin {
 public:
  explicit Owned(PodAspects looks) : looks_(looks) {}
  bool filters() const override { return true; }
  PodAspects looks_at() const override { return looks_; }
  PluginStatus filter(const PodView& wanted, const NodeView& on) const override {
    const std::string* team = model::find(wanted.pod().meta.labels, "team");
    if (team != nullptr && *team == *on.label("owner")) return {};
    return {Code::unschedulable, {}, "another team's"};
  }

 private:
  PodAspects looks_;
};

Profile profile_with(std::unique_ptr<PerNodePlugin> plugin) {
  Profile profile;
  auto adapter = std::make_unique<PerNodeAdapter>("User", std::move(plugin));
  profile.filters.push_back({adapter.get(), adapter.get(), 1});
  profile.looks = adapter->looks_at();
  profile.plugins.push_back(std::move(adapter));
  return profile;
}

TEST(PerNodeAdapter, givesNoPodAnotherPodsAnswerThatThePluginCouldTellApart) {
  for (const PodAspects looks : {PodAspects::labels, PodAspects::name, PodAspects::everything}) {
    const Profile profile = profile_with(std::make_unique<Owned>(looks));
    Cluster cluster;
    cluster.look_at(profile.looks);
    const NodeId reds = cluster.set_node(node("n").label("owner", "red"));
    const PodId red = cluster.set_pod(pod("red").label("team", "red"));
    const PodId blue = cluster.set_pod(pod("blue").label("team", "blue"));
    EvaluationCache evaluations(cluster);
    EXPECT_TRUE(evaluations.get(profile, cluster.class_of(red)).accepts(reds));
    EXPECT_FALSE(evaluations.get(profile, cluster.class_of(blue)).accepts(reds));
  }
}

TEST(PerNodeAdapter, letsPodsShareAnswersWhereThePluginDoesNotLook) {
  const auto shared = [](PodAspects looks) {
    const Profile profile = profile_with(std::make_unique<Owned>(looks));
    Cluster cluster;
    cluster.look_at(profile.looks);
    const auto add = [&](const char* name, const char* note) {
      auto made = std::make_shared<model::Pod>(*pod(name).build());
      made->meta.annotations = {{"note", note}};
      return cluster.set_pod(made);
    };
    EvaluationCache evaluations(cluster);
    const PodId one = add("one", "a");
    const PodId two = add("two", "b");
    return evaluations.key(profile, cluster.class_of(one)) ==
           evaluations.key(profile, cluster.class_of(two));
  };
  EXPECT_TRUE(shared(PodAspects::none));
  EXPECT_TRUE(shared(PodAspects::labels));
  EXPECT_FALSE(shared(PodAspects::annotations));
  EXPECT_FALSE(shared(PodAspects::name));
}

class Throwing final : public PerNodePlugin {
 public:
  bool filters() const override { return true; }
  bool scores() const override { return true; }
  PluginStatus filter(const PodView&, const NodeView&) const override {
    std::vector<int>().at(7);
    return {};
  }
  std::int64_t score(const PodView&, const NodeView&) const override {
    return std::vector<int>().at(7);
  }
};

TEST(PerNodeAdapter, keepsWhatAPluginThrowsAsItsFailure) {
  Cluster cluster;
  const NodeId there = cluster.set_node(node("n"));
  const auto pods = cluster.class_of(cluster.set_pod(pod("p")));
  const PerNodeAdapter plugin("Throwing", std::make_unique<Throwing>());
  EXPECT_EQ(plugin.failure(), "");
  EXPECT_FALSE(plugin.prepare_filter(cluster, pods).evaluator->accepts(there));
  EXPECT_NE(plugin.failure(), "");
  EXPECT_EQ(plugin.prepare_score(cluster, pods).evaluator->score(there), 0);
}

}  // namespace
}  // namespace tutti::core
