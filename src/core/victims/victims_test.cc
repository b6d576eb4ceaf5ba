// The rules by which find_victims says who could be evicted, and in which units.
#include "core/victims/victims.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/victims/victim_cost.h"
#include "support/build.h"
#include "support/victim_scene.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using model::DisruptionMode;
using test::kVictimsNow;
using test::VictimScene;

using Given = std::function<void(VictimScene&)>;

// A group for a group to preempt for: v1alpha2 modes mean something else to lone pods.
void ask_for_a_group(VictimScene& scene) {
  scene.preemptor_root = scene.groups.set(test::pod_group("asker").gang(1).build());
}

struct UnitRule {
  std::string_view name;
  Given given;
  std::string units;
};

void expect_units(const UnitRule& rule) {
  SCOPED_TRACE(rule.name);
  VictimScene scene;
  rule.given(scene);
  EXPECT_EQ(scene.units_of(scene.find()), rule.units);
}

TEST(Victims, fallInUnitsByTheseRules) {
  const UnitRule rules[] = {
      {"pods without a group fall one by one, in order of names",
       [](VictimScene& scene) {
         for (const char* name : {"b", "c", "a"}) scene.run(test::pod(name).cpu("1"));
       },
       "a b c"},
      {"a gang with nobody to spare falls whole",
       [](VictimScene& scene) { scene.gang("g", 2, test::pod_group("g").gang(2)); }, "g-0+g-1"},
      {"a gang below its minimum falls whole",
       [](VictimScene& scene) { scene.gang("g", 2, test::pod_group("g").gang(3)); }, "g-0+g-1"},
      {"members of a gang with some to spare fall one by one",
       [](VictimScene& scene) { scene.gang("g", 3, test::pod_group("g").gang(2)); }, "g-0 g-1 g-2"},
      {"a group of mode all falls whole, whoever could be spared",
       [](VictimScene& scene) {
         scene.gang("g", 3, test::pod_group("g").gang(1), DisruptionMode::all);
       },
       "g-0+g-1+g-2"},
      {"members of a gang of mode single fall one by one",
       [](VictimScene& scene) {
         scene.gang("g", 2, test::pod_group("g").gang(2), DisruptionMode::single);
       },
       "g-0 g-1"},
      {"members of a basic group fall one by one",
       [](VictimScene& scene) { scene.gang("g", 2, test::pod_group("g")); }, "g-0 g-1"},
      {"the highest group that falls whole is the unit",
       [](VictimScene& scene) {
         scene.composite("root", 1, 0, DisruptionMode::all);
         scene.gang("g", 1, test::pod_group("g").gang(1).parent("root"));
         scene.gang("h", 1, test::pod_group("h").gang(1).parent("root"));
       },
       "g-0+h-0"},
      {"a v1alpha2 group of mode all falls whole for a group",
       [](VictimScene& scene) {
         ask_for_a_group(scene);
         scene.gang("g", 2, test::pod_group("g").gang(1).api(model::kSchedulingV1Alpha2),
                    DisruptionMode::all);
       },
       "g-0+g-1"},
      {"a v1alpha2 group has no mode all to a lone pod",
       [](VictimScene& scene) {
         scene.gang("g", 2, test::pod_group("g").gang(1).api(model::kSchedulingV1Alpha2),
                    DisruptionMode::all);
       },
       "g-0 g-1"},
      {"groups that name each other as parents are looked at once",
       [](VictimScene& scene) {
         scene.composite("ring", 1, 0, std::nullopt, "other");
         scene.composite("other", 1, 0, std::nullopt, "ring");
         scene.gang("g", 2, test::pod_group("g").gang(1).parent("ring"));
       },
       "g-0+g-1"},
      {"members of a group that was never seen fall one by one",
       [](VictimScene& scene) {
         scene.run(test::pod("a").cpu("1").group("unseen"));
         scene.run(test::pod("b").cpu("1").group("unseen"));
       },
       "a b"},
  };
  for (const UnitRule& rule : rules) expect_units(rule);
}

