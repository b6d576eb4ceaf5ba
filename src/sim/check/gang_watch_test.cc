#include "sim/check/gang_watch.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "support/build.h"

namespace tutti::sim {
namespace {

class GangWatchTest : public testing::Test {
 protected:
  void see(const model::ObjectPtr& object) {
    auto& known = known_[model::key_of(*object)];
    watch_.observe({.before = known, .after = object});
    known = object;
  }
  void group(const std::string& name, int minimum, const std::string& parent = {},
             std::optional<model::DisruptionMode> mode = std::nullopt) {
    auto made = std::make_shared<model::PodGroup>(
        *test::pod_group(name).gang(minimum).parent(parent).build());
    made->spec.disruption = mode;
    see(made);
  }
  void pod(const std::string& name, const std::string& group) {
    see(test::pod(name).group(group).on("n").build());
  }
  void preempt(const std::string& name) {
    const auto known = known_.at({model::Kind::pod, "t", name, {}});
    auto made = std::make_shared<model::Pod>(model::as<model::Pod>(*known));
    made->status.conditions.push_back({.type = "DisruptionTarget",
                                       .status = "True",
                                       .reason = "PreemptionByScheduler",
                                       .message = "",
                                       .last_transition = {}});
    see(made);
  }
  void remove(const std::string& name) {
    auto known = known_.extract({model::Kind::pod, "t", name, {}});
    watch_.observe({.before = known.mapped(), .after = nullptr});
  }

  GangWatch watch_;
  std::map<model::ObjectKey, model::ObjectPtr> known_;
};

TEST_F(GangWatchTest, seesAGangThatAnEvictionLeftBelowItsMinimum) {
  group("g", 2);
  pod("g-0", "g");
  pod("g-1", "g");
  preempt("g-0");
  EXPECT_EQ(watch_.check_settled(),
            "an eviction left gang t/g with 1 of at least 2 pods, which hold their nodes");
  preempt("g-1");
  EXPECT_EQ(watch_.check_settled(), "") << "the rest went, too";
}

TEST_F(GangWatchTest, mindsNeitherSurplusNorOthersDeedsNorWhatAGangAsksFor) {
  group("surplus", 1);
  pod("surplus-0", "surplus");
  pod("surplus-1", "surplus");
  preempt("surplus-0");
  group("deleted", 2);
  pod("deleted-0", "deleted");
  pod("deleted-1", "deleted");
  remove("deleted-0");
  group("single", 2, {}, model::DisruptionMode::single);
  pod("single-0", "single");
  pod("single-1", "single");
  preempt("single-0");
  EXPECT_EQ(watch_.check_settled(), "");
}

TEST_F(GangWatchTest, seesATreeThatLostAGroup) {
  auto tree = std::make_shared<model::CompositePodGroup>();
  tree->meta.ns = "t";
  tree->meta.name = "c";
  tree->spec.policy = {true, 2};
  see(tree);
  group("a", 1, "c");
  group("b", 1, "c");
  pod("a-0", "a");
  pod("b-0", "b");
  preempt("a-0");
  EXPECT_EQ(
      watch_.check_settled(),
      "an eviction left CompositePodGroup t/c with 1 of at least 2 groups, which hold their nodes");
  preempt("b-0");
  EXPECT_EQ(watch_.check_settled(), "");
}

}  // namespace
}  // namespace tutti::sim
