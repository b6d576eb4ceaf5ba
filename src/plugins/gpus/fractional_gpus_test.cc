#include "plugins/gpus/fractional_gpus.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::NodeId;
using core::PodId;
using test::node;
using test::pod;
using Policy = core::FractionalGpuArgs::Policy;

class FractionalGpusTest : public ::testing::Test {
 protected:
  NodeId add_node(const std::string& name, const std::string& milli,
                  const std::string& cpu = "64") {
    return cluster_.set_node(
        node(name).cpu(cpu).memory("64Gi").allocatable(core::kGpuMilli, milli).build());
  }
  // Without a node it waits.
  PodId add_pod(const std::string& name, const std::string& milli, const std::string& on = {},
                const std::string& cpu = "1") {
    auto made = pod(name).cpu(cpu).on(on);
    if (milli != "0") made.request(core::kGpuMilli, milli);
    return cluster_.set_pod(made.build());
  }
  void use(Policy policy, std::vector<core::TypicalPod> typical = {}) {
    core::FractionalGpuArgs args;
    args.policy = policy;
    args.typical_pods = std::move(typical);
    plugin_ = std::make_unique<FractionalGpus>(std::move(args));
  }
  std::unique_ptr<core::FilterEvaluator> filter_for(PodId id) {
    return plugin_->prepare_filter(cluster_, cluster_.class_of(id)).evaluator;
  }
  std::unique_ptr<core::ScoreEvaluator> score_for(PodId id) {
    return plugin_->prepare_score(cluster_, cluster_.class_of(id)).evaluator;
  }

  core::Cluster cluster_;
  std::unique_ptr<FractionalGpus> plugin_ =
      std::make_unique<FractionalGpus>(core::FractionalGpuArgs{});
};

TEST_F(FractionalGpusTest, leavesOtherPodsAlone) {
  add_node("n", "2000");
  const auto other = add_pod("p", "0");
  EXPECT_EQ(plugin_->prepare_filter(cluster_, cluster_.class_of(other)).verdict.code,
            core::Code::skip);
  EXPECT_EQ(plugin_->prepare_score(cluster_, cluster_.class_of(other)).verdict.code,
            core::Code::skip);
}

TEST_F(FractionalGpusTest, refusesWhatIsNeitherAShareNorWhole) {
  add_node("n", "4000");
  const auto odd = add_pod("p", "1500");
  const auto prepared = plugin_->prepare_filter(cluster_, cluster_.class_of(odd));
  EXPECT_EQ(prepared.verdict.code, core::Code::unresolvable);
  EXPECT_EQ(prepared.verdict.reason,
            "1500 of tutti.dev/gpu-milli is neither a share of one GPU nor whole GPUs");
}

TEST_F(FractionalGpusTest, countsRoomOnSingleDevices) {
  const NodeId n = add_node("n", "3000");
  add_pod("a", "600", "n");  // leaves 400, 1000, 1000
  struct Case {
    const char* milli;
    bool accepted;
    std::int64_t room;
  };
  for (const Case& each : {Case{"400", true, 5},
                           {"450", true, 4},
                           {"1000", true, 2},
                           {"2000", true, 1},
                           {"3000", false, 0}}) {
    const auto filter = filter_for(add_pod(std::string("p") + each.milli, each.milli));
    EXPECT_EQ(filter->accepts(n), each.accepted) << each.milli;
    EXPECT_EQ(filter->room(n), each.room) << each.milli;
    if (each.accepted) continue;
    EXPECT_EQ(filter->explain(n).front().code, core::Code::unschedulable);
    EXPECT_EQ(filter->explain(n).front().reason, "Too few idle GPUs");
  }
  const auto huge = filter_for(add_pod("huge", "4000"));
  EXPECT_EQ(huge->explain(n).front().code, core::Code::unresolvable);
}

TEST_F(FractionalGpusTest, followsPodsThatComeAndGo) {
  const NodeId n = add_node("n", "1000");
  const auto waiting = add_pod("w", "700");
  const auto filter = filter_for(waiting);
  EXPECT_TRUE(filter->accepts(n));
  cluster_.place(waiting, n);
  EXPECT_FALSE(filter->accepts(n));
  cluster_.take_off(waiting);
  EXPECT_TRUE(filter->accepts(n));
  const auto running = add_pod("r", "400", "n");
  EXPECT_FALSE(filter->accepts(n));
  cluster_.remove_pod(running);
  EXPECT_TRUE(filter->accepts(n));
}