TEST(Victims, matterLessThanThePreemptorByTheseRules) {
  const UnitRule rules[] = {
      {"only pods of lower priority",
       [](VictimScene& scene) {
         scene.run(test::pod("lower").cpu("1").priority(4));
         scene.run(test::pod("same").cpu("1").priority(5));
         scene.run(test::pod("higher").cpu("1").priority(6));
       },
       "lower"},
      {"a group's priority counts, not its members'",
       [](VictimScene& scene) { scene.gang("g", 2, test::pod_group("g").gang(2).priority(9)); },
       ""},
      {"the root's priority counts, not that of the groups below",
       [](VictimScene& scene) {
         scene.composite("root", 1, 9, std::nullopt);
         scene.gang("g", 1, test::pod_group("g").gang(1).priority(1).parent("root"));
       },
       ""},
      {"members of a v1alpha2 group have their own priority",
       [](VictimScene& scene) {
         scene.gang("g", 0, test::pod_group("g").priority(9).api(model::kSchedulingV1Alpha2));
         scene.run(test::pod("low").cpu("1").priority(1).group("g"));
         scene.run(test::pod("top").cpu("1").priority(7).group("g"));
       },
       "low"},
      {"a v1alpha2 gang that falls whole is worth its highest member",
       [](VictimScene& scene) {
         scene.gang("g", 0,
                    test::pod_group("g").gang(2).priority(1).api(model::kSchedulingV1Alpha2));
         scene.run(test::pod("low").cpu("1").priority(1).group("g"));
         scene.run(test::pod("top").cpu("1").priority(7).group("g"));
       },
       ""},
      {"nobody evicts members of its own group",
       [](VictimScene& scene) {
         scene.gang("g", 1, test::pod_group("g").gang(1));
         scene.preemptor_root = *scene.groups.find("t", "g", false);
       },
       ""},
  };
  for (const UnitRule& rule : rules) expect_units(rule);
}

struct SparingRule {
  std::string_view name;
  Given given;
  std::string units;
  std::string leaving;
  std::vector<Refusal> refused;
};

TEST(Victims, areNotEvictedNowByTheseRules) {
  const auto protect = [](model::Pod& pod) {
    test::put(pod.meta.annotations, kMinRuntime, std::string("5m"));
  };
  const SparingRule rules[] = {
      {"who has not run for long enough is protected",
       [&](VictimScene& scene) { scene.run(test::pod("young").cpu("1"), protect); },
       "",
       "",
       {Refusal::min_runtime}},
      {"one protected member protects a gang that falls whole",
       [&](VictimScene& scene) {
         scene.gang("g", 1, test::pod_group("g").gang(2));
         scene.run(test::pod("g-1").cpu("1").group("g"), protect);
       },
       "",
       "",
       {Refusal::min_runtime}},
      {"a gang with a protected member loses no more than it can spare",
       [&](VictimScene& scene) {
         scene.gang("g", 2, test::pod_group("g").gang(2));
         scene.run(test::pod("g-2").cpu("1").group("g"), protect);
       },
       "g-0",
       "",
       {Refusal::min_runtime, Refusal::gang}},
      {"who is just being bound is left alone until then",
       [](VictimScene& scene) {
         const PodId bound = scene.cluster.set_pod(test::pod("binding").cpu("1"));
         scene.cluster.place(bound, *scene.cluster.nodes().find("n1"));
       },
       "",
       "",
       {Refusal::binding}},
      {"who is on its way out counts as gone",
       [](VictimScene& scene) {
         scene.run(test::pod("leaver").cpu("1"),
                   [](model::Pod& pod) { pod.meta.deletion = kVictimsNow - 30s; });
       },
       "",
       "leaver",
       {}},
      {"who should have gone long ago is nobody's victim and does not count as gone",
       [](VictimScene& scene) {
         scene.run(test::pod("stuck").cpu("1"),
                   [](model::Pod& pod) { pod.meta.deletion = kVictimsNow - 31s; });
       },
       "",
       "",
       {Refusal::terminating}},
      {"whom we evicted counts as gone before the cluster says so",
       [](VictimScene& scene) { scene.condemned = {scene.run(test::pod("told").cpu("1"))}; },
       "",
       "told",
       {}},
      {"whom the preemptor gave way to is spared",
       [](VictimScene& scene) {
         scene.run(test::pod("a").cpu("1"));
         scene.run(test::pod("b").cpu("1"));
         scene.spared = {"Pod t/a"};
       },
       "b",
       "",
       {Refusal::displaced}},
      {"a thorough answer names those of the same and of higher priority",
       [](VictimScene& scene) {
         scene.thorough = true;
         scene.run(test::pod("a").cpu("1").priority(5));
         scene.run(test::pod("b").cpu("1").priority(6));
       },
       "",
       "",
       {Refusal::equal_priority, Refusal::higher_priority}},
  };
  for (const SparingRule& rule : rules) {
    SCOPED_TRACE(rule.name);
    VictimScene scene;
    rule.given(scene);
    const VictimTable table = scene.find();
    EXPECT_EQ(scene.units_of(table), rule.units);
    EXPECT_EQ(scene.names(table.leaving), rule.leaving);
    std::vector<Refusal> refused;
    for (const auto& each : table.refusals) refused.push_back(each.reason);
    EXPECT_EQ(refused, rule.refused);
  }
}

