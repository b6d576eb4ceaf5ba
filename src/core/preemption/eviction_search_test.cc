// The rules by which EvictionSearch chooses whom to evict, and where everyone then goes.
#include "core/preemption/eviction_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/group_scene.h"

namespace tutti::core {
namespace {

using test::GroupScene;

// Units of pods on nodes, written down instead of found: whoever it is may be evicted.
class EvictionScene : public GroupScene {
 public:
  // One unit of "name:cores@node" pods.
  VictimUnit& unit(const std::string& pods, std::int32_t priority = 0, std::int64_t cost = 0) {
    VictimUnit made;
    made.priority = priority;
    made.cost = cost;
    made.first_pod = static_cast<std::uint32_t>(victims.pods.size());
    for (const std::string& word : test::words(pods)) victims.pods.push_back(run(word));
    made.pod_count = static_cast<std::uint32_t>(victims.pods.size()) - made.first_pod;
    victims.units.push_back(made);
    return victims.units.back();
  }
  // Ties the units to a gang that can lose `spare` of them.
  void bond(std::vector<std::uint32_t> units, std::int64_t spare) {
    for (const std::uint32_t index : units) {
      victims.units[index].bond = static_cast<std::uint32_t>(victims.bonds.size());
      victims.units[index].counts = true;
    }
    Bond made;
    made.spare = spare;
    made.whole = true;
    made.units = std::move(units);
    victims.bonds.push_back(std::move(made));
  }
  // One more budget, which covers all pods of these units.
  void budget(std::int64_t allowed, const std::vector<std::uint32_t>& units) {
    for (const std::uint32_t index : units) {
      VictimUnit& covered = victims.units[index];
      covered.first_budget = static_cast<std::uint32_t>(victims.budget_uses.size());
      covered.budget_count = covered.pod_count;
      victims.budget_uses.insert(victims.budget_uses.end(), covered.pod_count,
                                 static_cast<std::uint32_t>(victims.allowances.size()));
    }
    victims.allowances.push_back(allowed);
  }
  void leaving(const std::string& pod) { victims.leaving.push_back(run(pod)); }

  VictimTable victims;

 private:
  PodId run(const std::string& word) {
    const auto colon = word.find(':');
    const auto at = word.find('@');
    return cluster.set_pod(test::pod(word.substr(0, colon))
                               .cpu(word.substr(colon + 1, at - colon - 1))
                               .on(word.substr(at + 1)));
  }
};

struct EvictionRule {
  std::string_view name;
  std::string nodes;
  std::function<Subtree(EvictionScene&)> given;  // the victims, and who preempts
  std::string evicted;                           // "v1 v2" by name; "-": it does not help
  std::string where;
  bool least = true;
};

Subtree one_pod(EvictionScene& scene, const std::string& cpu) {
  Subtree tree;
  tree.members = {scene.lone("p", cpu)};
  return tree;
}

std::string names_of(const EvictionScene& scene, const std::vector<std::uint32_t>& units) {
  std::vector<std::string> names;
  for (const std::uint32_t unit : units) {
    for (const PodId pod : scene.victims.pods_of(scene.victims.units[unit])) {
      names.push_back(scene.name_of(pod));
    }
  }
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

void expect_rule(const EvictionRule& rule) {
  SCOPED_TRACE(rule.name);
  EvictionScene scene;
  scene.nodes(rule.nodes);
  const Subtree tree = rule.given(scene);
  const auto found = EvictionSearch(scene.cluster, scene.groups, scene.evaluations, scene.profile,
                                    tree, scene.victims, 1'000'000)
                         .run();
  EXPECT_EQ(found ? names_of(scene, found->units) : "-", rule.evicted);
  if (found) {
    EXPECT_EQ(scene.where(found->places), rule.where);
    EXPECT_EQ(found->least, rule.least);
    EXPECT_TRUE(found->harm == harm_of(scene.victims, found->units));
  }
  for (const PodId pod : scene.victims.pods) EXPECT_TRUE(scene.cluster.pod(pod).node.valid());
  for (const PodId pod : members_of(tree)) EXPECT_FALSE(scene.cluster.pod(pod).node.valid());
  EXPECT_EQ(scene.cluster.check_consistency(), "");
}

TEST(EvictionSearch, choosesTheLeastHarmByTheseRules) {
  const EvictionRule rules[] = {
      {"the lower priority goes", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a", 2);
         scene.unit("v2:4@b", 1);
         return one_pod(scene, "4");
       },
       "v2", "p>b"},
      {"of one priority the cheaper one goes", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a", 1, 10);
         scene.unit("v2:4@b", 1, 9);
         return one_pod(scene, "4");
       },
       "v2", "p>b"},
      {"at one cost fewer units go", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:2@a");
         scene.unit("v2:2@a");
         scene.unit("v3:4@b");
         return one_pod(scene, "4");
       },
       "v3", "p>b"},
      {"several of low priority go before one of higher priority", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:2@a", 1);
         scene.unit("v2:2@a", 1);
         scene.unit("v3:4@b", 2);
         return one_pod(scene, "4");
       },
       "v1 v2", "p>a"},
      {"a used up budget is kept even at a higher priority", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a", 1);
         scene.unit("v2:4@b", 2);
         scene.budget(0, {0});
         return one_pod(scene, "4");
       },
       "v2", "p>b"},
      {"a budget that allows it is no reason to spare anyone", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a", 1);
         scene.unit("v2:4@b", 2);
         scene.budget(1, {0});
         return one_pod(scene, "4");
       },
       "v1", "p>a"},
      {"who is not in the way stays", "a:8",
       [](EvictionScene& scene) {
         scene.unit("v1:2@a", 1);
         scene.unit("v2:4@a", 2);
         scene.unit("v3:2@a", 1);
         return one_pod(scene, "4");
       },
       "v1 v3", "p>a"},
      {"who falls with the one that is needed is counted as well", "a:4 b:4 c:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a v2:4@b", 1);
         scene.unit("v3:4@c", 1);
         return one_pod(scene, "4");
       },
       "v3", "p>c"},
      {"a gang loses no more than it can spare before it goes whole", "a:4 b:4 c:4 d:4",
       [](EvictionScene& scene) {
         for (const char* pod : {"v1:4@a", "v2:4@b", "v3:4@c"}) scene.unit(pod, 1);
         scene.unit("v4:4@d", 1);
         scene.bond({0, 1, 2}, 1);
         return scene.gang("g", {.minimum = 2, .cpus = "4 4"});
       },
       "v1 v4", "g-0>a g-1>d"},
  };
  for (const EvictionRule& rule : rules) expect_rule(rule);
}

