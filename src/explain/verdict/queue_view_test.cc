#include "explain/verdict/queue_view.h"

#include <gtest/gtest.h>

#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

Verdict queued_verdict() {
  Verdict verdict;
  verdict.object = {"Job", "ml", "train"};
  verdict.blocker = Blocker::quota;
  verdict.summary = "needs 4 cpu of flavor a; queue team has 1 of 6 left";
  verdict.need = {{"cpu (a)", "4"}};
  verdict.have = {{"cpu (a)", "1"}};
  QueueView view;
  view.cluster_queue = "team";
  view.reason = "WaitingForQuota";
  view.position = 2;
  view.flavors = {{"a", "waits", 0, "", {{"cpu", "4", "6", "5", "0", "1", true}}},
                  {"spot", "unusable", 0, "untolerated taint", {}}};
  view.competitors = {{"Job ml/old", "team", "a", "cpu", "5"}};
  verdict.queue = view;
  return verdict;
}

TEST(QueueView, isATableForPeople) {
  EXPECT_EQ(render_text(queued_verdict()),
            "object   Job ml/train\n"
            "state    Waiting\n"
            "blocker  quota\n"
            "summary  needs 4 cpu of flavor a; queue team has 1 of 6 left\n"
            "queue    team, position 2 (WaitingForQuota)\n"
            "\n"
            "FLAVOR  RESOURCE      NEED   NOMINAL      USED  BORROWED      FREE\n"
            "a       cpu              4         6         5         0         1\n"
            "spot    untolerated taint\n"
            "\n"
            "used by\n"
            "  5 cpu of flavor a: Job ml/old (queue team)\n");
}

TEST(QueueView, leavesTheAmountsOfPlacesToTheirOwnTable) {
  Verdict verdict = queued_verdict();
  verdict.blocker = Blocker::fragmentation;
  EXPECT_NE(render_text(verdict).find("NEED        HAVE"), std::string::npos);
  verdict.blocker = Blocker::quota;
  EXPECT_EQ(render_text(verdict).find("NEED        HAVE"), std::string::npos);
}

}  // namespace
}  // namespace tutti::explain
