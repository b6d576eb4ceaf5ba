// The rules by which WhatIf rehearses a decision: what a change would do, and that nothing stays.
#include "core/scheduler/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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

// A scheduler at rest, and questions about what waits in it.
class WhatIfScene {
 public:
  WhatIfScene() { port.serve(scheduler); }

  void run(const test::PodBuilder& builder) {
    auto made = std::make_shared<model::Pod>(*builder.build());
    made->status.phase = model::PodPhase::running;
    made->status.start_time = port.now() - 100s;
    port.apply(std::shared_ptr<const model::Pod>(std::move(made)));
  }
  void wait(const test::PodBuilder& builder) { port.apply(builder.build()); }
  // Members name-0 and so on that wait.
  void gang(const std::string& name, int members, int minimum, const std::string& cpu) {
    port.apply(pod_group(name).gang(minimum).build());
    for (int i = 0; i < members; ++i) {
      wait(pod(name + "-" + std::to_string(i)).cpu(cpu).group(name));
    }
  }
  PodId id(const std::string& name) const {
    return *scheduler.cluster().pods().find("pod-" + name);
  }
  GroupId group(const std::string& name) const {
    return *scheduler.groups().find("t", name, false);
  }
  // The pod by itself.
  WhatIf::Question about(const std::string& name) const {
    WhatIf::Question question;
    question.pod = id(name);
    return question;
  }
  WhatIf::Question about_group(const std::string& member, const std::string& name) const {
    WhatIf::Question question = about(member);
    question.group = group(name);
    return question;
  }
  std::string where(const WhatIf::Outcome& outcome) const {
    std::vector<std::string> lines;
    for (const auto& placed : outcome.placed) {
      lines.push_back(scheduler.cluster().pod(placed.pod).object->meta.name + ">" +
                      scheduler.cluster().node_name(placed.node));
    }
    std::ranges::sort(lines);
    std::string text;
    for (const auto& line : lines) text += (text.empty() ? "" : " ") + line;
    return text;
  }

  test::FakePort port;
  Scheduler scheduler{options(), profiles(), port};

 private:
  // Nobody evicts unless a test is about that: priorities are equal there.
  static SchedulerOptions options() { return {}; }
  static std::vector<Profile> profiles() {
    std::vector<Profile> made;
    made.push_back(test::small_profile());
    return made;
  }
};

using Ask = std::function<WhatIf::Outcome(WhatIfScene&, WhatIf&)>;

struct WhatIfRule {
  std::string_view name;
  std::function<void(WhatIfScene&)> given;
  Ask ask;
  bool runs;
  std::string where;
};

// Asks with the change and without it, and holds what-if to leaving no trace.
void expect_rule(const WhatIfRule& rule) {
  SCOPED_TRACE(rule.name);
  WhatIfScene scene;
  rule.given(scene);
  scene.port.run_instant();
  const std::uint64_t digest = scene.scheduler.digest();
  const std::size_t writes = scene.port.binds.size() + scene.port.evictions.size();
  {
    WhatIf what_if = scene.scheduler.rehearse(scene.port.now());
    const WhatIf::Outcome outcome = rule.ask(scene, what_if);
    EXPECT_EQ(outcome.runs, rule.runs);
    EXPECT_EQ(scene.where(outcome), rule.where);
  }
  EXPECT_EQ(scene.scheduler.check_consistency(), "");
  EXPECT_EQ(scene.scheduler.digest(), digest);
  EXPECT_EQ(scene.port.binds.size() + scene.port.evictions.size(), writes);
}

void a_full_node_and_a_pod_that_waits(WhatIfScene& scene) {
  scene.port.apply(node("n1").cpu("4").build());
  scene.run(pod("other").cpu("3").on("n1"));
  scene.wait(pod("p").cpu("2"));
}