TEST(Victims, sayWhenAProtectedOneMayGo) {
  VictimScene scene;
  for (const char* minutes : {"9m", "5m"}) {
    scene.run(test::pod(minutes).cpu("1"), [&](model::Pod& pod) {
      test::put(pod.meta.annotations, kMinRuntime, std::string(minutes));
    });
  }
  EXPECT_EQ(scene.find().reprieve_ends, kVictimsNow + 200s);
}

TEST(Victims, sayThatAChoiceWasLeftOutForAGangThatCannotGoWhole) {
  VictimScene scene;
  scene.gang("g", 2, test::pod_group("g").gang(2));
  EXPECT_FALSE(scene.find().curtailed);
  scene.run(test::pod("g-2").cpu("1").group("g"), [](model::Pod& pod) {
    test::put(pod.meta.annotations, kMinRuntime, std::string("5m"));
  });
  EXPECT_TRUE(scene.find().curtailed);
}

TEST(Victims, countThoseWhoDoNotMatterLess) {
  VictimScene scene;
  scene.run(test::pod("a").cpu("1").priority(5));
  scene.run(test::pod("b").cpu("1").priority(7));
  scene.run(test::pod("c").cpu("1").priority(3));
  const VictimTable table = scene.find();
  EXPECT_EQ(table.not_lower, 2U);
  EXPECT_EQ(table.lowest, 3);
  EXPECT_TRUE(table.refusals.empty());
}

TEST(Victims, useUpBudgetsByTheseRules) {
  struct Rule {
    std::string_view name;
    Given given;
    std::vector<std::int64_t> allowances;
    std::uint32_t uses;
  };
  const Rule rules[] = {
      {"a budget that selects the pod", [](VictimScene& s) { s.budget("t", "web", 1); }, {1}, 1},
      {"each of several budgets that do",
       [](VictimScene& s) {
         s.budget("t", "web", 1);
         s.budget("t", "web", 0);
       },
       {1, 0},
       2},
      {"not one for other pods", [](VictimScene& s) { s.budget("t", "db", 1); }, {1}, 0},
      {"not one of another namespace", [](VictimScene& s) { s.budget("u", "web", 1); }, {1}, 0},
      {"not one that selects nothing", [](VictimScene& s) { s.budget("t", "", 1); }, {}, 0},
      {"not one that counts the pod as disrupted already",
       [](VictimScene& s) { s.budget("t", "web", 1, {"a"}); },
       {1},
       0},
  };
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    VictimScene scene;
    scene.run(test::pod("a").cpu("1").label("app", "web"));
    rule.given(scene);
    const VictimTable table = scene.find();
    ASSERT_EQ(table.units.size(), 1U);
    EXPECT_EQ(table.allowances, rule.allowances);
    EXPECT_EQ(table.units[0].budget_count, rule.uses);
  }
}

