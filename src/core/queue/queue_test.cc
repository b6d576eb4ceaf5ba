#include "core/queue/queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using test::pod_group;

class QueueTest : public testing::Test {
 protected:
  PodId lone(const std::string& name, std::int32_t priority = 0) {
    const PodId id = cluster_.set_pod(pod(name).cpu("1").priority(priority));
    queue_.add_pod(id, {}, now_);
    return id;
  }
  PodId member(const std::string& name, const std::string& group) {
    const PodId id = cluster_.set_pod(pod(name).cpu("1").group(group));
    const GroupId leaf = groups_.intern("t", group, false);
    groups_.add_pod(leaf, id, GroupTable::Membership::pending);
    queue_.add_pod(id, leaf, now_);
    return id;
  }
  void gang(const std::string& name, std::int32_t minimum) {
    queue_.group_changed(groups_.set(pod_group(name).gang(minimum)), GroupNews::other, now_);
  }
  std::string pop() {
    Entity* entity = queue_.pop(now_);
    if (entity == nullptr) return "";
    last_ = entity;
    return entity->name;
  }
  std::vector<const Plugin*> fit() const { return {profile_.find("Fit")}; }
  ClusterEvent node_added() const { return {.kinds = EventKind::node_added, .node = {}}; }

  Cluster cluster_;
  GroupTable groups_;
  Profile profile_ = test::small_profile();
  Queue queue_{cluster_, groups_, 1s, 10s, [this](const model::Pod&) { return &profile_; }};
  Instant now_{1'000s};
  Entity* last_ = nullptr;
};

TEST_F(QueueTest, popsByPriorityThenTimeThenName) {
  lone("late-name");
  lone("early-name");
  now_ += 1s;
  lone("later");
  lone("urgent", 5);
  EXPECT_EQ(pop(), "t/urgent");
  EXPECT_EQ(pop(), "t/early-name");
  EXPECT_EQ(pop(), "t/late-name");
  EXPECT_EQ(pop(), "t/later");
  EXPECT_EQ(pop(), "");
}

TEST_F(QueueTest, keepsPodsOfAnUnknownGroupIncompleteUntilItAppears) {
  const PodId a = member("a", "g");
  EXPECT_TRUE(queue_.incomplete(a));
  EXPECT_EQ(pop(), "");
  gang("g", 1);
  EXPECT_FALSE(queue_.incomplete(a));
  EXPECT_EQ(pop(), "t/g");
}

TEST_F(QueueTest, keepsAGroupAndACompositeOfOneNameApart) {
  gang("twin", 1);
  member("a", "twin");
  auto composite = std::make_shared<model::CompositePodGroup>();
  composite->meta.ns = "t";
  composite->meta.name = "twin";
  queue_.group_changed(groups_.set(composite), GroupNews::other, now_);
  queue_.group_changed(groups_.set(pod_group("child").gang(1).parent("twin")), GroupNews::other,
                       now_);
  member("b", "child");
  EXPECT_EQ(pop(), "t/twin");
  EXPECT_FALSE(last_->composite);
  EXPECT_EQ(pop(), "t/twin");
  EXPECT_TRUE(last_->composite);
  EXPECT_EQ(pop(), "");
}

TEST_F(QueueTest, gatesAGangUntilItsQuorumExists) {
  gang("g", 2);
  member("a", "g");
  EXPECT_EQ(pop(), "");
  member("b", "g");
  EXPECT_EQ(pop(), "t/g");
  EXPECT_EQ(last_->members.size(), 2U);
}

TEST_F(QueueTest, gatesAWholeGroupForOneGatedMember) {
  gang("g", 1);
  member("a", "g");
  const PodId gated = cluster_.set_pod(pod("b").group("g").gate("x"));
  const GroupId leaf = *groups_.find("t", "g", false);
  groups_.add_pod(leaf, gated, GroupTable::Membership::pending);
  queue_.add_pod(gated, leaf, now_);
  EXPECT_EQ(pop(), "");
  cluster_.set_pod(pod("b").group("g"));
  queue_.update_pod(gated, now_);
  EXPECT_EQ(pop(), "t/g");
}

TEST_F(QueueTest, hearsOfDevicesForAGangThatWaitedForItsQuorumBefore) {
  struct Claims : Plugin, PreEnqueuePlugin {
    bool ready = false;
    std::string_view name() const override { return "Claims"; }
    EventKind wakes_on() const override { return EventKind::devices; }
    PluginStatus pre_enqueue(const Cluster&, const GroupTable&, PodId) const override {
      return ready ? PluginStatus{} : PluginStatus{Code::unresolvable, name(), "not made yet"};
    }
  };
  auto& claims = test::enable(profile_, std::make_unique<Claims>(), profile_.pre_enqueue);
  for (const std::string group : {"grows", "is-told-less"}) {
    claims.ready = false;
    gang(group, 2);
    member(group + "-a", group);
    if (group == "grows") {
      member(group + "-b", group);
    } else {
      gang(group, 1);
    }
    EXPECT_EQ(pop(), "");
    claims.ready = true;
    queue_.wake({.kinds = EventKind::devices, .node = {}}, now_);
    EXPECT_EQ(pop(), "t/" + group);
  }
}

TEST_F(QueueTest, backsAGangOffWithDoublingUpToACapThatGrowsWithTheRootOfItsSize) {
  gang("g", 4);
  for (const auto* name : {"a", "b", "c", "d"}) member(name, "g");
  std::vector<Millis> waits;
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(pop(), "t/g");
    queue_.rejected(*last_, {}, now_);
    ASSERT_EQ(pop(), "");
    const auto next = queue_.next_wakeup();
    ASSERT_TRUE(next.has_value());
    waits.push_back(*next - now_);
    now_ = *next;
  }
  EXPECT_EQ(waits, (std::vector<Millis>{1s, 2s, 4s, 8s, 16s, 20s, 20s}));
}

