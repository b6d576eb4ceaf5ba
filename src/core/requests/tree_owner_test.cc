#include "core/requests/tree_owner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti::core {
namespace {

using model::StopPolicy;

// A member in letters: t marked ours, k marked Kueue's, - not marked; H held, o open; c a Cohort.
TreeMember member(std::string_view letters, int number) {
  TreeMember made{.name = "q" + std::to_string(number)};
  for (const char letter : letters) {
    if (letter == 't') made.mark = TreeMember::Mark::ours;
    if (letter == 'k') made.mark = TreeMember::Mark::kueues;
    if (letter == 'o') made.lets_kueue_in = true;
  }
  return made;
}

std::vector<TreeMember> tree(std::string_view letters) {
  std::vector<TreeMember> members;
  while (!letters.empty()) {
    const std::size_t end = std::min(letters.find(' '), letters.size());
    members.push_back(member(letters.substr(0, end), static_cast<int>(members.size()) + 1));
    letters.remove_prefix(std::min(end + 1, letters.size()));
  }
  return members;
}

TEST(TreeOwner, isDecidedByModeKueueAndEveryMember) {
  constexpr auto kOwn = BrokerMode::own;
  constexpr auto kObserve = BrokerMode::observe;
  constexpr auto kCheck = BrokerMode::check;
  const std::string unmarked = "annotation tutti.dev/admission: tutti is missing on ";
  const std::string open = "spec.stopPolicy is not Hold, while Kueue is at work, on ";
  struct Case {
    BrokerMode mode;
    bool kueue;
    std::string tree;
    bool ours;
    std::string missing;
  };
  const Case cases[] = {
      // Nobody marks it.
      {kOwn, false, "-o -o", true, ""},
      {kOwn, true, "-o -o", false, ""},
      {kOwn, true, "-H -H", false, ""},
      {kObserve, false, "-o", false, ""},
      {kObserve, true, "-o", false, ""},
      {kCheck, false, "-o", false, ""},
      // Everybody marks it.
      {kOwn, false, "to to", true, ""},
      {kOwn, true, "tH tH", true, ""},
      {kObserve, true, "tH tH tc", true, ""},
      {kCheck, true, "tH", true, ""},
      {kObserve, false, "to", true, ""},
      {kObserve, true, "tH to", false, open + "q2"},
      // Half of it is marked.
      {kOwn, false, "to -o", true, ""},
      {kOwn, true, "tH -H", false, unmarked + "q2"},
      {kObserve, false, "to -o", false, unmarked + "q2"},
      {kObserve, true, "tH -H -c", false, unmarked + "q2, q3"},
      {kObserve, true, "to -o", false, unmarked + "q2; " + open + "q1, q2"},
      // Somebody is marked Kueue's.
      {kOwn, false, "ko -o", false, ""},
      {kOwn, false, "ko to", false, unmarked + "q1"},
      {kOwn, true, "kH tH", false, unmarked + "q1"},
      {kObserve, true, "tH -H -H -H -H -H -H", false, unmarked + "q2, q3, q4, q5, q6 and 1 more"},
  };
  for (const Case& each : cases) {
    const TreeOwner owner = owner_of_tree({each.mode, each.kueue}, tree(each.tree));
    EXPECT_EQ(owner.ours, each.ours) << each.tree;
    EXPECT_EQ(owner.missing, each.missing) << each.tree;
  }
}

TEST(TreeOwner, heedsTheAnnotationWhereHoldKeepsKueueAway) {
  struct Case {
    std::string owner;
    std::string stop;
    StopPolicy spec;
    StopPolicy heeded;
  };
  const Case cases[] = {
      {"", "", StopPolicy::hold, StopPolicy::hold},
      {"", "HoldAndDrain", StopPolicy::none, StopPolicy::none},
      {"kueue", "HoldAndDrain", StopPolicy::hold, StopPolicy::hold},
      {"tutti", "", StopPolicy::hold, StopPolicy::none},
      {"tutti", "Hold", StopPolicy::hold, StopPolicy::hold},
      {"tutti", "HoldAndDrain", StopPolicy::hold, StopPolicy::hold_and_drain},
      {"tutti", "", StopPolicy::hold_and_drain, StopPolicy::hold_and_drain},
      {"tutti", "Hold", StopPolicy::none, StopPolicy::hold},
      {"tutti", "drain", StopPolicy::hold, StopPolicy::none},
  };
  for (const Case& each : cases) {
    model::ClusterQueue queue;
    queue.spec.stop = each.spec;
    auto& annotations = queue.meta.annotations.edit();
    if (!each.owner.empty()) annotations.emplace_back(kAdmissionOwner, each.owner);
    if (!each.stop.empty()) annotations.emplace_back(kStopPolicy, each.stop);
    EXPECT_EQ(stop_policy_of(queue), each.heeded) << each.owner << ' ' << each.stop;
  }
}

TEST(TreeOwner, namesAnnotationsThatSayNothing) {
  model::Cohort cohort;
  EXPECT_EQ(mark_problem(cohort), "");
  cohort.meta.annotations = {{std::string(kAdmissionOwner), "Tutti"}};
  EXPECT_EQ(mark_problem(cohort),
            "annotation tutti.dev/admission must be tutti or kueue, is 'Tutti'");
  cohort.meta.annotations = {{std::string(kStopPolicy), "stop"}};
  EXPECT_EQ(mark_problem(cohort),
            "annotation tutti.dev/stop-policy must be None, Hold or HoldAndDrain, is 'stop'");
}

}  // namespace
}  // namespace tutti::core
