#include "quota/flavors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "support/random_quota.h"

namespace tutti::quota {
namespace {

using When = Fungibility::When;
using Preference = Fungibility::Preference;

// Victims as a test wants them.
struct FixedOutlook final : VictimOutlook {
  std::map<FlavorResourceId, Grade> grades{};
  Grade outlook(FlavorResourceId of, Amount) override {
    const auto found = grades.find(of);
    return found == grades.end() ? Grade{Mode::no_candidates, 0} : found->second;
  }
};

TEST(FlavorPreference, ranksViableBeforeHopelessAndThenByWhatIsAskedFor) {
  struct Case {
    std::string_view name;
    Grade better, worse;
    bool by_mode, by_level;  // with either preference
  };
  const Case cases[] = {
      {"fit that borrows, preemption at home", {Mode::fit, 2}, {Mode::preempt, 0}, true, false},
      {"reclaim is milder than preempt", {Mode::reclaim, 1}, {Mode::preempt, 1}, true, true},
      {"smaller level", {Mode::fit, 0}, {Mode::fit, 1}, true, true},
      {"viable beats none to evict", {Mode::preempt, 3}, {Mode::no_candidates, 0}, true, true},
      {"anything beats no fit", {Mode::no_candidates, 3}, {Mode::no_fit, 0}, true, true},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    for (const auto preference :
         {Preference::borrowing_over_preemption, Preference::preemption_over_borrowing}) {
      const bool expected =
          preference == Preference::borrowing_over_preemption ? each.by_mode : each.by_level;
      EXPECT_EQ(preferred(each.better, each.worse, preference), expected);
      EXPECT_EQ(preferred(each.worse, each.better, preference), !expected);
      EXPECT_FALSE(preferred(each.better, each.better, preference));
    }
  }
}

TEST(FlavorSearch, stopsByItsRules) {
  struct Case {
    Grade grade;
    bool with_defaults, when_both_try_next, when_both_may_stop;
  };
  const Case cases[] = {
      {{Mode::no_fit, 0}, false, false, false}, {{Mode::no_candidates, 0}, false, false, false},
      {{Mode::preempt, 0}, false, false, true}, {{Mode::reclaim, 1}, false, false, true},
      {{Mode::fit, 0}, true, true, true},       {{Mode::fit, 1}, true, false, true},
  };
  const Fungibility next{.can_borrow = When::try_next_flavor, .can_preempt = When::try_next_flavor};
  const Fungibility stop{.can_borrow = When::may_stop_search, .can_preempt = When::may_stop_search};
  for (const Case& each : cases) {
    SCOPED_TRACE(word(each.grade.mode));
    EXPECT_EQ(stops_search(each.grade, {}), each.with_defaults);
    EXPECT_EQ(stops_search(each.grade, next), each.when_both_try_next);
    EXPECT_EQ(stops_search(each.grade, stop), each.when_both_may_stop);
  }
}

// A queue two levels below its root, with flavors X (preempt, 0), Y (fit, 2) and Z (reclaim, 1).
struct ThreeFlavors {
  Tree tree{};
  FixedOutlook victims{};
  FlavorResourceId x = tree.flavor_resources().intern("X", "gpu");
  FlavorResourceId y = tree.flavor_resources().intern("Y", "gpu");
  FlavorResourceId z = tree.flavor_resources().intern("Z", "gpu");
  FlavorQuestion question{};