TEST(WhatIf, triesChangesByTheseRules) {
  const WhatIfRule rules[] = {
      {"without a change the answer is the scheduler's", a_full_node_and_a_pod_that_waits,
       [](WhatIfScene& scene, WhatIf& what_if) { return what_if.attempt(scene.about("p")); }, false,
       ""},
      {"a pod that asks for less may run", a_full_node_and_a_pod_that_waits,
       [](WhatIfScene& scene, WhatIf& what_if) {
         what_if.set_pod(pod("p").cpu("1"));
         return what_if.attempt(scene.about("p"));
       },
       true, "p>n1"},
      {"a node with more may hold it", a_full_node_and_a_pod_that_waits,
       [](WhatIfScene& scene, WhatIf& what_if) {
         what_if.set_node(node("n1").cpu("5"));
         return what_if.attempt(scene.about("p"));
       },
       true, "p>n1"},
      {"what ends leaves its room", a_full_node_and_a_pod_that_waits,
       [](WhatIfScene& scene, WhatIf& what_if) {
         const PodId other[] = {scene.id("other")};
         what_if.end_pods(other);
         return what_if.attempt(scene.about("p"));
       },
       true, "p>n1"},
      {"what ends twice ends once", a_full_node_and_a_pod_that_waits,
       [](WhatIfScene& scene, WhatIf& what_if) {
         const PodId other[] = {scene.id("other"), scene.id("other")};
         what_if.end_pods(other);
         return what_if.attempt(scene.about("p"));
       },
       true, "p>n1"},
      {"a change that was rolled back is none", a_full_node_and_a_pod_that_waits,
       [](WhatIfScene& scene, WhatIf& what_if) {
         const auto before = what_if.checkpoint();
         what_if.set_node(node("n1").cpu("5"));
         what_if.set_pod(pod("p").cpu("1"));
         what_if.roll_back(before);
         return what_if.attempt(scene.about("p"));
       },
       false, ""},
      {"a gang runs with a lower minimum",
       [](WhatIfScene& scene) {
         scene.port.apply(node("n1").cpu("4").build());
         scene.gang("g", 3, 3, "2");
       },
       [](WhatIfScene& scene, WhatIf& what_if) {
         what_if.set_group(pod_group("g").gang(2).build());
         return what_if.attempt(scene.about_group("g-0", "g"));
       },
       true, "g-0>n1 g-1>n1"},
      {"a gang runs when one more member exists",
       [](WhatIfScene& scene) {
         scene.port.apply(node("n1").cpu("4").build());
         scene.gang("g", 1, 2, "2");
       },
       [](WhatIfScene& scene, WhatIf& what_if) {
         what_if.set_pod(pod("g-1").cpu("2").group("g"));
         return what_if.attempt(scene.about_group("g-0", "g"));
       },
       true, "g-0>n1 g-1>n1"},
      {"members without a group run when it exists",
       [](WhatIfScene& scene) {
         scene.port.apply(node("n1").cpu("4").build());
         scene.wait(pod("g-0").cpu("2").group("g"));
       },
       [](WhatIfScene& scene, WhatIf& what_if) {
         what_if.set_group(pod_group("g").gang(1).build());
         return what_if.attempt(scene.about_group("g-0", "g"));
       },
       true, "g-0>n1"},
      {"what is held before the queue does not run",
       [](WhatIfScene& scene) {
         scene.port.apply(node("n1").cpu("4").build());
         scene.wait(pod("p").cpu("1").gate("wait"));
       },
       [](WhatIfScene& scene, WhatIf& what_if) { return what_if.attempt(scene.about("p")); }, false,
       ""},
      {"enough of a group that runs already is enough",
       [](WhatIfScene& scene) {
         scene.port.apply(node("n1").cpu("2").build());
         scene.gang("g", 2, 1, "2");
       },
       [](WhatIfScene& scene, WhatIf& what_if) {
         return what_if.attempt(scene.about_group("g-1", "g"));
       },
       true, ""},
      {"of a basic group every member has to run",
       [](WhatIfScene& scene) {
         scene.port.apply(node("n1").cpu("2").build());
         scene.port.apply(pod_group("g").build());
         for (const char* name : {"g-0", "g-1", "g-2"}) scene.wait(pod(name).cpu("2").group("g"));
       },
       [](WhatIfScene& scene, WhatIf& what_if) {
         what_if.set_node(node("n1").cpu("4"));
         return what_if.attempt(scene.about_group("g-2", "g"));
       },
       false, "g-1>n1"},
  };
  for (const WhatIfRule& rule : rules) expect_rule(rule);
}

void two_pods_wait_for_one_place(WhatIfScene& scene) {
  scene.port.apply(node("n1").cpu("2").build());
  scene.run(pod("other").cpu("2").priority(50).on("n1"));
  scene.wait(pod("ahead").cpu("2").priority(2));
  scene.wait(pod("p").cpu("2").priority(1));
}

WhatIf::Outcome ask_once_other_has_ended(WhatIfScene& scene, WhatIf& what_if,
                                         WhatIf::Question question) {
  const PodId other[] = {scene.id("other")};
  what_if.end_pods(other);
  return what_if.attempt(question);
}

TEST(WhatIf, asksForOthersByTheseRules) {
  const WhatIfRule rules[] = {
      {"whoever is ahead in the queue takes the room first", two_pods_wait_for_one_place,
       [](WhatIfScene& scene, WhatIf& what_if) {
         return ask_once_other_has_ended(scene, what_if, scene.about("p"));
       },
       false, ""},
      {"the first in the queue gets it", two_pods_wait_for_one_place,
       [](WhatIfScene& scene, WhatIf& what_if) {
         return ask_once_other_has_ended(scene, what_if, scene.about("ahead"));
       },
       true, "ahead>n1"},
      {"nobody is ahead where the asker says so", two_pods_wait_for_one_place,
       [](WhatIfScene& scene, WhatIf& what_if) {
         WhatIf::Question question = scene.about("p");
         question.others_first = false;
         return ask_once_other_has_ended(scene, what_if, question);
       },
       true, "p>n1"},
      {"who has ended waits no longer", two_pods_wait_for_one_place,
       [](WhatIfScene& scene, WhatIf& what_if) {
         const PodId ahead[] = {scene.id("ahead")};
         what_if.end_pods(ahead);
         return ask_once_other_has_ended(scene, what_if, scene.about("p"));
       },
       true, "p>n1"},
      {"further pods have to run as well", two_pods_wait_for_one_place,
       [](WhatIfScene& scene, WhatIf& what_if) {
         const PodId also[] = {scene.id("p")};
         WhatIf::Question question = scene.about("ahead");
         question.also = also;
         WhatIf::Outcome outcome = ask_once_other_has_ended(scene, what_if, question);
         outcome.placed.clear();
         return outcome;
       },
       false, ""},
  };
  for (const WhatIfRule& rule : rules) expect_rule(rule);
}

