#include "explain/findings/demand.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>

#include "explain/findings/blocker_choice.h"
#include "support/build.h"
#include "support/fake_filters.h"

namespace tutti::explain {
namespace {

using Membership = core::GroupTable::Membership;

constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";

struct DemandStage {
  core::Cluster cluster;
  core::GroupTable groups;
  core::Profile profile = test::plain_profile();
  core::GroupId group;

  void node(int number, int cpu, int used) {
    const auto name = "n" + std::to_string(number);
    cluster.set_node(test::node(name).cpu(std::to_string(cpu)));
    if (used == 0) return;
    cluster.set_pod(test::pod("used-" + name).cpu(std::to_string(used)).on(name).build());
  }
  void gang(int minimum) { group = groups.set(test::pod_group("g").gang(minimum).build()); }
  void member(int number, int cpu) {
    const auto pod = test::pod("m" + std::to_string(number)).cpu(std::to_string(cpu)).group("g");
    groups.add_pod(group, cluster.set_pod(pod.build()), Membership::pending);
  }
  void indexed_member(int number) {
    const auto name = "m" + std::to_string(number);
    const auto pod = test::pod(name).cpu("1").group("g").label(kIndex, std::to_string(number));
    groups.add_pod(group, cluster.set_pod(pod.build()), Membership::pending);
  }
  Demand demand() const { return demand_of_group(cluster, groups, group, &profile); }
};

const Balance& cpu_of(const std::vector<Balance>& all) {
  return *std::ranges::find(all, core::kCpu, &Balance::resource);
}

TEST(Demand, countsTheCheapestMembersThatWouldDo) {
  DemandStage stage;
  stage.node(1, 10, 4);
  stage.gang(2);
  stage.member(1, 5);
  stage.member(2, 1);
  stage.member(3, 2);
  const auto demand = stage.demand();
  EXPECT_EQ(demand.classes.size(), 3U);
  EXPECT_EQ(demand.missing, 2U);
  const auto all = balances(stage.cluster, demand, stage.cluster.nodes().live(), Room::free);
  EXPECT_EQ(cpu_of(all).need, 3000);
  EXPECT_EQ(cpu_of(all).have, 6000);
}

// Refuses the member with completion index 1 everywhere.
core::PluginStatus judge_index(const core::Cluster&, const core::PodClass& pods, core::NodeId) {
  const auto* index = model::find(pods.sample->meta.labels, kIndex);
  if (index == nullptr || *index != "1") return {};
  return {core::Code::unschedulable, {}, "not this one"};
}

TEST(Demand, membersThatDifferInLabelsAreAlikeWhereFiltersSaySo) {
  struct Case {
    std::string_view name;
    bool labels_are_read, one_is_refused;
    std::size_t classes;
  };
  const Case cases[] = {{"nobody reads labels", false, false, 1},
                        {"labels are read, and make no difference", true, false, 1},
                        {"labels make a difference", true, true, 2}};
  for (const auto& [name, labels_are_read, one_is_refused, classes] : cases) {
    SCOPED_TRACE(name);
    DemandStage stage;
    stage.node(1, 4, 0);
    if (labels_are_read) stage.profile.looks = core::PodAspects::labels;
    if (one_is_refused)
      test::add_filter<test::FakeFilter>(stage.profile, "Own", core::Concern::nodes, judge_index);
    stage.gang(3);
    for (int i = 0; i < 3; ++i) stage.indexed_member(i);
    const auto demand = stage.demand();
    EXPECT_EQ(demand.classes.size(), classes);
    EXPECT_EQ(demand.classes.front().count, 4 - classes);
  }
}

TEST(Demand, leavesOutMembersThatRun) {
  DemandStage stage;
  stage.node(1, 10, 0);
  stage.gang(3);
  stage.member(1, 1);
  stage.member(2, 1);
  const auto placed = stage.cluster.set_pod(test::pod("r").cpu("1").group("g").on("n1").build());
  stage.groups.add_pod(stage.group, placed, Membership::assigned);
  const auto demand = stage.demand();
  EXPECT_EQ(demand.running, 1U);
  EXPECT_EQ(demand.missing, 2U);
}

TEST(Demand, ofACompositeIsItsCheapestChildren) {
  core::GroupTable groups;
  auto top = std::make_shared<model::CompositePodGroup>();
  top->meta.ns = "t";
  top->meta.name = "top";
  top->spec.policy = {true, 2};
  const auto root = groups.set(std::shared_ptr<const model::CompositePodGroup>(top));
  groups.set(test::pod_group("a").gang(8).parent("top").build());
  groups.set(test::pod_group("b").gang(2).parent("top").build());
  groups.set(test::pod_group("c").gang(3).parent("top").build());
  EXPECT_EQ(required_pods(groups, root), 5U);
}

TEST(FilterSurvey, countsNodesThatOneObjectionKeepsAway) {
  core::Cluster cluster;
  const auto profile = test::plain_profile();
  cluster.set_node(test::node("tainted").label("zone", "a").taint("x", "", "NoSchedule"));
  cluster.set_node(test::node("both").taint("x", "", "NoSchedule"));
  cluster.set_node(test::node("small").cpu("1").label("zone", "a"));
  const auto pod = cluster.set_pod(test::pod("p").cpu("2").node_selector("zone", "a").build());
  const auto made = survey(cluster, profile, cluster.class_of(pod));
  const std::vector<Rejection> expected = {
      {"TaintToleration", core::Code::unresolvable, 1, core::Concern::taints}};
  EXPECT_EQ(made.nearest(), expected);
  EXPECT_TRUE(made.accepted().none());
  EXPECT_EQ(made.accepted_but_for(Blocker::capacity).count(), 1U);
}

// Gangs of equal members with nothing but cpu to fight over: small enough to count by hand.
struct Numbers {
  std::size_t fit_free = 0;
  std::size_t fit_empty = 0;
  std::int64_t free = 0;
  std::int64_t all = 0;
  std::int64_t largest = 0;
};

RC_GTEST_PROP(BlockerChoice, agreesWithCountingByHand, ()) {
  DemandStage stage;
  const int nodes = *rc::gen::inRange(1, 6);
  const int each = *rc::gen::inRange(1, 6);
  const int members = *rc::gen::inRange(1, 10);
  Numbers numbers;
  for (int i = 0; i < nodes; ++i) {
    const int cpu = *rc::gen::inRange(1, 9);
    const int used = *rc::gen::inRange(0, cpu + 1);
    stage.node(i, cpu, used);
    numbers.fit_free += static_cast<std::size_t>((cpu - used) / each);
    numbers.fit_empty += static_cast<std::size_t>(cpu / each);
    numbers.free += 1000 * (cpu - used);
    numbers.all += 1000 * cpu;
    numbers.largest = std::max<std::int64_t>(numbers.largest, 1000 * cpu);
  }
  stage.gang(members);
  for (int i = 0; i < members; ++i) stage.member(i, each);
  const auto missing = static_cast<std::size_t>(members);
  const bool too_large = numbers.fit_empty == 0;  // then it is one member against one node
  const std::int64_t need = 1000 * each * (too_large ? 1 : members);
  RC_PRE(numbers.fit_free < missing);

  core::Attempt attempt;
  attempt.code = core::Code::unschedulable;
  core::ClassReport report;
  report.sample = *stage.groups[stage.group].pending.begin();
  report.diagnosis = {static_cast<std::size_t>(nodes),
                      {{"NodeResourcesFit", "Insufficient cpu", core::Code::unschedulable, 1,
                        core::Concern::resources}}};
  attempt.classes.push_back(report);
  const BlockerChoice ruling = classify(attempt, stage.cluster, stage.demand());

  const bool impossible = numbers.fit_empty < missing;
  RC_ASSERT((ruling.state == State::impossible) == impossible);
  RC_ASSERT(ruling.balance.has_value());
  RC_ASSERT(ruling.balance->resource == core::kCpu);
  RC_ASSERT(ruling.balance->need == need);
  RC_ASSERT(ruling.too_large == too_large);
  RC_ASSERT(ruling.balance->have == (too_large    ? numbers.largest
                                     : impossible ? numbers.all
                                                  : numbers.free));
  const bool enough_in_total = ruling.balance->have >= need;
  if (impossible) {
    RC_ASSERT((ruling.blocker == Blocker::fragmentation) ==
              (enough_in_total && numbers.fit_empty > 0));
  } else {
    RC_ASSERT(ruling.blocker == (enough_in_total ? Blocker::fragmentation : Blocker::capacity));
  }
}

}  // namespace
}  // namespace tutti::explain
