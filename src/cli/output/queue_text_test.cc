#include "cli/output/queue_text.h"

#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

using queues::FlavorFigures;
using queues::QueueLine;
using queues::RequestLine;

constexpr terminal::Layout kNarrow{.colour = false, .columns = 80};

FlavorFigures gpus(std::int64_t nominal, std::int64_t used, std::int64_t borrowed,
                   std::int64_t lent) {
  return {.flavor = "a100",
          .resource = "example.com/gpu",
          .nominal = nominal,
          .used = used,
          .borrowed = borrowed,
          .lent = lent};
}

queues::QueueReport report() {
  RequestLine waits;
  waits.name = "ml/train";
  waits.object = "Job ml/train";
  waits.local_queue = "ml/guaranteed";
  waits.state = "Pending";
  waits.reason = "WaitingForQuota";
  waits.shortages = {{"main", "a100", "example.com/gpu", 8, 4, false}};
  waits.position = 1;
  waits.sets = {{.name = "main", .count = 2, .asks = {{"cpu", 8000}, {"example.com/gpu", 8}}}};
  waits.waited = Millis(90'000);
  waits.evictions = {{"Preempted", "InCohortReclamation", 2}};
  waits.evicted = "Preempted to accommodate a workload (UID: 1-2, name: ml/other) due to reclaim";
  waits.start = queues::Start{queues::Start::Kind::estimate, Millis(600'000)};
  queues::QueueReport made;
  made.requests = {waits};
  QueueLine cohort{.kind = QueueLine::Kind::cohort, .name = "org", .parent = {}};
  cohort.resources = {gpus(16, 12, 0, 0)};
  cohort.waiting = 1;
  QueueLine team{.name = "team", .parent = "org", .depth = 1};
  team.resources = {gpus(8, 12, 4, 0)};
  team.waiting = 1;
  team.head = 0;
  made.queues = {cohort, team};
  return made;
}

TEST(QueueText, showsTheTreeAndWhoIsNext) {
  EXPECT_EQ(queues_text(report(), kNarrow),
            "QUEUE       FLAVOR  RESOURCE         NOMINAL  USED  BORROWED  WAITING\n"
            "cohort org  a100    example.com/gpu       16    12                  1\n"
            "  team      a100    example.com/gpu        8    12         4        1\n"
            "    next: Job ml/train: needs 8 example.com/gpu of a100, 4 left; it starts at\n"
            "    10m0s (estimate)\n");
}

TEST(QueueText, namesWhoWaitsInOrder) {
  EXPECT_EQ(waiting_text(report(), kNarrow),
            "#  REQUEST       PRIORITY  ASKS          WAITED  BLOCKER  START\n"
            "1  Job ml/train         0  cpu 8, gpu 8   1m30s  quota    at 10m0s (estimate)\n"
            "    needs 8 example.com/gpu of a100, 4 left; evicted 2 times (Preempted):\n"
            "    Preempted to accommodate a workload (ml/other) due to reclaim\n");
  EXPECT_EQ(waiting_text({}, kNarrow), "nothing waits\n");
}

TEST(QueueText, saysInBriefWhatRunShows) {
  EXPECT_EQ(queues_in_brief(report(), kNarrow),
            "REQUEST       QUEUE       STATE    REASON\n"
            "Job ml/train  guaranteed  Pending  WaitingForQuota\n"
            "    needs 8 example.com/gpu of a100, 4 left; evicted 2 times (Preempted):\n"
            "    Preempted to accommodate a workload (ml/other) due to reclaim\n"
            "\n"
            "QUEUE       USED OF NOMINAL  BORROWED  WAITING\n"
            "cohort org  a100: gpu 12/16                  1\n"
            "  team      a100: gpu 12/8   gpu 4           1\n"
            "\n");
  EXPECT_EQ(request_totals(report()), "1 request (1 Pending)");
  EXPECT_EQ(queues_in_brief({}, kNarrow), "");
  EXPECT_EQ(request_totals({}), "");
}

}  // namespace
}  // namespace tutti::cli