TEST(WhatIf, evictsForWhoeverMayEvict) {
  WhatIfScene scene;
  scene.port.apply(node("n1").cpu("2").build());
  scene.run(pod("low").cpu("2").priority(1).on("n1"));
  scene.wait(pod("p").cpu("2"));
  scene.port.run_instant();
  WhatIf what_if = scene.scheduler.rehearse(scene.port.now());
  what_if.set_pod(pod("p").cpu("2").priority(9));
  const WhatIf::Outcome outcome = what_if.attempt(scene.about("p"));
  EXPECT_TRUE(outcome.runs);
  EXPECT_EQ(scene.where(outcome), "p>n1");
  ASSERT_EQ(outcome.preemptions.size(), 1U);
  ASSERT_EQ(outcome.preemptions[0]->victims.size(), 1U);
  EXPECT_EQ(outcome.preemptions[0]->victims[0].name, "Pod t/low");
  EXPECT_TRUE(scene.port.evictions.empty());
}

TEST(WhatIf, accountsForEveryoneWhoIsNotEvicted) {
  WhatIfScene scene;
  scene.port.apply(node("n1").cpu("2").build());
  scene.run(pod("same").cpu("2").on("n1"));
  scene.wait(pod("p").cpu("2"));
  scene.port.run_instant();
  const auto report = scene.scheduler.rehearse(scene.port.now()).account(scene.about("p"));
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->refused_for(Refusal::equal_priority), 1U);
}

TEST(WhatIf, namesTheFewestThatWouldHaveToEndByTheseRules) {
  struct Rule {
    std::string_view name;
    std::string cpu;
    std::optional<std::vector<std::uint32_t>> sets;
  };
  const Rule rules[] = {
      {"one set that is large enough", "4", std::vector<std::uint32_t>{1}},
      {"several where no one is", "6", std::vector<std::uint32_t>{0, 1}},
      {"nothing where the end of all would not do", "9", std::nullopt},
  };
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    WhatIfScene scene;
    scene.port.apply(node("n1").cpu("8").build());
    for (const char* name : {"a", "b", "c", "d"}) scene.run(pod(name).cpu("2").on("n1"));
    scene.wait(pod("p").cpu(rule.cpu));
    scene.port.run_instant();
    const std::vector<PodId> one = {scene.id("a")};
    const std::vector<PodId> two = {scene.id("b"), scene.id("c")};
    const std::vector<PodId> last = {scene.id("d")};
    const WhatIf::PodSet sets[] = {one, two, last};
    WhatIf what_if = scene.scheduler.rehearse(scene.port.now());
    auto found = what_if.fewest_to_end(scene.about("p"), sets);
    if (found) std::ranges::sort(*found);
    EXPECT_EQ(found, rule.sets);
    EXPECT_EQ(what_if.checkpoint(), 0U);
  }
}

TEST(WhatIf, namesWhoRunsInOrderOfNodesAndNames) {
  WhatIfScene scene;
  for (const char* name : {"n2", "n1"}) scene.port.apply(node(name).build());
  scene.run(pod("c").cpu("1").on("n1"));
  scene.run(pod("b").cpu("1").on("n2"));
  scene.run(pod("a").cpu("1").on("n2"));
  std::string text;
  scene.scheduler.rehearse(scene.port.now()).for_each_running([&](const WhatIf::Running& running) {
    text += scene.scheduler.cluster().pod(running.pod).object->meta.name + " ";
    EXPECT_FALSE(running.leaving);
    EXPECT_FALSE(running.leaf.valid());
  });
  EXPECT_EQ(text, "c a b ");
}

TEST(WhatIf, leavesTheSchedulerSettledWithObjectsThatCameAndWent) {
  WhatIfScene scene;
  a_full_node_and_a_pod_that_waits(scene);
  ASSERT_TRUE(scene.port.settle());
  {
    WhatIf what_if = scene.scheduler.rehearse(scene.port.now());
    what_if.set_pod(pod("new").cpu("1"));
    what_if.set_group(pod_group("new").gang(1).build());
    what_if.set_node(node("n1").cpu("9").label("rack", "r1"));
    EXPECT_TRUE(what_if.attempt(scene.about("p")).runs);
  }
  EXPECT_FALSE(scene.scheduler.cluster().pods().find("pod-new").has_value());
  EXPECT_FALSE(scene.scheduler.groups().find("t", "new", false).has_value());
  EXPECT_EQ(scene.scheduler.cluster().node({0}).meta.labels.size(), 1U);
  EXPECT_TRUE(scene.scheduler.settled());
  EXPECT_EQ(scene.scheduler.check_consistency(), "");
}

}  // namespace
}  // namespace tutti::core