TEST_F(QueueTest, endsTheBackoffOfAGangEarlyWhenRoomMayHaveCome) {
  gang("g", 4);
  for (const char* name : {"a", "b", "c", "d"}) member(name, "g");
  for (int attempt = 1; attempt <= 6; ++attempt) {
    ASSERT_EQ(pop(), "t/g");
    queue_.rejected(*last_, fit(), now_);
    if (attempt < 6) now_ = last_->ready_at;
  }
  const Instant tried = now_;
  ASSERT_EQ(last_->ready_at, tried + 20s);
  now_ += 500ms;
  queue_.wake({.kinds = EventKind::node_labels, .node = {}}, now_);
  EXPECT_EQ(pop(), "") << "nothing that the rejecter waits for";
  EXPECT_EQ(queue_.next_wakeup(), tried + 20s);
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "") << "four members come around every two seconds at most";
  EXPECT_EQ(queue_.next_wakeup(), tried + 2s);
  now_ = tried + 2s;
  EXPECT_EQ(pop(), "t/g");
}

TEST_F(QueueTest, hurriesManyGangsAlongLessOften) {
  constexpr int kGangs = 300;
  for (int i = 0; i < kGangs; ++i) {
    gang("g" + std::to_string(i), 1);
    member("p" + std::to_string(i), "g" + std::to_string(i));
  }
  for (int attempt = 1; attempt <= 5; ++attempt) {
    Instant ready;
    for (int i = 0; i < kGangs; ++i) {
      ASSERT_NE(pop(), "");
      queue_.rejected(*last_, fit(), now_);
      ready = last_->ready_at;
    }
    if (attempt < 5) now_ = ready;
  }
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "");
  EXPECT_EQ(queue_.next_wakeup(), now_ + 3s);
}

TEST_F(QueueTest, letsTheBackoffOfAnErrorPass) {
  gang("g", 1);
  member("a", "g");
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(pop(), "t/g");
    queue_.failed(*last_, now_);
    if (attempt < 3) now_ = last_->ready_at;
  }
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "");
  EXPECT_EQ(queue_.next_wakeup(), now_ + 4s);
}

TEST_F(QueueTest, countsErrorsApartFromRejections) {
  gang("g", 1);
  member("a", "g");
  ASSERT_EQ(pop(), "t/g");
  queue_.rejected(*last_, {}, now_);
  now_ += 1s;
  ASSERT_EQ(pop(), "t/g");
  queue_.failed(*last_, now_);
  EXPECT_EQ(*queue_.next_wakeup() - now_, 1s);
}

TEST_F(QueueTest, triesTheRestOfAPlacedGroupAtOnce) {
  gang("g", 1);
  const PodId a = member("a", "g");
  member("b", "g");
  ASSERT_EQ(pop(), "t/g");
  queue_.placed(*last_, {a}, now_);
  EXPECT_EQ(pop(), "t/g");
  EXPECT_EQ(last_->members.size(), 1U);
}

TEST_F(QueueTest, triesAGangAtOnceWhenItsMinimumFell) {
  gang("g", 2);
  member("a", "g");
  member("b", "g");
  ASSERT_EQ(pop(), "t/g");
  queue_.rejected(*last_, {}, now_);
  EXPECT_EQ(pop(), "");
  queue_.group_changed(groups_.set(pod_group("g").gang(1)), GroupNews::lower_minimum, now_);
  EXPECT_EQ(pop(), "t/g");
}

TEST_F(QueueTest, parksARejectedPodUntilAnEventItsRejecterNamed) {
  lone("a");
  ASSERT_EQ(pop(), "t/a");
  queue_.rejected(*last_, fit(), now_);
  now_ += 1min;
  EXPECT_EQ(pop(), "");
  queue_.wake({.kinds = EventKind::node_labels, .node = {}}, now_);
  EXPECT_EQ(pop(), "");
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "t/a");
}

TEST_F(QueueTest, isNotSettledWhileAWokenPodWaitsForItsBackoff) {
  lone("a");
  ASSERT_EQ(pop(), "t/a");
  queue_.rejected(*last_, fit(), now_);
  EXPECT_TRUE(queue_.settled());
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "");
  EXPECT_FALSE(queue_.settled());
  EXPECT_EQ(queue_.next_wakeup(), now_ + 1s);
}

