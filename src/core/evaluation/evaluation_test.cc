#include "core/evaluation/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/framework/transaction.h"
#include "model/apps.h"
#include "support/build.h"
#include "support/fake_filters.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

Profile profile_with(bool stretch) {
  Profile profile;
  test::enable(profile, std::make_unique<test::Fit>(), profile.filters);
  test::enable(profile, std::make_unique<test::Emptiest>(stretch), profile.scores);
  return profile;
}

class EvaluationTest : public testing::Test {
 protected:
  NodeId add_node(const std::string& name, const std::string& cpu) {
    return cluster_.set_node(node(name).cpu(cpu));
  }
  Cluster cluster_;
  Profile profile_ = profile_with(false);
};

TEST_F(EvaluationTest, choosesTheHighestScoreAndTheSmallerNameAmongEquals) {
  add_node("b", "4");
  const NodeId a = add_node("a", "4");
  const NodeId big = add_node("z", "8");
  const PodId waiting = cluster_.set_pod(pod("p").cpu("1"));
  const PodId other = cluster_.set_pod(pod("q").cpu("1"));
  EvaluationCache cache(cluster_);
  EXPECT_EQ(cache.get(profile_, cluster_.class_of(waiting)).best(nullptr), a);

  // One cpu is a larger part of a small node, so after placing on `a` it is behind the others.
  cluster_.place(other, a);
  Bitset only(cluster_.nodes().slots());
  only.set(a.index);
  only.set(big.index);
  EXPECT_EQ(cache.get(profile_, cluster_.class_of(waiting)).best(&only), big);
}

// Likes one node by a thousandth of a point.
class Liking final : public Plugin, public ScorePlugin {
 public:
  explicit Liking(NodeId liked) : liked_(liked) {}
  std::string_view name() const override { return "Liking"; }
  Prepared<ScoreEvaluator> prepare_score(const Cluster&, const PodClass& pods) const override {
    if (pods.work == WorkClass::none) return Prepared<ScoreEvaluator>::skip();
    return Prepared<ScoreEvaluator>::ready(std::make_unique<Evaluator>(liked_));
  }

 private:
  class Evaluator final : public ScoreEvaluator {
   public:
    explicit Evaluator(NodeId liked) : liked_(liked) {}
    void score(const Bitset& nodes, std::span<std::int64_t> out) const override {
      nodes.for_each_set([&](std::size_t i) { out[i] = score({static_cast<std::uint32_t>(i)}); });
    }
    std::int64_t score(NodeId node) const override { return node == liked_ ? 1 : 0; }
    Effect changed(const Change&) override { return Effect::none; }
    bool packs() const override { return true; }

   private:
    NodeId liked_;
  };
  NodeId liked_;
};

class EmptiestThatYields final : public test::Emptiest {
 public:
  bool yields_to_packing() const override { return true; }
};

TEST_F(EvaluationTest, letsPackingDecideBeforeWhatYieldsToIt) {
  const NodeId busy = add_node("a", "4");
  const NodeId idle = add_node("b", "4");
  cluster_.set_pod(pod("there").cpu("3").on("a"));
  const PodId plain = cluster_.set_pod(pod("plain").cpu("1"));
  const PodId classed = cluster_.set_pod(pod("classed").cpu("1").label("tutti.dev/class", "batch"));
  Profile yielding;
  test::enable(yielding, std::make_unique<EmptiestThatYields>(), yielding.scores);
  test::enable(yielding, std::make_unique<Liking>(busy), yielding.scores);
  EvaluationCache cache(cluster_);
  Bitset both = cluster_.nodes().live();
  for (const Bitset* within :
       {static_cast<const Bitset*>(nullptr), static_cast<const Bitset*>(&both)}) {
    EXPECT_EQ(cache.get(yielding, cluster_.class_of(plain)).best(within), idle);
    EXPECT_EQ(cache.get(yielding, cluster_.class_of(classed)).best(within), busy);
  }
  Profile firm;
  test::enable(firm, std::make_unique<test::Emptiest>(), firm.scores);
  test::enable(firm, std::make_unique<Liking>(busy), firm.scores);
  EXPECT_EQ(cache.get(firm, cluster_.class_of(classed)).best(nullptr), idle)
      << "a thousandth of a point against 75 points";
}

TEST_F(EvaluationTest, hasNoBestWhenNothingFits) {
  add_node("a", "1");
  const PodId waiting = cluster_.set_pod(pod("p").cpu("2"));
  EvaluationCache cache(cluster_);
  Evaluation& evaluation = cache.get(profile_, cluster_.class_of(waiting));
  EXPECT_EQ(evaluation.best(nullptr), std::nullopt);
  EXPECT_EQ(evaluation.best(nullptr), std::nullopt);
  const Diagnosis& diagnosis = evaluation.diagnose(nullptr);
  ASSERT_EQ(diagnosis.reasons.size(), 1U);
  EXPECT_EQ(diagnosis.nodes, 1U);
  EXPECT_EQ(diagnosis.reasons[0].reason, "too full");
  EXPECT_EQ(diagnosis.reasons[0].nodes, 1U);
  EXPECT_EQ(evaluation.rejecting_plugins().size(), 1U);
}