// A victim that is only imagined away comes back to the device on which it runs, although the other
// one would be the better choice by then.
TEST_F(FractionalGpusTest, givesAPodThatIsPutBackItsOldDevice) {
  const NodeId n = add_node("n", "2000");
  const auto leaves = add_pod("a", "600", "n");
  add_pod("b", "300", "n");
  const auto whole = filter_for(add_pod("w", "1000"));
  EXPECT_TRUE(whole->accepts(n));
  const auto victim = add_pod("v", "500", "n");
  EXPECT_FALSE(whole->accepts(n));
  cluster_.remove_pod(leaves);
  EXPECT_FALSE(whole->accepts(n));
  cluster_.lift(victim);
  EXPECT_TRUE(whole->accepts(n));
  cluster_.put_back(victim, n);
  EXPECT_FALSE(whole->accepts(n));
}

TEST_F(FractionalGpusTest, scoresNodesByPolicy) {
  // Eight idle; eight of which one is half used; two idle.
  const NodeId idle = add_node("idle", "8000", "128");
  const NodeId used = add_node("used", "8000", "128");
  const NodeId small = add_node("small", "2000", "128");
  add_pod("a", "500", "used", "28");
  struct Case {
    Policy policy;
    const char* milli;
    std::int64_t idle;
    std::int64_t used;
    std::int64_t small;
  };
  const Case cases[] = {
      // 100 x (1 - 0.5 x (C - c)/128 - 0.5 x (G - R)/8), with c = 28
      {Policy::best_fit, "500", 14, 28, 51},
      // 100 x (1 - (C x 28 / 128^2 + G x R / 8^2) / 2)
      {Policy::dot_product, "500", 85, 88, 88},
      // 33 - f or f on idle nodes; devices in use before others: 100 - 50 / 10
      {Policy::gpu_packing, "500", 25, 95, 31},
      // Two, of which one device would be opened: none is in use, so both are
      {Policy::gpu_packing, "2000", 25, 48, 31},
      // 25 x used / all, and 25 without company, 75 with the like alone
      {Policy::gpu_clustering, "500", 25, 76, 43},
      {Policy::gpu_clustering, "1000", 25, 1, 43},
  };
  int number = 0;
  for (const Case& each : cases) {
    use(each.policy);
    const auto id = add_pod("p" + std::to_string(number++), each.milli, {}, "28");
    const auto score = score_for(id);
    EXPECT_EQ(score->score(idle), each.idle) << number;
    EXPECT_EQ(score->score(used), each.used) << number;
    EXPECT_EQ(score->score(small), each.small) << number;
  }
}

// Half of a device is of no use where only pods of 600 come: the gradient takes it from where less
// is lost.
TEST_F(FractionalGpusTest, followsTheGradientOfFragmentation) {
  const NodeId half = add_node("half", "1000");
  const NodeId whole = add_node("whole", "1000");
  add_pod("a", "500", "half");
  use(Policy::fragmentation_gradient, {{.milli_cpu = 1000, .gpu_milli = 600, .models = {}}});
  const auto score = score_for(add_pod("p", "500"));
  // 500 lost before and none after; none lost before and 500 after.
  EXPECT_EQ(score->score(half), 62);   // 100 x sigmoid(0.5)
  EXPECT_EQ(score->score(whole), 37);  // 100 x sigmoid(-0.5)
}

TEST_F(FractionalGpusTest, drawsAnewForEveryDecision) {
  add_node("a", "1000");
  const NodeId b = add_node("b", "1000");
  use(Policy::random);
  const auto id = add_pod("p", "100");
  const auto score = score_for(id);
  const std::int64_t first = score->score(b);
  EXPECT_EQ(score->score(b), first);
  cluster_.place(id, b);
  EXPECT_EQ(score->changed(cluster_.journal().since(0)->back()), core::Effect::everything);
  EXPECT_NE(score->score(b), first);
}

}  // namespace
}  // namespace tutti::plugins
