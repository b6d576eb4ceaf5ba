#include "explain/verdict/preemption.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/victims/victim_cost.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

using Report = core::PreemptionReport;

void refuse(Report& report, std::string unit, core::Refusal reason, std::string why) {
  if (!report.count_refused(reason)) return;
  report.refused.push_back({std::move(unit), reason, std::move(why)});
}

Report evicting() {
  Report report;
  report.outcome = Report::Outcome::evicting;
  const core::LostWork lost{75 * core::kDeviceSecond / 2, 0, false};
  report.victims = {{"PodGroup t/v", 5, 300 * core::kDeviceSecond, {"t/v-0", "t/v-1"}, lost}};
  report.lost = lost;
  report.harm = {0, 5, 300 * core::kDeviceSecond, 1, 2};
  report.gain = {4, 2, {{"cpu", 8000}}};
  refuse(report, "Pod t/young", core::Refusal::min_runtime, "is protected");
  return report;
}

TEST(PreemptionText, saysWhoGivesWayAtWhatCost) {
  const Preemption said = describe(evicting());
  EXPECT_EQ(said.outcome, "evicting");
  EXPECT_EQ(said.summary,
            "2 pods in 1 unit of priority 5 or less give way to 4 pods, which throws 37.5 device "
            "seconds away; no choice does less harm");
  ASSERT_EQ(said.victims.size(), 1U);
  EXPECT_EQ(said.victims[0].lost.text, "37.5 device seconds");
  EXPECT_EQ(said.victims[0].lost.device_seconds, 37);
  EXPECT_EQ(said.victims[0].lost.weighted_cost, 300) << "by which victims are compared";
  EXPECT_EQ(said.gain, (std::vector<Amount>{{"pods", "4"}, {"nodes", "2"}, {"cpu", "8"}}));
}

TEST(PreemptionText, saysWhatIsLostInTheUnitsThatPeopleUse) {
  constexpr std::int64_t kHour = 3600 * core::kDeviceSecond;
  const std::vector<std::pair<core::LostWork, std::string>> cases = {
      {{32 * kHour, 0, true}, "32 GPU hours"},
      {{kHour, 0, true}, "1 GPU hour"},
      {{5 * kHour / 2, 0, false}, "2.5 device hours"},
      {{kHour / 2, 0, true}, "30 GPU minutes"},
      {{0, 3 * kHour, true}, "3 core hours"},
      {{2 * kHour, kHour / 60, true}, "2 GPU hours and 1 core minute"},
      {{0, 0, true}, "0 core seconds"},
  };
  for (const auto& [lost, text] : cases) EXPECT_EQ(lost_text(lost), text);
}

TEST(PreemptionText, namesAGangThatIsLeftBelowItsMinimum) {
  Report report = evicting();
  report.stalled = {{"Job t/llama", 3, 4}};
  EXPECT_NE(describe(report).summary.find(
                "; it leaves Job t/llama with 3 of 4, as its disruptionMode asks"),
            std::string::npos)
      << describe(report).summary;
}

TEST(PreemptionText, speaksOfOnePodInTheSingular) {
  Report report = evicting();
  report.victims.front().pods.resize(1);
  EXPECT_TRUE(
      describe(report).summary.starts_with("1 pod of priority 5 or less gives way to 4 pods"));
}

TEST(PreemptionText, admitsViolationsAndWhatWasNotProven) {
  Report report = evicting();
  report.harm.violations = 1;
  report.least = false;
  EXPECT_EQ(
      describe(report).summary,
      "2 pods in 1 unit of priority 5 or less give way to 4 pods, which throws 37.5 device seconds "
      "away and exceeds disruption budgets by 1 pod; whether a choice does less harm was not "
      "worked "
      "out to the end");
}

TEST(PreemptionText, hasAWordForEveryOutcome) {
  const std::vector<std::pair<Report::Outcome, std::string>> cases = {
      {Report::Outcome::not_allowed, "notAllowed"},
      {Report::Outcome::nobody, "protected"},
      {Report::Outcome::useless, "useless"},
      {Report::Outcome::no_need, "waiting"},
  };
  for (const auto& [outcome, word] : cases) {
    SCOPED_TRACE(word);
    Report report = evicting();
    report.outcome = outcome;
    EXPECT_EQ(describe(report).outcome, word);
    EXPECT_TRUE(describe(report).victims.empty());
  }
}

TEST(PreemptionText, keepsSilentWhereNobodyCouldGiveWay) {
  EXPECT_EQ(describe(Report{}).outcome, "");
}

TEST(PreemptionText, saysThatNobodyMattersLess) {
  Report report;
  refuse(report, "Pod t/a", core::Refusal::equal_priority, "has the same priority, 0");
  EXPECT_EQ(describe(report).outcome, "nobody");
  EXPECT_EQ(describe(report).refused.front().reason, "equalPriority");
}

TEST(PreemptionText, countsThoseRefusedByReasonAndNamesTheFirst) {
  Report report = evicting();
  for (int i = 0; i < 6000; ++i) {
    refuse(report, "Pod t/" + std::to_string(i), core::Refusal::equal_priority,
           "has the same priority, 7");
  }
  Verdict verdict;
  verdict.preemption = describe(report);
  const std::string page = render_text(verdict);
  EXPECT_NE(
      page.find(
          "  refuse  6000 units of the same priority: Pod t/0, Pod t/1, Pod t/2 and 5997 more\n"),
      std::string::npos)
      << page;
}

TEST(PreemptionText, isPartOfThePage) {
  Verdict verdict;
  verdict.preemption = describe(evicting());
  const std::string page = render_text(verdict);
  EXPECT_NE(page.find("  evict   PodGroup t/v (priority 5, 2 pods, 37.5 device seconds)\n"),
            std::string::npos);
  EXPECT_NE(page.find("  refuse  Pod t/young: is protected\n"), std::string::npos);
}

}  // namespace
}  // namespace tutti::explain
