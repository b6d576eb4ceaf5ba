#include "core/cluster/cluster.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/random.h"
#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

TEST(Cluster, countsAPodOnTheNodeItNames) {
  Cluster cluster;
  const NodeId n1 = cluster.set_node(node("n1"));
  const PodId a = cluster.set_pod(pod("a").cpu("2").on("n1"));
  EXPECT_EQ(cluster.resources().used(kCpu)[n1.index], 2000);
  EXPECT_EQ(cluster.resources().used(kPods)[n1.index], 1);
  cluster.remove_pod(a);
  EXPECT_EQ(cluster.resources().used(kCpu)[n1.index], 0);
  EXPECT_EQ(cluster.check_consistency(), "");
}

TEST(Cluster, countsPodsOfAnUnknownNodeWhenItAppears) {
  Cluster cluster;
  cluster.set_pod(pod("a").cpu("2").on("n1"));
  const NodeId n1 = cluster.set_node(node("n1"));
  EXPECT_EQ(cluster.resources().used(kCpu)[n1.index], 2000);
  cluster.remove_node("n1");
  EXPECT_EQ(cluster.check_consistency(), "");
  const NodeId again = cluster.set_node(node("n1"));
  EXPECT_EQ(cluster.resources().used(kCpu)[again.index], 2000);
}

TEST(Cluster, keepsAnAssumptionUntilThePodIsSeenSomewhere) {
  Cluster cluster;
  const NodeId n1 = cluster.set_node(node("n1"));
  const NodeId n2 = cluster.set_node(node("n2"));
  const PodId a = cluster.set_pod(pod("a").cpu("1"));
  cluster.place(a, n1);
  cluster.set_pod(pod("a").cpu("1").label("new", "label"));
  EXPECT_EQ(cluster.pod(a).node, n1);
  EXPECT_TRUE(cluster.pod(a).assumed);
  cluster.set_pod(pod("a").cpu("1").on("n2"));
  EXPECT_EQ(cluster.pod(a).node, n2);
  EXPECT_FALSE(cluster.pod(a).assumed);
  EXPECT_EQ(cluster.check_consistency(), "");
}

TEST(Cluster, countsDemandingPodsOfAClass) {
  Cluster cluster;
  const NodeId n1 = cluster.set_node(node("n1").cpu("64"));
  const auto classed = [](const std::string& name) {
    return pod(name).on("n1").label(std::string(kWorkClass), "batch");
  };
  const auto batch = [&] { return cluster.resources().demanding(WorkClass::batch)[n1.index]; };
  cluster.set_pod(classed("little").cpu("1"));
  EXPECT_EQ(batch(), 0U);
  cluster.set_pod(classed("cores").cpu("8"));
  cluster.set_pod(classed("devices").request("nvidia.com/gpu", "1"));
  cluster.set_pod(classed("class").request("deviceclass.resource.kubernetes.io/gpu", "1"));
  cluster.set_pod(classed("claims").with([](model::PodSpec& spec) {
    spec.resource_claims.push_back({.name = "c", .claim_name = "c", .template_name = {}});
  }));
  EXPECT_EQ(batch(), 4U);
  EXPECT_EQ(cluster.check_consistency(), "");
}

TEST(Cluster, learnsTheClassOfAPodFromItselfOrFromItsGroup) {
  Cluster cluster;
  const NodeId n1 = cluster.set_node(node("n1"));
  const ClassWords training{WorkClass::training, WorkClass::none};
  const PodId silent = cluster.set_pod(pod("silent").cpu("8").group("g").on("n1"));
  const PodId own =
      cluster.set_pod(pod("own").cpu("8").group("g").label(std::string(kWorkClass), "batch"));
  cluster.hold(own, n1);
  EXPECT_EQ(cluster.pod(silent).work, WorkClass::none);
  EXPECT_TRUE(cluster.set_group_class("t", "g", training));
  EXPECT_FALSE(cluster.set_group_class("t", "g", training)) << "no news";
  for (const PodId each : {silent, own}) cluster.reclassify(each);
  EXPECT_EQ(cluster.class_of(silent).work, WorkClass::training);
  EXPECT_EQ(cluster.class_of(own).work, WorkClass::training) << "annotations before labels";
  EXPECT_EQ(cluster.resources().demanding(WorkClass::training)[n1.index], 2U)
      << "a held pod counts";
  EXPECT_EQ(cluster.check_consistency(), "");

  auto annotated =
      std::make_shared<model::Pod>(*pod("silent").cpu("8").group("g").on("n1").build());
  test::put(annotated->meta.annotations, std::string(kWorkClass), std::string("inference"));
  cluster.refresh_pod(silent, annotated);
  EXPECT_EQ(cluster.pod(silent).work, WorkClass::inference);
  EXPECT_TRUE(cluster.set_group_class("t", "g", {}));
  for (const PodId each : {silent, own}) cluster.reclassify(each);
  EXPECT_EQ(cluster.pod(own).work, WorkClass::batch);
  EXPECT_EQ(cluster.check_consistency(), "");
}