  ThreeFlavors() {
    tree.put(Tree::Kind::cohort, "root", {.quotas = {{y, 10}}});
    tree.put(Tree::Kind::cohort, "team", {.parent = "root"});
    question.queue =
        tree.put(Tree::Kind::queue, "q", {.parent = "team", .quotas = {{x, 4}, {y, 0}, {z, 4}}});
    tree.settle();
    const Charge used[] = {{x, 4}, {z, 4}};
    tree.add_usage(question.queue, used);
    victims.grades = {{x, {Mode::preempt, 0}}, {z, {Mode::reclaim, 1}}};
    question.slots = {{.flavors = {option(x, 4), option(y, 4), option(z, 4)}}};
  }
  static FlavorOption option(FlavorResourceId of, std::int64_t amount) {
    return {.charges = {{of, amount}}};
  }
  // Names of flavors in the order of preference.
  std::string order() {
    AssignmentSearch search(tree, question, victims);
    std::string names;
    while (const auto found = search.next()) names += "XYZ"[found->flavors.front()];
    return names;
  }
};

TEST(FlavorSearch, choosesByFungibility) {
  struct Case {
    std::string_view name;
    Fungibility rules;
    std::string_view order;
  };
  const Case cases[] = {
      {"mode first", {.can_borrow = When::try_next_flavor}, "YZX"},
      {"level first",
       {.can_borrow = When::try_next_flavor, .preference = Preference::preemption_over_borrowing},
       "XZY"},
      {"the first that may preempt",
       {.can_borrow = When::try_next_flavor, .can_preempt = When::may_stop_search},
       "XYZ"},
      {"the first that fits", {}, "YZX"},
  };
  for (const auto& [name, rules, order] : cases) {
    SCOPED_TRACE(name);
    ThreeFlavors scene;
    scene.question.fungibility = rules;
    EXPECT_EQ(scene.order(), order);
  }
}

TEST(FlavorSearch, remembersWhereItStopped) {
  ThreeFlavors scene;
  AssignmentSearch search(scene.tree, scene.question, scene.victims);
  EXPECT_EQ(search.next()->resume, std::vector<std::size_t>{2});  // stopped at Y, Z is left
  scene.question.slots[0].first = 2;
  EXPECT_EQ(scene.order(), "Z");
  AssignmentSearch resumed(scene.tree, scene.question, scene.victims);
  EXPECT_EQ(resumed.next()->resume, std::vector<std::size_t>{0});
}

TEST(FlavorSearch, leavesOutWhatIsRuledOut) {
  ThreeFlavors scene;
  scene.question.slots[0].flavors[1].usable = false;
  EXPECT_EQ(scene.order(), "ZX");
}

TEST(FlavorJudgement, followsQuotaThenVictims) {
  struct Case {
    std::string_view name;
    std::int64_t amount;
    bool preempts_while_borrowing;
    Grade grade;
    std::int64_t missing;
    bool exceeds_max;
  };
  // Cohort of 10: mine 4, another's 6, of which 5 are used.
  const Case cases[] = {
      {"within nominal", 4, false, {Mode::fit, 0}, 0, false},
      {"borrowed from the cohort", 5, false, {Mode::fit, 1}, 0, false},
      {"the root would have to give what is used", 6, false, {Mode::no_fit, 1}, 1, false},
      {"victims may be asked for what is borrowed", 6, true, {Mode::reclaim, 1}, 1, false},
      {"more than there is", 11, true, {Mode::no_fit, 0}, 1, true},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    Tree tree;
    const auto gpu = tree.flavor_resources().intern("std", "gpu");
    const auto mine = tree.put(Tree::Kind::queue, "mine", {.parent = "org", .quotas = {{gpu, 4}}});
    const auto other =
        tree.put(Tree::Kind::queue, "other", {.parent = "org", .quotas = {{gpu, 6}}});
    tree.settle();
    tree.add_usage(other, std::vector<Charge>{{gpu, 5}});
    FixedOutlook victims;
    victims.grades[gpu] = {Mode::reclaim, 1};
    const auto outcome =
        judge(tree, {.queue = mine, .preempts_while_borrowing = each.preempts_while_borrowing}, {},
              {{gpu, each.amount}}, victims);
    EXPECT_EQ(outcome.grade, each.grade);
    EXPECT_EQ(to_int64(outcome.resources.front().missing), each.missing);
    EXPECT_EQ(outcome.resources.front().exceeds_max, each.exceeds_max);
  }
}

struct TwoResources {
  Tree tree{};
  FlavorResourceId cpu = tree.flavor_resources().intern("std", "cpu");
  FlavorResourceId gpu = tree.flavor_resources().intern("std", "gpu");
  QuotaNodeId queue =
      tree.put(Tree::Kind::queue, "q", {.parent = "org", .quotas = {{cpu, 0}, {gpu, 4}}});
  FixedOutlook victims{};

