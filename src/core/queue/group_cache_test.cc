#include "core/queue/group_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "base/random.h"
#include "core/scheduler/scheduler.h"
#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using test::pod_group;

// A gang of two waiting members.
class RosterTest : public testing::Test {
 protected:
  RosterTest() {
    entity_.root = groups_.set(pod_group("g").gang(2).build());
    for (const std::string name : {"b", "a"}) {
      const PodId id = cluster_.set_pod(pod(name).group("g"));
      leaf_of_[id] = entity_.root;
      groups_.add_pod(entity_.root, id, GroupTable::Membership::pending);
      entity_.members[id] = {.pod = id, .joined = 0, .added = {}};
    }
    refresh(cluster_, groups_, leaf_of_, entity_);
  }

  Cluster cluster_;
  GroupTable groups_;
  Entity entity_;
  std::unordered_map<PodId, GroupId> leaf_of_;
};

TEST_F(RosterTest, listsMembersInTheOrderTheyAreTried) {
  const GroupCache* group_cache = current_roster(groups_, entity_);
  ASSERT_NE(group_cache, nullptr);
  ASSERT_EQ(group_cache->tree.members.size(), 2U);
  EXPECT_EQ(cluster_.pod(group_cache->tree.members.front()).object->meta.name, "a");
  EXPECT_TRUE(group_cache->tree.facts->one_shape);
}

TEST_F(RosterTest, isKeptWhileNothingHappensToTheGroup) {
  const GroupCache* before = current_roster(groups_, entity_);
  groups_.set(pod_group("other").gang(2).build());
  refresh(cluster_, groups_, leaf_of_, entity_);
  EXPECT_EQ(current_roster(groups_, entity_), before);
}

TEST_F(RosterTest, isOutOfDateOnceTheGroupOrAMemberChanged) {
  const PodId member = entity_.members.begin()->first;
  const std::function<void()> changes[] = {
      [&] { groups_.set(pod_group("g").gang(1).build()); },
      [&] { groups_.touch(entity_.root); },
      [&] { groups_.add_pod(entity_.root, member, GroupTable::Membership::assumed); },
      [&] { groups_.remove_pod(entity_.root, member); },
  };
  for (const auto& change : changes) {
    refresh(cluster_, groups_, leaf_of_, entity_);
    ASSERT_NE(current_roster(groups_, entity_), nullptr);
    change();
    EXPECT_EQ(current_roster(groups_, entity_), nullptr);
  }
}

// Whatever happens, check_consistency() draws every current roster up anew and compares.
class ChangingGangs {
 public:
  explicit ChangingGangs(std::uint64_t seed) : random_(seed), scheduler_({}, profiles(), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_.check_consistency(), ""); };
  }

  void step() {
    const std::string number = std::to_string(random_.below(6));
    const std::string name = "g" + std::to_string(random_.below(2));
    switch (random_.below(7)) {
      case 0:
        return port_.apply(node("n" + number).cpu(std::to_string(1 + random_.below(3))).build());
      case 1:
        return port_.apply(pod_group(name).gang(1 + static_cast<int>(random_.below(4))).build());
      case 2:
        return remove(model::Kind::node, {}, "n" + number);
      case 3:
        return remove(model::Kind::pod, "t", name + "-" + number);
      case 4:
        port_.advance(20s);
        return port_.run_instant();
      default:
        return change_member(name, name + "-" + number);
    }
  }

 private:
  static std::vector<Profile> profiles() {
    std::vector<Profile> made;
    made.push_back(test::small_profile());
    return made;
  }

  void remove(model::Kind kind, const std::string& ns, const std::string& name) {
    if (port_.objects().contains({kind, ns, name, {}})) port_.remove(kind, ns, name);
  }

  // What no plugin reads, what decides about the order, or what makes it another class.
  void change_member(const std::string& group, const std::string& name) {
    if (!port_.node_of(name).empty()) return;
    auto made = pod(name).group(group).cpu(std::to_string(1 + random_.below(2)));
    if (random_.below(4) == 0) made.priority(3);
    auto changed = std::make_shared<model::Pod>(*made.build());
    if (random_.below(2) == 0) changed->status.nominated_node = "n0";
    if (random_.below(2) == 0) {
      test::put(changed->meta.annotations, "kueue.x-k8s.io/podset-required-topology",
                std::string("rack"));
    }
    port_.apply(std::shared_ptr<const model::Pod>(changed));
  }

  Random random_;
  test::FakePort port_;
  Scheduler scheduler_;
};

TEST(GroupCache, isWhatDrawingItUpAnewWouldGiveWheneverItIsCurrent) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    ChangingGangs gangs(seed);
    for (int i = 0; i < 80; ++i) ASSERT_NO_FATAL_FAILURE(gangs.step());
  }
}

}  // namespace
}  // namespace tutti::core
