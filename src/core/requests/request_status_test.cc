#include "core/requests/request_status.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::core {
namespace {

using test::at_second;
using test::request;

class RequestStatusTest : public testing::Test {
 protected:
  RequestStatusTest() {
    request_.object = request("r").queue("a").pods(2, "cpu", "1").build();
    request_.name = "t/r";
    request_.queue = "a";
    request_.promise = {{.count = 2, .flavors = {{"cpu", "std"}}, .usage = {{"cpu", 2000}}}};
  }

  void become(RequestStatus status) {
    auto next = std::make_shared<model::AdmissionRequest>(*request_.object);
    next->status = std::move(status);
    request_.object = next;
  }
  // "True Reason" of a condition; "" if there is none.
  std::string condition(std::string_view type) const {
    const auto* found = model::find(request_.object->status.conditions, type);
    return found != nullptr ? found->status + " " + found->reason : "";
  }

  Request request_;
};

TEST_F(RequestStatusTest, admitsAtOnceWithoutChecks) {
  become(status_reserved(request_, {}, at_second(5)));
  EXPECT_EQ(condition("QuotaReserved"), "True QuotaReserved");
  EXPECT_EQ(condition("Admitted"), "True Admitted");
  const model::Admission& admission = *request_.object->status.admission;
  EXPECT_EQ(admission.cluster_queue, "a");
  ASSERT_EQ(admission.pod_sets.size(), 1U);
  EXPECT_EQ(admission.pod_sets[0].count, 2);
  EXPECT_EQ(*model::find(admission.pod_sets[0].flavors, "cpu"), "std");
  EXPECT_EQ(model::find(admission.pod_sets[0].usage, "cpu")->text(), "2");
}

TEST_F(RequestStatusTest, waitsForChecksBetween) {
  const std::vector<std::string> checks = {"budget"};
  become(status_reserved(request_, checks, at_second(5)));
  EXPECT_EQ(condition("QuotaReserved"), "True QuotaReserved");
  EXPECT_EQ(condition("Admitted"), "");
  ASSERT_EQ(request_.object->status.checks.size(), 1U);
  EXPECT_EQ(request_.object->status.checks[0].state, model::CheckState::pending);
  become(status_admitted(request_, at_second(6)));
  EXPECT_EQ(condition("Admitted"), "True Admitted");
}

TEST_F(RequestStatusTest, keepsTheAdmissionUntilEverythingIsFree) {
  become(status_reserved(request_, {}, at_second(5)));
  become(status_evicted(request_,
                        {.reason = "Preempted", .message = "for v", .cause = "InClusterQueue"},
                        at_second(65)));
  EXPECT_EQ(condition("Evicted"), "True Preempted");
  EXPECT_EQ(condition("Preempted"), "True InClusterQueue");
  EXPECT_EQ(condition("QuotaReserved"), "True QuotaReserved");
  EXPECT_TRUE(request_.object->status.admission);
  become(status_released(request_, at_second(70)));
  EXPECT_EQ(condition("QuotaReserved"), "False Pending");
  EXPECT_EQ(condition("Admitted"), "False NoReservation");
  EXPECT_EQ(condition("Requeued"), "True Preempted");
  EXPECT_FALSE(request_.object->status.admission);
  EXPECT_EQ(request_.object->status.past_execution_seconds, 65);
}

TEST_F(RequestStatusTest, takesBackWhatWasSaidOfAnEarlierEviction) {
  become(status_reserved(request_, {}, at_second(5)));
  become(status_evicted(request_, {.reason = "PodsReadyTimeout", .message = "late"}, at_second(6)));
  become(status_released(request_, at_second(7)));
  become(status_reserved(request_, {}, at_second(8)));
  EXPECT_EQ(condition("Evicted"), "False QuotaReserved");
  EXPECT_EQ(condition("Requeued"), "False QuotaReserved");
  EXPECT_EQ(condition("Preempted"), "");
}

TEST_F(RequestStatusTest, countsEvictionsByReason) {
  become(status_evicted(request_, {.reason = "Preempted", .message = {}}, at_second(6)));
  become(status_evicted(request_, {.reason = "Preempted", .message = {}}, at_second(7)));
  become(status_evicted(request_, {.reason = "Deactivated", .message = {}}, at_second(8)));
  const auto& counts = request_.object->status.evictions;
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].count, 2);
  EXPECT_EQ(counts[1].reason, "Deactivated");
}

TEST_F(RequestStatusTest, resetsChecksOfThoseWhoHaveToWaitAgain) {
  const std::vector<std::string> checks = {"budget"};
  become(status_reserved(request_, checks, at_second(5)));
  RequestStatus ready = request_.object->status;
  ready.checks[0].state = model::CheckState::ready;
  become(std::move(ready));
  become(status_evicted(request_, {.reason = "Preempted", .message = {}}, at_second(6)));
  become(status_released(request_, at_second(7)));
  EXPECT_EQ(request_.object->status.checks[0].state, model::CheckState::pending);
}

TEST_F(RequestStatusTest, movesTheTimeOfAConditionOnlyWithItsStatus) {
  become(status_refused(request_, {Waits::for_quota, "3 more needed"}, at_second(5)));
  become(status_refused(request_, {Waits::exceeds_max_quota, "too large"}, at_second(9)));
  EXPECT_EQ(condition("QuotaReserved"), "False ExceedsMaxQuota");
  EXPECT_EQ(model::find(request_.object->status.conditions, "QuotaReserved")->last_transition,
            at_second(5));
}

}  // namespace
}  // namespace tutti::core