TEST_F(QueueTest, sendsOneOfManyIdenticalPodsToProbe) {
  for (const auto* name : {"a", "b", "c"}) lone(name);
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(pop(), "");
    queue_.rejected(*last_, fit(), now_);
  }
  now_ += 1min;
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "t/a");
  Entity& probe = *last_;
  EXPECT_EQ(pop(), "");
  // The probe fitted: the next one follows, and when that does not fit the others stay.
  queue_.placed(probe, {probe.pod}, now_);
  EXPECT_EQ(pop(), "t/b");
  queue_.rejected(*last_, fit(), now_);
  EXPECT_EQ(pop(), "");
}

// Pods of an Indexed Job have a label each; nobody selects by it, so one of them speaks for all.
TEST_F(QueueTest, sendsOneOfManyPodsToProbeWhoseLabelsNobodySelects) {
  for (int i = 0; i < 3; ++i) {
    const PodId id =
        cluster_.set_pod(pod("p" + std::to_string(i)).cpu("1").label("index", std::to_string(i)));
    queue_.add_pod(id, {}, now_);
    ASSERT_NE(pop(), "");
    queue_.rejected(*last_, fit(), now_);
  }
  now_ += 1min;
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "t/p0");
  EXPECT_EQ(pop(), "");
}

TEST_F(QueueTest, goesOnProbingAClassWhoseScoutWasRejectedByOthers) {
  struct Other : Plugin {
    std::string_view name() const override { return "Other"; }
    EventKind wakes_on() const override { return EventKind::storage; }
  } other;
  lone("a");
  lone("b");
  ASSERT_EQ(pop(), "t/a");
  queue_.rejected(*last_, fit(), now_);
  ASSERT_EQ(pop(), "t/b");
  queue_.rejected(*last_, fit(), now_);
  now_ += 1min;
  queue_.wake(node_added(), now_);
  ASSERT_EQ(pop(), "t/a");
  queue_.rejected(*last_, {&other}, now_);
  now_ += 1min;
  queue_.wake(node_added(), now_);
  EXPECT_EQ(pop(), "t/b");
}

TEST_F(QueueTest, comesToRestWithParkedPodsOfSeveralClasses) {
  const auto park = [&](const std::string& name, const std::string& cpu) {
    queue_.add_pod(cluster_.set_pod(pod(name).cpu(cpu)), {}, now_);
    ASSERT_EQ(pop(), "t/" + name);
    queue_.rejected(*last_, fit(), now_);
  };
  park("a", "1");
  now_ += 1min;
  park("b", "2");
  cluster_.raise_observed_version();
  int attempts = 0;
  while (!queue_.settled() && attempts < 10) {
    now_ = std::max(now_, *queue_.next_wakeup());
    while (pop() != "") {
      ++attempts;
      queue_.rejected(*last_, fit(), now_);
    }
  }
  EXPECT_EQ(attempts, 2);
}

TEST_F(QueueTest, rehearsalsChangeNothingForWhoWasTriedBeforeThem) {
  cluster_.raise_observed_version();
  lone("a");
  ASSERT_EQ(pop(), "t/a");
  queue_.rejected(*last_, fit(), now_);
  for (int rehearsal = 0; rehearsal < 3; ++rehearsal) {
    const std::uint64_t before = cluster_.versions().observed;
    cluster_.raise_observed_version();
    EXPECT_FALSE(queue_.settled());
    queue_.tried_against(before, cluster_.versions().observed);
    EXPECT_TRUE(queue_.settled());
  }
  cluster_.raise_observed_version();  // something did change
  EXPECT_FALSE(queue_.settled());
  const std::uint64_t before = cluster_.versions().observed;
  cluster_.raise_observed_version();
  queue_.tried_against(before, cluster_.versions().observed);
  EXPECT_FALSE(queue_.settled());
}

TEST_F(QueueTest, putsARepairBeforeEverythingElse) {
  gang("g", 1);
  const PodId a = member("a", "g");
  ASSERT_EQ(pop(), "t/g");
  queue_.placed(*last_, {a}, now_);
  lone("urgent", 100);
  queue_.return_pod(a, *groups_.find("t", "g", false), {.why = "refused", .repair = true}, now_);
  EXPECT_EQ(pop(), "t/g");
}

TEST_F(QueueTest, forgetsRemovedPods) {
  const PodId a = lone("a");
  queue_.remove_pod(a, now_);
  EXPECT_EQ(queue_.entity_of(a), nullptr);
  EXPECT_EQ(pop(), "");
}

TEST_F(QueueTest, holdsAGangAgainThatLostItsQuorum) {
  gang("g", 2);
  member("a", "g");
  const PodId b = member("b", "g");
  ASSERT_EQ(pop(), "t/g");
  queue_.rejected(*last_, {}, now_);
  groups_.remove_pod(*groups_.find("t", "g", false), b);
  queue_.remove_pod(b, now_);
  now_ += 1min;
  EXPECT_EQ(pop(), "");
  EXPECT_TRUE(queue_.settled());
}

}  // namespace
}  // namespace tutti::core
