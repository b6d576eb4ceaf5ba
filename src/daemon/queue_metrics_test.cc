#include "daemon/queue_metrics.h"

#include <gtest/gtest.h>

#include <string>

#include "support/quota_build.h"

namespace tutti::daemon {
namespace {

using test::flavor;
using test::local_queue;
using test::queue;
using test::request;

class QueueMetricsTest : public testing::Test {
 protected:
  QueueMetricsTest() {
    table.objects().set(flavor("std"));
    table.objects().set(queue("a").cohort("org").quota("std", "cpu", "4", "2").build());
    table.objects().set(local_queue("a"));
  }
  std::string text() {
    return metrics.text(table, [this](const core::Request&) { return lacks_place; });
  }
  core::QuotaConfig config;
  core::RequestTable table{config};
  QueueMetrics metrics;
  bool lacks_place = false;
};

TEST_F(QueueMetricsTest, countsWhoWaitsAndWhoHoldsQuota) {
  table.put(request("waits").queue("a").pods(1, "cpu", "1").build());
  core::Request& holds = table.put(request("holds").queue("a").pods(3, "cpu", "1").build());
  const auto of = table.objects().tree().flavor_resources().intern("std", "cpu");
  table.charge(holds, *table.objects().queue("a"), {{of, 3000}}, {}, core::RequestStage::admitted,
               {});
  lacks_place = true;
  const std::string said = text();
  for (const char* line :
       {"kueue_pending_workloads{cluster_queue=\"a\",status=\"active\"} 1\n",
        "kueue_admitted_active_workloads{cluster_queue=\"a\"} 1\n",
        "kueue_cluster_queue_resource_usage{cohort=\"org\",cluster_queue=\"a\",flavor=\"std\","
        "resource=\"cpu\"} 3\n",
        "kueue_cluster_queue_nominal_quota{cohort=\"org\",cluster_queue=\"a\",flavor=\"std\","
        "resource=\"cpu\"} 4\n",
        "kueue_cluster_queue_borrowing_limit{cohort=\"org\",cluster_queue=\"a\",flavor=\"std\","
        "resource=\"cpu\"} 2\n",
        "kueue_cohort_subtree_quota{cohort=\"org\",flavor=\"std\",resource=\"cpu\"} 4\n",
        "tutti_quota_unplaceable_requests{cluster_queue=\"a\"} 1\n"}) {
    EXPECT_NE(said.find(line), std::string::npos) << line << said;
  }
}

TEST_F(QueueMetricsTest, leavesKueuesNamesToKueueWhereItIsAtWork) {
  table.objects().set_authority({core::BrokerMode::observe, true});
  const std::string said = text();
  EXPECT_EQ(said.find("kueue_"), std::string::npos);
  EXPECT_NE(said.find("tutti_quota_unplaceable_requests"), std::string::npos);
}

TEST_F(QueueMetricsTest, countsDecisions) {
  table.put(request("r").queue("a").pods(1, "cpu", "1").build());
  core::Decision refused{.at = test::at_second(11),
                         .kind = core::Decision::Kind::unschedulable,
                         .entity = "Workload t/r",
                         .bindings = {},
                         .message = {}};
  metrics.decided(refused, table, std::chrono::milliseconds(2));
  refused.kind = core::Decision::Kind::admitted;
  metrics.decided(refused, table, std::chrono::milliseconds(2));
  const std::string said = text();
  for (const char* line :
       {"kueue_admission_attempts_total{result=\"inadmissible\"} 1\n",
        "kueue_admission_attempts_total{result=\"success\"} 1\n",
        "kueue_quota_reserved_wait_time_seconds_bucket{cluster_queue=\"a\",le=\"10\"} 1\n",
        "kueue_quota_reserved_wait_time_seconds_sum{cluster_queue=\"a\"} 10\n"}) {
    EXPECT_NE(said.find(line), std::string::npos) << line << said;
  }
}

}  // namespace
}  // namespace tutti::daemon
