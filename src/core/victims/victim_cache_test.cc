#include "core/victims/victim_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/build.h"

namespace tutti::core {
namespace {

class VictimMemoryTest : public testing::Test {
 protected:
  VictimMemoryTest() : node_(cluster_.set_node(test::node("n1").cpu("8"))) {}

  void add(const std::string& name, std::int32_t priority = 0) {
    auto pod = std::make_shared<model::Pod>(*test::pod(name).cpu("1").on("n1").build());
    pod->priority = priority;
    cluster_.set_pod(pod);
  }
  void remove(const std::string& name) {
    cluster_.remove_pod(*cluster_.pods().find("pod-" + name));
  }
  std::string order() {
    std::string text;
    for (const PodId pod : memory_.in_order(cluster_, node_)) {
      text += cluster_.pod(pod).object->meta.name;
    }
    return text;
  }

  Cluster cluster_;
  NodeId node_;
  VictimCache memory_;
};

TEST_F(VictimMemoryTest, ordersPodsByName) {
  for (const char* name : {"c", "a", "b"}) add(name);
  EXPECT_EQ(order(), "abc");
  EXPECT_EQ(order(), "abc");
}

TEST_F(VictimMemoryTest, tellsApartPodsThatHaveTheSameNumberOneAfterTheOther) {
  for (const char* name : {"b", "c"}) add(name);
  EXPECT_EQ(order(), "bc");
  remove("c");
  add("a");
  EXPECT_EQ(order(), "ab");
}

TEST_F(VictimMemoryTest, noticesWhoIsAwayAndWhoIsBack) {
  for (const char* name : {"a", "b"}) add(name);
  EXPECT_EQ(order(), "ab");
  const PodId first = *cluster_.pods().find("pod-a");
  cluster_.lift(first);
  EXPECT_EQ(order(), "b");
  cluster_.put_back(first, node_);
  EXPECT_EQ(order(), "ab");
}

TEST_F(VictimMemoryTest, noticesThatTheNodeWasReplaced) {
  for (const char* name : {"a", "b"}) add(name);
  EXPECT_EQ(order(), "ab");
  cluster_.remove_node("n1");
  ASSERT_EQ(cluster_.set_node(test::node("n2").cpu("8")), node_) << "the slot was to be used again";
  EXPECT_EQ(order(), "");
}

// The journal keeps a part of what happened only.
TEST_F(VictimMemoryTest, noticesAChangeThatTheJournalNoLongerHas) {
  for (const char* name : {"a", "b"}) add(name);
  EXPECT_EQ(order(), "ab");
  const std::uint64_t seen = cluster_.journal().end();
  remove("a");
  for (int i = 0; cluster_.journal().since(seen).has_value(); ++i) {
    ASSERT_LT(i, 10'000'000);
    add("c");
    remove("c");
  }
  EXPECT_EQ(order(), "b");
}

TEST_F(VictimMemoryTest, noticesThatAPodHasChanged) {
  add("a", 5);
  const PodId pod = *cluster_.pods().find("pod-a");
  EXPECT_EQ(memory_.facts(cluster_, pod).priority, 5);
  auto changed = std::make_shared<model::Pod>(*cluster_.pod(pod).object);
  changed->meta.deletion = Instant{};
  cluster_.set_pod(changed);
  EXPECT_TRUE(memory_.facts(cluster_, pod).terminating);
}

}  // namespace
}  // namespace tutti::core