TEST(EvictionSearch, makesRoomForGroupsByTheseRules) {
  const EvictionRule rules[] = {
      {"those that are leaving already suffice", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a");
         scene.leaving("gone:4@b");
         return one_pod(scene, "4");
       },
       "", "p>b"},
      {"those that are leaving suffice where nobody else could go", "a:4",
       [](EvictionScene& scene) {
         scene.leaving("gone:4@a");
         return one_pod(scene, "4");
       },
       "", "p>a"},
      {"nobody goes where that does not help", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a");
         return one_pod(scene, "5");
       },
       "-", ""},
      {"nobody goes for a gang of which too few would fit", "a:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a");
         return scene.gang("g", {.minimum = 2, .cpus = "4 4"});
       },
       "-", ""},
      {"without anybody to evict there is no answer", "a:4",
       [](EvictionScene& scene) { return one_pod(scene, "5"); }, "-", ""},
      {"room is made for as many as could be placed with everyone gone", "a:4 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a");
         scene.unit("v2:4@b");
         return scene.gang("g", {.minimum = 1, .cpus = "4 4 4"});
       },
       "v1 v2", "g-0>a g-1>b"},
      {"all members get their room in one domain", "a:4@r1 b:4@r2 c:4@r2",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a", 0);
         scene.unit("v2:4@b", 1);
         scene.unit("v3:4@c", 1);
         return scene.gang("g", {.minimum = 2, .cpus = "4 4", .key = "rack"});
       },
       "v2 v3", "g-0>b g-1>c"},
      {"of two domains the one with less harm is cleared", "a:4@r1 b:4@r2",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a", 2);
         scene.unit("v2:4@b", 1);
         return scene.gang("g", {.minimum = 1, .cpus = "4", .key = "rack"});
       },
       "v2", "g-0>b"},
      {"unlike members are placed and victims chosen together", "a:6 b:4",
       [](EvictionScene& scene) {
         scene.unit("v1:4@a");
         scene.unit("v2:2@b");
         scene.unit("v3:2@b");
         return scene.gang("g", {.minimum = 2, .cpus = "4 2"});
       },
       "v1", "g-0>a g-1>a"},
  };
  for (const EvictionRule& rule : rules) expect_rule(rule);
}

TEST(EvictionSearch, doesNotCallAChoiceLeastWhereSomeWereLeftOut) {
  EvictionScene scene;
  scene.nodes("a:4");
  scene.unit("v1:4@a");
  scene.victims.curtailed = true;
  const Subtree tree = one_pod(scene, "4");
  const auto found = EvictionSearch(scene.cluster, scene.groups, scene.evaluations, scene.profile,
                                    tree, scene.victims, 1'000'000)
                         .run();
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->least);
}

TEST(EvictionSearch, takesTheMembersOfATreeInOrder) {
  GroupScene scene;
  const Subtree left = scene.gang("x", {.cpus = "1 1", .parent = "root"});
  const Subtree right = scene.gang("y", {.cpus = "1", .parent = "root"});
  const Subtree tree = scene.composite("root", 1, {left, right});
  std::string text;
  for (const PodId pod : members_of(tree)) text += scene.name_of(pod) + " ";
  EXPECT_EQ(text, "x-0 x-1 y-0 ");
}

}  // namespace
}  // namespace tutti::core
