#include "core/scheduler/eviction_mark.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;

constexpr Instant kMarkedAt{1'000s};

ProfileSet set_of_one_profile() {
  std::vector<Profile> profiles;
  profiles.push_back(test::small_profile());
  return {std::move(profiles), true};
}

class EvictionMark : public testing::Test {
 protected:
  model::Pod marked(const model::Condition& mark) const {
    model::Pod pod = *pod_;
    pod.status.conditions.push_back(mark);
    return pod;
  }

  std::shared_ptr<const model::Pod> pod_ = test::pod("a");
  ProfileSet ours_ = set_of_one_profile();
  const std::string name_ = ours_.all().front().scheduler_name;
};

TEST_F(EvictionMark, tellsWhoChoseTheVictim) {
  const model::Pod victim = marked(preemption_mark(name_, "podgroup", *pod_, kMarkedAt));

  EXPECT_TRUE(is_victim(victim));
  EXPECT_TRUE(evicted_by(ours_, victim));
  EXPECT_EQ(preempting_scheduler(*eviction_mark(victim)), name_);
  EXPECT_EQ(eviction_mark(victim)->message, name_ + ": preempting to accommodate a podgroup");
}

TEST_F(EvictionMark, isAnothersWhenItNamesAnotherScheduler) {
  const model::Pod victim = marked(preemption_mark(name_ + "-2", "pod", *pod_, kMarkedAt));

  EXPECT_TRUE(is_victim(victim));
  EXPECT_FALSE(evicted_by(ours_, victim));
}

TEST_F(EvictionMark, saysNothingOnceItIsWithdrawn) {
  const model::Pod victim = marked(withdrawn_mark(*pod_, kMarkedAt));

  EXPECT_EQ(eviction_mark(victim), nullptr);
  EXPECT_FALSE(is_victim(victim));
  EXPECT_FALSE(evicted_by(ours_, victim));
}

TEST_F(EvictionMark, ofAnIncompleteGangMakesNoVictim) {
  const model::Pod member =
      marked(incomplete_gang_mark("gang t/g gives its nodes back", kMarkedAt));

  EXPECT_TRUE(evicted_by(ours_, member));
  EXPECT_FALSE(is_victim(member));
}

}  // namespace
}  // namespace tutti::core
