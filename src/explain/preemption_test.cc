#include "explain/preemption.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/victim_cost.h"
#include "explain/text.h"

namespace tutti::explain {
namespace {

using Report = core::PreemptionReport;

Report evicting() {
  Report report;
  report.outcome = Report::Outcome::evicting;
  report.victims = {{"PodGroup t/v", 5, 75 * core::kDeviceSecond / 2, {"t/v-0", "t/v-1"}}};
  report.harm = {0, 5, 75 * core::kDeviceSecond / 2, 1, 2};
  report.refused = {{"Pod t/young", "is protected"}};
  return report;
}

TEST(PreemptionText, saysWhoGivesWayAtWhatCost) {
  const Preemption said = describe(evicting());
  EXPECT_EQ(said.outcome, "evicting");
  EXPECT_EQ(said.summary,
            "2 pods in 1 unit of priority 5 or less give way, which throws 37.5 device seconds "
            "away; no choice does less harm");
  ASSERT_EQ(said.victims.size(), 1U);
  EXPECT_EQ(said.victims[0].cost, "37.5 device seconds");
}

TEST(PreemptionText, admitsViolationsAndWhatWasNotProven) {
  Report report = evicting();
  report.harm.violations = 1;
  report.least = false;
  EXPECT_EQ(
      describe(report).summary,
      "2 pods in 1 unit of priority 5 or less give way, which throws 37.5 device seconds away "
      "and exceeds disruption budgets by 1 pod; whether a choice does less harm was not worked "
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