TEST(Victims, costWhatTheirWorkIsWorthByTheseRules) {
  struct Rule {
    std::string_view name;
    Given given;
    std::vector<std::int64_t> device_seconds;  // by unit
  };
  const auto with_rank = [](const char* rank) {
    return [rank](model::Pod& pod) {
      test::put(pod.meta.annotations, kDeletionCost, std::string(rank));
    };
  };
  const Rule rules[] = {
      {"a pod costs what it lost",
       [](VictimScene& scene) { scene.run(test::pod("a").cpu("64")); },
       {100}},
      {"a unit costs what all of it lost",
       [](VictimScene& scene) {
         scene.gang("g", 0, test::pod_group("g").gang(2));
         scene.run(test::pod("g-0").cpu("32").group("g"));
         scene.run(test::pod("g-1").cpu("32").group("g"));
       },
       {100}},
      {"without costs nobody is dear",
       [](VictimScene& scene) {
         scene.cost_aware = false;
         scene.run(test::pod("a").cpu("64"));
         scene.gang("g", 1, test::pod_group("g").gang(1));
       },
       {0, 0}},
      {"of a group's members the one with the lowest deletion cost goes first",
       [&](VictimScene& scene) {
         scene.gang("g", 0, test::pod_group("g"));
         scene.run(test::pod("g-0").cpu("64").group("g"), with_rank("7"));
         scene.run(test::pod("g-1").cpu("64").group("g"), with_rank("-3"));
       },
       {110, 100}},
  };
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    VictimScene scene;
    rule.given(scene);
    std::vector<std::int64_t> costs;
    for (const VictimUnit& unit : scene.find().units) costs.push_back(unit.cost / kDeviceSecond);
    EXPECT_EQ(costs, rule.device_seconds);
  }
}

TEST(Victims, areTiedByBondsOfTheirGangs) {
  VictimScene scene;
  scene.gang("spare", 3, test::pod_group("spare").gang(2));
  scene.gang("stalls", 2, test::pod_group("stalls").gang(2), DisruptionMode::single);
  const VictimTable table = scene.find();
  ASSERT_EQ(table.bonds.size(), 2U);
  EXPECT_EQ(table.bonds[0].spare, 1);
  EXPECT_TRUE(table.bonds[0].whole);
  EXPECT_EQ(table.bonds[0].units, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(table.bonds[1].spare, 0);
  EXPECT_TRUE(table.bonds[1].stalls);
  EXPECT_EQ(table.bonds[1].units, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_TRUE(table.units[0].counts);
}

TEST(Victims, areNamedAsPeopleKnowThem) {
  VictimScene scene;
  const PodId lone = scene.run(test::pod("a").cpu("1"));
  scene.gang("g", 0, test::pod_group("g"));
  scene.composite("root", 1, 0, std::nullopt);
  auto of_job = std::make_shared<model::PodGroup>(*test::pod_group("made-up").build());
  model::OwnerReference owner;
  owner.kind = "Job";
  owner.name = "train";
  owner.controller = true;
  of_job->meta.owners.push_back(owner);
  const GroupId job = scene.groups.set(std::shared_ptr<const model::PodGroup>(of_job));
  const auto name = [&](GroupId group) {
    return unit_name(scene.cluster, scene.groups, group, lone);
  };
  EXPECT_EQ(name({}), "Pod t/a");
  EXPECT_EQ(name(*scene.groups.find("t", "g", false)), "PodGroup t/g");
  EXPECT_EQ(name(*scene.groups.find("t", "root", true)), "CompositePodGroup t/root");
  EXPECT_EQ(name(job), "Job t/train");
}

}  // namespace
}  // namespace tutti::core
