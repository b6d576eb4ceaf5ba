#include "session/run_forecast.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/device.h"
#include "support/build.h"

namespace tutti::session {
namespace {

const Instant kNow{};

store::WatchEvent changed(model::ObjectPtr before, model::ObjectPtr after) {
  store::WatchEvent event;
  event.before = std::move(before);
  event.after = std::move(after);
  return event;
}

store::WatchEvent created(model::ObjectPtr object) { return changed(nullptr, std::move(object)); }

std::shared_ptr<model::ResourceClaim> claim(const std::string& name) {
  auto made = std::make_shared<model::ResourceClaim>();
  made->meta.ns = "t";
  made->meta.name = name;
  return made;
}

TEST(RunForecasts, nameWhatHappenedLastTogether) {
  const store::Store objects;
  RunForecasts omens(objects, {model::Kind::pod, "t", "p", {}});
  omens.observe(created(claim("early")), kNow);
  omens.observe(created(claim("a")), kNow + Millis(1));
  omens.observe(created(claim("b")), kNow + Millis(1));
  EXPECT_EQ(omens.latest(), (std::vector<std::string>{"ResourceClaim t/a is created",
                                                      "ResourceClaim t/b is created"}));
}

TEST(RunForecasts, areNotWhatTheSchedulerDoesItself) {
  const store::Store objects;
  RunForecasts omens(objects, {model::Kind::pod, "t", "p", {}});
  auto own = claim("a-extended-resources-x");
  own->meta.annotations = {{std::string(model::kExtendedClaim), "true"}};
  model::OwnerReference pod;
  pod.kind = "Pod";
  pod.controller = true;
  own->meta.owners = {pod};
  omens.observe(created(own), kNow);
  EXPECT_TRUE(omens.latest().empty());
}

TEST(RunForecasts, nameMembersThatComeAndGatesThatOpen) {
  const store::Store objects;
  RunForecasts omens(objects, {model::Kind::pod_group, "t", "g", {}});
  const auto stranger = test::pod("x").build();
  const auto gated = test::pod("g-0").group("g").gate("example.com/quota").build();
  const auto open = test::pod("g-0").group("g").build();
  omens.observe(created(stranger), kNow);
  EXPECT_TRUE(omens.latest().empty());
  omens.observe(created(gated), kNow);
  EXPECT_EQ(omens.latest(), std::vector<std::string>{"Pod t/g-0 is created"});
  omens.observe(changed(gated, open), kNow + Millis(1));
  EXPECT_EQ(omens.latest(), std::vector<std::string>{"Pod t/g-0 has no scheduling gate left"});
}

TEST(RunForecasts, sayWhatExpectedEndsRestOn) {
  store::Store store;
  model::OwnerReference job;
  job.kind = "Job";
  job.name = "j";
  job.uid = "uid-j";
  job.controller = true;
  auto running = std::make_shared<model::Pod>(*test::pod("j-1").on("n1").build());
  running->meta.owners = {job};
  auto ended = std::make_shared<model::Pod>(*running);
  ended->status.phase = model::PodPhase::succeeded;
  auto earlier = *ended;
  earlier.meta.name = "j-0";
  earlier.meta.uid = "uid-j-0";
  earlier.status.start_time = kNow;
  earlier.status.finished = kNow + std::chrono::minutes(10);
  ASSERT_TRUE(store.create(earlier, {kNow}).ok());

  RunForecasts omens(store, {model::Kind::pod, "t", "p", {}},
                     std::make_shared<const JobHistory>(store, kNow));
  auto failed = std::make_shared<model::Pod>(*ended);
  failed->status.phase = model::PodPhase::failed;
  omens.observe(changed(running, failed), kNow);
  EXPECT_TRUE(omens.bases().empty()) << "its deadline is no estimate";
  omens.observe(changed(running, ended), kNow);
  EXPECT_EQ(omens.bases(), std::vector<std::string>{"earlier pods of Job t/j ran 10m0s"});
  const RunForecast foresight{std::chrono::minutes(12), {"Pod t/j-1 ends"}, omens.bases()};
  EXPECT_EQ(text_of(foresight, std::chrono::minutes(5)),
            "in 7m0s, at 12m0s, when Pod t/j-1 ends; an estimate: earlier pods of Job t/j ran "
            "10m0s");
}

}  // namespace
}  // namespace tutti::session
