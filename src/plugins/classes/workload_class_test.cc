#include "plugins/classes/workload_class.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "support/device_build.h"

namespace tutti::plugins {
namespace {

using core::ClassRule;
using core::NodeId;
using core::WorkClass;
using test::node;
using test::pod;

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr const char* kClass = "tutti.dev/class";

class WorkloadClassTest : public ::testing::Test {
 protected:
  NodeId add_node(const std::string& name) {
    return cluster_.set_node(node(name).cpu("64").memory("64Gi").allocatable(kGpu, "8").build());
  }
  // A pod of a class with as many GPUs; without a node it waits.
  core::PodId add_pod(const std::string& name, const std::string& work, const std::string& gpus,
                      const std::string& on = {}) {
    auto made = pod(name).cpu("1").memory("4Gi").on(on);
    if (gpus != "0") made.request(kGpu, gpus);
    if (!work.empty()) made.label(kClass, work);
    return cluster_.set_pod(made.build());
  }
  std::unique_ptr<core::ScoreEvaluator> score_for(core::PodId id,
                                                  core::WorkloadClassArgs args = {}) {
    plugins_.push_back(std::make_unique<WorkloadClass>(std::move(args)));
    return plugins_.back()->prepare_score(cluster_, cluster_.class_of(id)).evaluator;
  }

  core::Cluster cluster_;
  std::vector<std::unique_ptr<WorkloadClass>> plugins_;
};

TEST_F(WorkloadClassTest, saysNothingAboutPodsThatDeclareNothing) {
  add_node("a");
  const WorkloadClass plugin({});
  auto owned = std::make_shared<model::Pod>(*pod("p").build());
  model::OwnerReference owner;
  owner.kind = "PyTorchJob";
  owned->meta.owners.push_back(owner);
  const auto guessed = cluster_.set_pod(owned);
  EXPECT_EQ(plugin.prepare_score(cluster_, cluster_.class_of(guessed)).verdict.code,
            core::Code::skip)
      << "the kind of the owner is a guess, not a declaration";
  const auto nonsense = add_pod("q", "gaming", "1");
  EXPECT_EQ(plugin.prepare_score(cluster_, cluster_.class_of(nonsense)).verdict.code,
            core::Code::skip);
}

TEST_F(WorkloadClassTest, prefersNodesAsTheRuleOfTheClassSays) {
  // What runs where, and the nodes in the order in which they are liked, ties in one word.
  const auto empty = add_node("empty");
  const auto serving = add_node("serving");
  const auto training = add_node("training");
  const auto mixed = add_node("mixed");
  add_pod("s0", "inference", "2", "serving");
  add_pod("t0", "training", "4", "training");
  add_pod("s1", "inference", "1", "mixed");
  add_pod("t1", "training", "1", "mixed");
  add_pod("b1", "batch", "1", "mixed");
  struct Case {
    const char* work;
    std::vector<ClassRule> rules;
    std::vector<NodeId> order;  // best first, strictly
  };
  const auto standard = core::WorkloadClassArgs{}.rules;
  using Nodes = ClassRule::Nodes;
  const Case cases[] = {
      {"inference", standard, {serving, empty, mixed, training}},
      {"training", standard, {empty, serving, mixed}},
      {"batch", standard, {empty, mixed}},
      {"inference", {{WorkClass::inference, Nodes::spread, {}}}, {empty, training, serving, mixed}},
      {"inference", {{WorkClass::inference, Nodes::packed, {}}}, {mixed, serving, training, empty}},
      {"training", {{WorkClass::training, Nodes::any, {WorkClass::batch}}}, {empty, mixed}},
  };
  int number = 0;
  for (const Case& each : cases) {
    SCOPED_TRACE(number);
    const auto id = add_pod("p" + std::to_string(number++), each.work, "1");
    const auto score = score_for(id, {each.rules});
    ASSERT_NE(score, nullptr);
    EXPECT_TRUE(score->packs());
    for (std::size_t i = 0; i < each.order.size(); ++i) {
      EXPECT_LE(score->score(each.order[i]), core::kMaxPackingScore);
      if (i == 0) continue;
      EXPECT_GT(score->score(each.order[i - 1]), score->score(each.order[i]))
          << cluster_.node_name(each.order[i - 1]) << " before "
          << cluster_.node_name(each.order[i]);
    }
  }
}

TEST_F(WorkloadClassTest, doesNotMindNeighboursThatAskForLittle) {
  const auto a = add_node("a");
  const auto b = add_node("b");
  add_pod("sidecar", "inference", "0", "a");
  const auto score = score_for(add_pod("p", "training", "1"));
  EXPECT_EQ(score->score(a), score->score(b));
}

TEST_F(WorkloadClassTest, packsSharesOfDevicesByWhatIsInUse) {
  cluster_.set_object(test::device_class("gpu"));
  std::vector<NodeId> nodes;
  for (const std::string name : {"a", "b"}) {
    nodes.push_back(cluster_.set_node(node(name).cpu("64").memory("64Gi").build()));
    cluster_.set_object(
        test::slice(name, name, name, {test::device("g").capacity("memory", "24Gi").shared()}));
  }
  const auto share = test::wish("gpu").capacity("memory", "8Gi");
  const auto ask = [&](const std::string& name) {
    cluster_.set_object(test::claim(name).request("r", share).build());
    return cluster_.set_pod(pod(name).cpu("1").label(kClass, "inference").with([&](auto& spec) {
      spec.resource_claims.push_back({.name = "gpu", .claim_name = name, .template_name = {}});
    }));
  };
  const auto first = ask("first");
  cluster_.place(first, nodes[1]);
  ASSERT_TRUE(cluster_.devices()
                  .decisions()
                  .reserve(first.index, nodes[1].index, *cluster_.pod(first).object)
                  .found());
  const auto score = score_for(ask("second"));
  EXPECT_GT(score->score(nodes[1]), score->score(nodes[0]));
}

// What is brought up to date change by change is what a new evaluator says.
TEST_F(WorkloadClassTest, keepsItsScoresUpToDate) {
  Random random(7);
  std::vector<NodeId> nodes;
  for (const std::string name : {"a", "b", "c", "d"}) nodes.push_back(add_node(name));
  const auto id = add_pod("waiting", "inference", "1");
  const auto kept = score_for(id);
  std::map<std::uint32_t, std::int64_t> known;
  for (const NodeId each : nodes) known[each.index] = kept->score(each);
  const char* kClasses[] = {"", "training", "inference", "batch"};
  std::vector<core::PodId> placed;
  for (int step = 0; step < 300; ++step) {
    const auto before = cluster_.journal().end();
    if (placed.size() > 12 || (!placed.empty() && random.below(3) == 0)) {
      const std::size_t at = random.below(placed.size());
      cluster_.remove_pod(placed[at]);
      placed.erase(placed.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      placed.push_back(add_pod("p" + std::to_string(step), kClasses[random.below(4)],
                               std::to_string(random.below(2)),
                               cluster_.node_name(nodes[random.below(nodes.size())])));
    }
    const auto changes = cluster_.journal().since(before);
    for (const auto& change : *changes) {
      const auto effect = kept->changed(change);
      for (const NodeId each : nodes) {
        if (effect == core::Effect::none) continue;
        if (effect == core::Effect::node && each != change.node) continue;
        known[each.index] = kept->score(each);
      }
    }
    const auto fresh = score_for(id);
    for (const NodeId each : nodes) ASSERT_EQ(known[each.index], fresh->score(each));
    ASSERT_EQ(cluster_.check_consistency(), "");
  }
}

}  // namespace
}  // namespace tutti::plugins