  TwoResources() {
    tree.put(Tree::Kind::cohort, "org", {.quotas = {{cpu, 9}}});
    tree.settle();
    tree.add_usage(queue, std::vector<Charge>{{gpu, 4}});
    victims.grades[gpu] = {Mode::preempt, 0};
  }
};

TEST(FlavorJudgement, isTheWorstOfItsResources) {
  TwoResources scene;
  FlavorQuestion question{.queue = scene.queue};
  const std::vector<Charge> both = {{scene.cpu, 3}, {scene.gpu, 2}};  // (fit, 1), (preempt, 0)
  auto outcome = judge(scene.tree, question, {}, both, scene.victims);
  EXPECT_EQ(outcome.grade, (Grade{Mode::preempt, 0}));
  EXPECT_EQ(outcome.mode, Mode::preempt);
  question.fungibility.preference = Preference::preemption_over_borrowing;
  outcome = judge(scene.tree, question, {}, both, scene.victims);
  EXPECT_EQ(outcome.grade, (Grade{Mode::fit, 1}));  // worst by level
  EXPECT_EQ(outcome.mode, Mode::preempt);           // and yet somebody must leave
}

TEST(FlavorJudgement, asksForNothingWhereNothingIsWanted) {
  TwoResources scene;
  const auto unknown = scene.tree.flavor_resources().intern("std", "tpu");
  const FlavorQuestion question{.queue = scene.queue};
  EXPECT_EQ(judge(scene.tree, question, {}, {{unknown, 0}}, scene.victims).mode, Mode::fit);
  EXPECT_EQ(judge(scene.tree, question, {}, {{unknown, 1}}, scene.victims).mode, Mode::no_fit);
}

// Two flavors of 8, without a cohort.
struct TwoSlots {
  Tree tree{};
  FlavorResourceId a = tree.flavor_resources().intern("a", "gpu");
  FlavorResourceId b = tree.flavor_resources().intern("b", "gpu");
  FixedOutlook victims{};
  FlavorQuestion question{};

  explicit TwoSlots(std::int64_t amount) {
    question.queue = tree.put(Tree::Kind::queue, "q", {.quotas = {{a, 8}, {b, 8}}});
    tree.settle();
    const Slot slot{.flavors = {{.charges = {{a, amount}}}, {.charges = {{b, amount}}}}};
    question.slots = {slot, slot};
  }
  std::string order() {
    AssignmentSearch search(tree, question, victims);
    std::string all;
    while (const auto found = search.next()) {
      for (const std::size_t flavor : found->flavors) all += "ab"[flavor];
      all += ' ';
    }
    return all;
  }
};

TEST(FlavorSearch, variesTheLastSlotFirst) { EXPECT_EQ(TwoSlots(4).order(), "aa ab ba bb "); }

TEST(FlavorSearch, countsWhatEarlierSlotsTook) { EXPECT_EQ(TwoSlots(5).order(), "ab ba "); }

TEST(FlavorSearch, saysWhichSlotNobodyWouldDoFor) {
  TwoSlots scene(4);
  scene.question.slots[1].flavors = {{.charges = {{scene.b, 9}}}};
  AssignmentSearch search(scene.tree, scene.question, scene.victims);
  EXPECT_FALSE(search.next().has_value());
  EXPECT_EQ(search.dead_end(), 1u);
  ASSERT_TRUE(search.dead_end_outcomes().at(0).has_value());
  EXPECT_TRUE(search.dead_end_outcomes()[0]->resources[0].exceeds_max);
  EXPECT_FALSE(search.out_of_budget());
  EXPECT_FALSE(search.next().has_value());
}

TEST(FlavorSearch, givesUpWhereTooManyCombinationsLeadNowhere) {
  TwoSlots scene(0);
  scene.question.slots.resize(18, scene.question.slots[0]);
  for (FlavorOption& option : scene.question.slots.back().flavors) option.usable = false;
  scene.question.slots.back().flavors[0] = {.charges = {{scene.a, 9}}};
  AssignmentSearch search(scene.tree, scene.question, scene.victims);
  EXPECT_FALSE(search.next().has_value());
  EXPECT_TRUE(search.out_of_budget());
}

// --- everything against the rules, written as they are said --------------------------------------

struct Slow {
  const RandomQuota& scene;
  const FlavorQuestion& question;
  FixedOutlook& victims;
  std::vector<std::vector<std::size_t>> found{};

  Grade grade(FlavorResourceId of, std::int64_t amount) const {
    const Tree& tree = scene.tree;
    const QuotaNodeId queue = question.queue;
    if (amount > tree.potential(queue, of)) return {Mode::no_fit, 0};
    std::uint32_t level = tree.height(tree.root(queue));
    bool subtree = false;
    Amount remaining = amount;
    for (QuotaNodeId n = queue; n.valid(); n = tree.parent(n)) {
      if (tree.usage(n, of) + remaining <= tree.subtree_quota(n, of)) {
        level = tree.height(n);
        subtree = tree.has_parent(n);
        break;
      }
      remaining -= tree.local_available(n, of);
    }
    if (amount <= tree.available(queue, of)) return {Mode::fit, level};
    if (tree.nominal(queue, of) >= amount || subtree || question.preempts_while_borrowing) {
      return victims.outlook(of, amount);
    }
    return {Mode::no_fit, level};
  }