TEST(Cluster, letsGoOfTheSpecsOfPodsThatAreGone) {
  Cluster cluster;
  const auto come_and_go = [&](int number) {
    const std::shared_ptr<const model::Pod> made = pod("p" + std::to_string(number)).build();
    cluster.remove_pod(cluster.set_pod(made));
    return std::weak_ptr(made->spec);
  };
  (void)come_and_go(0);  // its spec stands for those that ask for the same
  EXPECT_TRUE(come_and_go(1).expired());
}

TEST(Cluster, ranksNodesByName) {
  Cluster cluster;
  const NodeId b = cluster.set_node(node("b"));
  const NodeId a = cluster.set_node(node("a"));
  EXPECT_LT(cluster.nodes().name_ranks()[a.index], cluster.nodes().name_ranks()[b.index]);
}

TEST(Cluster, followsLabelsIntoDomains) {
  Cluster cluster;
  const NodeId n1 = cluster.set_node(node("n1").label("zone", "z1"));
  const DomainColumn& zones = cluster.labels().domains("zone");
  EXPECT_EQ(zones.values[zones.domain_of[n1.index]], "z1");
  cluster.set_node(node("n1").label("zone", "z2"));
  EXPECT_EQ(zones.values[zones.domain_of[n1.index]], "z2");
  cluster.set_node(node("n1"));
  EXPECT_EQ(zones.domain_of[n1.index], DomainColumn::kNone);
  EXPECT_EQ(cluster.check_consistency(), "");
}

TEST(Cluster, equalsOneRebuiltFromScratchAfterAnyHistory) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Cluster cluster;
    const auto node_name = [&] { return "n" + std::to_string(random.below(4)); };
    const auto any_pod = [&] {
      auto made = pod("p" + std::to_string(random.below(10)));
      made.cpu(std::to_string(random.below(3))).label("app", std::to_string(random.below(2)));
      if (random.below(4) == 0) made.host_port(80);
      if (random.below(4) == 0) made.anti_affinity("zone", "app", "1");
      if (random.below(4) == 0) made.claim("data");
      if (random.below(2) == 0) made.request("nvidia.com/gpu", "1");
      if (random.below(3) == 0) made.label(std::string(kWorkClass), "batch");
      if (random.below(3) == 0) made.group("g");
      return made;
    };
    const auto any_class = [&] { return static_cast<WorkClass>(random.below(kWorkClassCount)); };
    for (int step = 0; step < 150; ++step) {
      switch (random.below(6)) {
        case 5:
          if (!cluster.set_group_class("t", "g", {any_class(), any_class()})) break;
          for (std::uint32_t i = 0; i < cluster.pods().slots(); ++i) {
            if (cluster.pod({i}).object != nullptr) cluster.reclassify({i});
          }
          break;
        case 0:
          cluster.set_node(node(node_name()).label("zone", std::to_string(random.below(2))));
          break;
        case 1:
          cluster.remove_node(node_name());
          break;
        case 2:
          cluster.set_pod(any_pod().on(node_name()));
          break;
        case 3:
          cluster.set_pod(any_pod());
          break;
        default:
          if (const auto known = cluster.pods().find(any_pod().build()->meta.uid)) {
            cluster.remove_pod(*known);
          }
      }
      ASSERT_EQ(cluster.check_consistency(), "") << "step " << step;
    }
  }
}

TEST(Journal, dropsItsOlderHalfWhenItIsFull) {
  Journal journal;
  constexpr std::uint64_t kFull = 1U << 16;
  for (std::uint64_t i = 0; i < kFull; ++i) journal.append({});
  ASSERT_TRUE(journal.since(0).has_value());
  EXPECT_EQ(journal.since(0)->size(), kFull);
  journal.append({});
  EXPECT_EQ(journal.end(), kFull + 1);
  EXPECT_FALSE(journal.since(kFull / 2 - 1).has_value());
  ASSERT_TRUE(journal.since(kFull / 2).has_value());
  EXPECT_EQ(journal.since(kFull / 2)->size(), kFull / 2 + 1);
}

TEST(Interned, freesWhatNobodyHasOnceThatIsTheMajority) {
  Interned<ShapeId, std::uint32_t> numbers;
  const auto find = [&](std::uint32_t wanted) {
    return numbers.find(wanted, [&](std::uint32_t known) { return known == wanted; });
  };
  const ShapeId kept = numbers.add(0, 0);
  numbers.use(kept);
  for (std::uint32_t i = 1; i <= 1023; ++i) numbers.add(i, i);
  EXPECT_FALSE(numbers.sweep()) << "few are not worth it";
  numbers.add(1024, 1024);
  EXPECT_TRUE(numbers.sweep());
  EXPECT_EQ(find(0), kept);
  EXPECT_FALSE(find(1024).valid());
  const ShapeId next = numbers.add(2000, 2000);
  EXPECT_LT(next.index, 1025U) << "an id is given out again";
  EXPECT_EQ(numbers.at(next), 2000U);
  EXPECT_EQ(numbers.slots(), 1025U);
}

}  // namespace
}  // namespace tutti::core
