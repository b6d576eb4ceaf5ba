#include "sim/check/quota_watch.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::sim {
namespace {

class QuotaWatchTest : public testing::Test {
 protected:
  // What the watch says of the object as it is now.
  std::string see(const model::ObjectPtr& object) {
    auto& known = known_[model::key_of(*object)];
    const model::ObjectPtr before = std::exchange(known, object);
    return watch_.observe({.before = before, .after = object});
  }
  std::string wait(const std::string& name) { return see(test::request(name).build()); }
  std::string admit(const std::string& name, const std::string& queue, std::string_view cpu) {
    const auto known = known_.at({model::Kind::admission_request, "t", name, {}});
    auto next =
        std::make_shared<model::AdmissionRequest>(model::as<model::AdmissionRequest>(*known));
    model::PodSetAssignment set;
    set.flavors = {{"cpu", "std"}};
    set.usage = {{"cpu", test::quantity(cpu)}};
    next->status.admission = model::Admission{.cluster_queue = queue, .pod_sets = {set}};
    condition(*next, "QuotaReserved", "True");
    return see(next);
  }
  std::string change(const std::string& name, const std::string& type, const std::string& status) {
    const auto known = known_.at({model::Kind::admission_request, "t", name, {}});
    auto next =
        std::make_shared<model::AdmissionRequest>(model::as<model::AdmissionRequest>(*known));
    if (type == "QuotaReserved" && status == "False") next->status.admission.reset();
    condition(*next, type, status);
    return see(next);
  }
  static void condition(model::AdmissionRequest& request, const std::string& type,
                        const std::string& status) {
    auto& all = request.status.conditions.edit();
    std::erase_if(all, [&](const auto& each) { return each.type == type; });
    all.push_back({.type = type,
                   .status = status,
                   .reason = "Test",
                   .message = {},
                   .last_transition = {},
                   .observed_generation = 0});
  }

  QuotaWatch watch_;
  std::map<model::ObjectKey, model::ObjectPtr> known_;
};

TEST_F(QuotaWatchTest, seesWhoIsAdmittedBeyondTheQuotaOfItsQueue) {
  see(test::queue("a").quota("std", "cpu", "4").build());
  wait("first");
  wait("second");
  EXPECT_EQ(admit("first", "a", "3"), "");
  EXPECT_EQ(admit("second", "a", "2"),
            "Workload t/second was admitted beyond the quota of ClusterQueue a for cpu of flavor "
            "std");
}

TEST_F(QuotaWatchTest, countsWhatCohortsLend) {
  see(test::queue("a").cohort("org").quota("std", "cpu", "4", "1").build());
  see(test::queue("b").cohort("org").quota("std", "cpu", "4").build());
  for (const char* name : {"r1", "r2", "r3"}) wait(name);
  EXPECT_EQ(admit("r1", "a", "5"), "") << "one is borrowed";
  EXPECT_EQ(admit("r2", "b", "3"), "");
  EXPECT_NE(admit("r3", "b", "1"), "") << "that one is lent";
}

TEST_F(QuotaWatchTest, holdsNobodyToAQuotaThatWasCutLater) {
  see(test::queue("a").quota("std", "cpu", "4").build());
  wait("r");
  EXPECT_EQ(admit("r", "a", "4"), "");
  EXPECT_EQ(see(test::queue("a").quota("std", "cpu", "1").build()), "");
  EXPECT_EQ(change("r", "PodsReady", "True"), "");
}

TEST_F(QuotaWatchTest, forgetsWhoGaveItsQuotaBack) {
  see(test::queue("a").quota("std", "cpu", "4").build());
  for (const char* name : {"r1", "r2", "r3"}) wait(name);
  EXPECT_EQ(admit("r1", "a", "4"), "");
  EXPECT_EQ(change("r1", "QuotaReserved", "False"), "");
  EXPECT_EQ(admit("r2", "a", "4"), "");
  EXPECT_EQ(change("r2", "Finished", "True"), "");
  EXPECT_EQ(admit("r3", "a", "4"), "");
}

TEST_F(QuotaWatchTest, allowsNoFlavorThatTheQueueDoesNotList) {
  see(test::queue("a").quota("other", "cpu", "4").build());
  wait("r");
  EXPECT_NE(admit("r", "a", "1"), "");
}

}  // namespace
}  // namespace tutti::sim