  bool better(Grade l, Grade r) const {
    const auto group = [](Grade g) {
      return g.mode == Mode::no_fit ? 0 : g.mode == Mode::no_candidates ? 1 : 2;
    };
    if (group(l) != group(r)) return group(l) > group(r);
    if (group(l) == 0) return false;
    const bool mode_first =
        question.fungibility.preference == Preference::borrowing_over_preemption;
    if (mode_first && l.mode != r.mode) return l.mode > r.mode;
    if (l.borrow_level != r.borrow_level) return l.borrow_level < r.borrow_level;
    return l.mode > r.mode;
  }

  bool look_further(Grade g) const {
    if (g.mode == Mode::no_fit || g.mode == Mode::no_candidates) return true;
    const bool evicts = g.mode == Mode::preempt || g.mode == Mode::reclaim;
    if (evicts && question.fungibility.can_preempt == When::try_next_flavor) return true;
    return g.borrow_level > 0 && question.fungibility.can_borrow == When::try_next_flavor;
  }

  void walk(std::vector<std::size_t> chosen) {
    const std::size_t slot = chosen.size();
    if (slot == question.slots.size()) return found.push_back(chosen);
    const auto& flavors = question.slots[slot].flavors;
    std::vector<Grade> grades;
    for (const FlavorOption& option : flavors) {
      const Charge& charge = option.charges.front();
      std::int64_t sum = charge.amount;
      for (std::size_t i = 0; i < slot; ++i) {
        const Charge& earlier = question.slots[i].flavors[chosen[i]].charges.front();
        if (earlier.of == charge.of) sum += earlier.amount;
      }
      grades.push_back(charge.amount == 0 ? Grade{Mode::fit, 0} : grade(charge.of, sum));
    }
    std::vector<bool> gone(flavors.size(), false);
    for (std::size_t left = flavors.size(); left > 0; --left) {
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < flavors.size(); ++i) {
        if (gone[i] || !flavors[i].usable || grades[i].mode == Mode::no_fit) continue;
        if (!look_further(grades[i])) {
          best = i;
          break;
        }
        if (!best || better(grades[i], grades[*best])) best = i;
      }
      if (!best) return;
      gone[*best] = true;
      auto next = chosen;
      next.push_back(*best);
      walk(next);
    }
  }
};

RC_GTEST_PROP(FlavorProperty, listsAssignmentsAsTheRulesSay, ()) {
  RandomQuota scene(any_plain_nodes(3, 3));
  const auto queues = scene.queues();
  for (const std::size_t row : queues) {
    std::vector<Charge> charges;
    for (const auto of : scene.of) charges.push_back({of, *rc::gen::inRange<std::int64_t>(0, 9)});
    scene.tree.add_usage(scene.ids[row], charges);
  }
  const auto when = rc::gen::element(When::may_stop_search, When::try_next_flavor);
  FlavorQuestion question{
      .queue = scene.ids[*rc::gen::elementOf(queues)],
      .fungibility = {.can_borrow = *when,
                      .can_preempt = *when,
                      .preference = *rc::gen::element(Preference::borrowing_over_preemption,
                                                      Preference::preemption_over_borrowing)},
      .preempts_while_borrowing = *rc::gen::arbitrary<bool>()};
  FixedOutlook victims;
  for (const auto of : scene.of) {
    victims.grades[of] = {*rc::gen::element(Mode::no_candidates, Mode::preempt, Mode::reclaim),
                          *rc::gen::inRange<std::uint32_t>(0, 3)};
  }
  const int slots = *rc::gen::inRange(1, 4);
  for (int i = 0; i < slots; ++i) {
    Slot slot;
    for (const auto of : scene.of) {
      slot.flavors.push_back({.usable = *rc::gen::inRange(0, 5) > 0,
                              .charges = {{of, *rc::gen::inRange<std::int64_t>(0, 6)}}});
    }
    question.slots.push_back(slot);
  }
  Slow slow{scene, question, victims};
  slow.walk({});
  AssignmentSearch search(scene.tree, question, victims);
  for (const auto& expected : slow.found) {
    const auto found = search.next();
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->flavors == expected);
  }
  RC_ASSERT(!search.next().has_value());
}

}  // namespace
}  // namespace tutti::quota
