#include "core/requests/quota_objects.h"

#include <gtest/gtest.h>

#include <string>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::core {
namespace {

using test::flavor;
using test::local_queue;
using test::queue;

model::ObjectPtr cohort_below(std::string name, std::string parent) {
  auto made = std::make_shared<model::Cohort>();
  made->meta.name = std::move(name);
  made->spec.parent = std::move(parent);
  return made;
}

model::ObjectPtr admission_check(std::string name, bool active) {
  auto made = std::make_shared<model::AdmissionCheck>();
  made->meta.name = std::move(name);
  if (active) {
    made->conditions.push_back({.type = "Active",
                                .status = "True",
                                .reason = "Active",
                                .message = {},
                                .last_transition = {},
                                .observed_generation = 0});
  }
  return made;
}

TEST(QuotaObjects, saysWhyAQueueTakesNobody) {
  QuotaObjects objects;
  objects.set(flavor("std"));
  auto racks = std::make_shared<model::ResourceFlavor>(*flavor("racks"));
  racks->topology = "rows";
  objects.set(model::ObjectPtr(racks));
  objects.set(cohort_below("left", "right"));
  objects.set(cohort_below("right", "left"));
  objects.set(admission_check("idle", false));
  objects.set(admission_check("works", true));
  struct Case {
    test::QueueBuilder queue;
    std::string reason;
  };
  const Case cases[] = {
      {queue("q").quota("std", "cpu", "4"), ""},
      {queue("q").quota("std", "cpu", "4").check("works"), ""},
      {queue("q").quota("std", "cpu", "4").stop(model::StopPolicy::hold), "Stopped"},
      {queue("q").quota("spot", "cpu", "4"), "FlavorNotFound"},
      {queue("q").quota("racks", "cpu", "4"), "TopologyNotFound"},
      {queue("q").quota("std", "cpu", "4").check("none"), "AdmissionCheckNotFound"},
      {queue("q").quota("std", "cpu", "4").check("idle"), "AdmissionCheckInactive"},
      {queue("q").quota("std", "cpu", "4").cohort("left"), "CohortCycle"},
      {queue("q").quota("std", "cpu", "4").cohort("nobody-made-it"), ""},
  };
  for (const Case& each : cases) {
    objects.set(each.queue.build());
    EXPECT_EQ(objects.closure_of(*objects.queue("q")).reason, each.reason);
  }
}

TEST(QuotaObjects, closesALocalQueueWithItsClusterQueue) {
  QuotaObjects objects;
  objects.set(flavor("std"));
  const auto reason = [&] { return objects.closure_of(*objects.local_queue("t", "q")).reason; };
  objects.set(local_queue("q"));
  EXPECT_EQ(reason(), "ClusterQueueDoesNotExist");
  objects.set(queue("q").quota("std", "cpu", "4").build());
  EXPECT_EQ(reason(), "");
  objects.set(queue("q").quota("spot", "cpu", "4").build());
  EXPECT_EQ(reason(), "ClusterQueueIsInactive");
  auto stopped = std::make_shared<model::LocalQueue>(*local_queue("q"));
  stopped->spec.stop = model::StopPolicy::hold;
  objects.set(model::ObjectPtr(stopped));
  EXPECT_EQ(reason(), "LocalQueueStopped");
}

TEST(QuotaObjects, takesStatusesForNoNews) {
  QuotaObjects objects;
  objects.set(queue("q").quota("std", "cpu", "4").build());
  const std::uint64_t before = objects.version();
  auto counted =
      std::make_shared<model::ClusterQueue>(*queue("q").quota("std", "cpu", "4").build());
  counted->status.pending = 7;
  objects.set(model::ObjectPtr(counted));
  EXPECT_EQ(objects.version(), before);
  EXPECT_EQ(objects.queue("q")->object->status.pending, 7);
  objects.set(queue("q").quota("std", "cpu", "5").build());
  EXPECT_GT(objects.version(), before);
}

TEST(QuotaObjects, impliesATopologyWhereAllFlavorsHaveOne) {
  QuotaObjects objects;
  auto racks = std::make_shared<model::ResourceFlavor>(*flavor("racks"));
  racks->topology = "rows";
  objects.set(flavor("std"));
  objects.set(model::ObjectPtr(racks));
  objects.set(queue("some").quota("racks", "cpu", "4").quota("std", "cpu", "4").build());
  objects.set(queue("all").quota("racks", "cpu", "4").build());
  EXPECT_FALSE(objects.is_all_topology(*objects.queue("some")));
  EXPECT_TRUE(objects.is_all_topology(*objects.queue("all")));
}

}  // namespace
}  // namespace tutti::core