TEST_F(EvaluationTest, countsReasonsOnlyWithinTheNodesAskedAbout) {
  const NodeId a = add_node("a", "1");
  add_node("b", "1");
  const PodId waiting = cluster_.set_pod(pod("p").cpu("2"));
  EvaluationCache cache(cluster_);
  Evaluation& evaluation = cache.get(profile_, cluster_.class_of(waiting));
  Bitset only(cluster_.nodes().slots());
  only.set(a.index);
  EXPECT_EQ(evaluation.diagnose(&only).nodes, 1U);
  EXPECT_EQ(evaluation.diagnose(nullptr).nodes, 2U);
}

TEST_F(EvaluationTest, isSharedByPodsWithOtherLabelsUnlessSomebodySelectsByThem) {
  const PodId one = cluster_.set_pod(pod("p").label("index", "1"));
  const PodId two = cluster_.set_pod(pod("q").label("index", "2"));
  EvaluationCache cache(cluster_);
  const auto shared = [&] {
    return cache.key(profile_, cluster_.class_of(one)) ==
           cache.key(profile_, cluster_.class_of(two));
  };
  EXPECT_TRUE(shared());
  auto service = std::make_shared<model::Service>();
  service->meta.ns = cluster_.pod(one).object->meta.ns;
  service->meta.name = "selects-nobody";
  cluster_.set_object(service);
  EXPECT_TRUE(shared());
  service = std::make_shared<model::Service>(*service);
  service->selector.push_back({"index", "1"});
  cluster_.set_object(service);
  EXPECT_FALSE(shared());
}

TEST_F(EvaluationTest, startsOverWhenNodesChange) {
  add_node("a", "1");
  const PodId waiting = cluster_.set_pod(pod("p").cpu("2"));
  EvaluationCache cache(cluster_);
  EXPECT_EQ(cache.get(profile_, cluster_.class_of(waiting)).best(nullptr), std::nullopt);
  const NodeId b = add_node("b", "2");
  EXPECT_EQ(cache.get(profile_, cluster_.class_of(waiting)).best(nullptr), b);
  cluster_.remove_node("b");
  EXPECT_EQ(cache.get(profile_, cluster_.class_of(waiting)).best(nullptr), std::nullopt);
}

// What a fresh evaluation, made for this question alone, would answer.
std::optional<NodeId> fresh_best(const Cluster& cluster, const Profile& profile,
                                 const PodClass& pods, Bitset& feasible) {
  Evaluation evaluation(cluster);
  evaluation.reset(profile, pods);
  feasible = evaluation.feasible();
  return evaluation.best(nullptr);
}

// At most one pod more than on the emptiest node: every change may turn every node's answer.
PluginStatus judge_evenness(const Cluster& cluster, const PodClass&, NodeId node) {
  std::size_t least = cluster.pods().on(node).size();
  cluster.nodes().live().for_each_set([&](std::size_t i) {
    least = std::min(least, cluster.pods().on({static_cast<std::uint32_t>(i)}).size());
  });
  if (cluster.pods().on(node).size() <= least + 1) return {};
  return {Code::unschedulable, {}, "uneven"};
}

void catch_up_equals_fresh(bool stretch, bool evenly, std::uint64_t seed) {
  SCOPED_TRACE("stretch " + std::to_string(stretch) + ", evenly " + std::to_string(evenly) +
               ", seed " + std::to_string(seed));
  Random random(seed);
  Cluster cluster;
  Profile profile = profile_with(stretch);
  if (evenly)
    test::add_filter<test::FakeFilter>(profile, "Evenness", Concern::nodes, judge_evenness);
  for (int i = 0; i < 9; ++i) {
    cluster.set_node(
        node("n" + std::to_string(i)).cpu(std::to_string(2 + random.below(6))).build());
  }
  std::vector<PodId> pods;
  for (int i = 0; i < 30; ++i) {
    pods.push_back(cluster.set_pod(
        pod("p" + std::to_string(i)).cpu(std::to_string(1 + random.below(3))).build()));
  }
  EvaluationCache cache(cluster);
  Transaction transaction(cluster);
  for (int step = 0; step < 120; ++step) {
    const PodId asked = pods[random.below(pods.size())];
    const PodClass of = cluster.class_of(asked);
    Bitset feasible;
    const auto expected = fresh_best(cluster, profile, of, feasible);
    Evaluation& kept = cache.get(profile, of);
    ASSERT_EQ(kept.feasible(), feasible) << "step " << step;
    // Scores are worked out when they are asked for, and not always are they.
    if (random.below(3) == 0) {
      transaction.roll_back(random.below(transaction.checkpoint() + 1));
      continue;
    }
    // Scan first, tournament from the second question on: both must agree with a fresh scan.
    ASSERT_EQ(kept.best(nullptr), expected) << "step " << step;
    ASSERT_EQ(kept.best(nullptr), expected) << "step " << step;
    if (random.below(4) == 0) {
      transaction.roll_back(random.below(transaction.checkpoint() + 1));
    } else if (expected && !cluster.pod(asked).node.valid()) {
      ASSERT_TRUE(transaction.place(asked, *expected, profile).success());
    }
  }
}

TEST(EvaluationProperty, catchingUpByJournalEqualsAFreshEvaluation) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const bool stretch : {false, true}) {
      for (const bool evenly : {false, true}) catch_up_equals_fresh(stretch, evenly, seed);
    }
  }
}

}  // namespace
}  // namespace tutti::core
