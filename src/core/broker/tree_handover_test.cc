#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/quota_build.h"
#include "support/quota_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::flavor;
using test::local_queue;
using test::node;
using test::queue;
using test::request;

// A scheduler of a real cluster; requests ask for whole cpus, one each pod.
class TreeHandoverTest : public testing::Test {
 protected:
  TreeHandoverTest() { begin(); }

  static std::vector<Profile> one_profile() {
    std::vector<Profile> made;
    made.push_back(test::small_profile());
    return made;
  }
  // A new process: knows what is in the cluster, and nothing else.
  void begin() {
    SchedulerOptions options;
    options.record_intents = true;
    scheduler_ = std::make_unique<Scheduler>(options, one_profile(), port_);
    port_.serve(*scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_->check_consistency(), ""); };
  }
  void restart(const Authority& authority) {
    begin();
    scheduler_->set_authority(authority);
    const auto all = port_.objects();
    for (const auto& [key, object] : all) {
      scheduler_->observe({Observation::Type::added, object, false}, port_.now());
    }
    scheduler_->take_over(port_.now());
    port_.run_instant();
  }
  void start(BrokerMode mode, bool kueue) {
    scheduler_->set_authority({mode, kueue});
    scheduler_->take_over(port_.now());
    port_.run_instant();
  }
  void add(const test::QueueBuilder& builder) {
    const auto made = builder.build();
    port_.apply(made);
    port_.apply(local_queue(made->meta.name));
  }
  void ask(test::RequestBuilder builder) {
    port_.advance(1s);
    port_.apply(builder.created(port_.now()).build());
    port_.run_instant();
  }
  void mark(const std::string& name, const std::string& owner, model::StopPolicy stop) {
    port_.edit<model::ClusterQueue>("", name, [&](model::ClusterQueue& next) {
      next.meta.annotations = {};
      if (!owner.empty()) next.meta.annotations = {{std::string(kAdmissionOwner), owner}};
      next.spec.stop = stop;
    });
    port_.run_instant();
  }
  bool admitted(const std::string& name) {
    return model::has_condition(*port_.find<model::AdmissionRequest>("t", name), "Admitted");
  }
  const Request& known(const std::string& name) {
    return *scheduler_->broker().requests().find("t", name);
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> all;
    for (const auto& event : port_.events) {
      if (event.type == "Warning") all.push_back(event.about->meta.name + ": " + event.message);
    }
    return all;
  }
  void add_check() {
    auto check = std::make_shared<model::AdmissionCheck>();
    check->meta.name = "places";
    check->controller = kPlacementChecker;
    port_.apply(std::shared_ptr<const model::AdmissionCheck>(check));
  }
  // Kueue gives quota and asks us.
  void ask_for_places(const std::string& name) {
    port_.admit(name, "a", false);
    port_.edit<model::AdmissionRequest>("t", name, [&](model::AdmissionRequest& next) {
      next.status.checks = {{.check = "places",
                             .state = model::CheckState::pending,
                             .last_transition = {},
                             .message = {},
                             .requeue_after_seconds = {},
                             .retries = {},
                             .updates = {}}};
    });
    port_.run_instant();
  }
  model::CheckState answer(const std::string& name) {
    return port_.find<model::AdmissionRequest>("t", name)->status.checks.at(0).state;
  }

  test::QuotaPort port_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(TreeHandoverTest, decidesNothingBeforeItTakesOver) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  port_.apply(request("r").queue("a").pods(2, "cpu", "1").build());
  EXPECT_EQ(port_.request_writes, 0);
  EXPECT_FALSE(known("r").ours);
  start(BrokerMode::own, false);
  EXPECT_TRUE(admitted("r"));
}

TEST_F(TreeHandoverTest, chargesWhatKueueGivesAndTakesAndWritesNothing) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  start(BrokerMode::observe, true);
  ask(request("r").queue("a").pods(3, "cpu", "1"));
  EXPECT_EQ(known("r").stage, RequestStage::waiting);
  port_.admit("r", "a");
  port_.run_instant();
  EXPECT_EQ(known("r").stage, RequestStage::admitted);
  const quota::Tree& tree = scheduler_->broker().requests().objects().tree();
  const auto a = *tree.find(quota::Tree::Kind::queue, "a");
  EXPECT_EQ(tree.usage(a, known("r").charges.at(0).of), 3000);
  EXPECT_EQ(port_.binds.size(), 3U);
  port_.edit<model::AdmissionRequest>("t", "r", [](model::AdmissionRequest& next) {
    next.status.admission.reset();
    next.status.conditions = {};
  });
  port_.run_instant();
  EXPECT_EQ(known("r").stage, RequestStage::waiting);
  EXPECT_EQ(port_.request_writes, 0);
  EXPECT_EQ(port_.queue_writes, 0);
}

TEST_F(TreeHandoverTest, takesATreeOverWithoutEvictingAnybody) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("8").build());
  add(queue("a").cohort("org").quota("std", "cpu", "2"));
  add(queue("b").cohort("org").quota("std", "cpu", "2"));
  start(BrokerMode::observe, true);
  ask(request("over").queue("a").pods(6, "cpu", "1"));
  port_.admit("over", "a");
  ask(request("waits").queue("b").pods(1, "cpu", "1"));
  mark("a", "tutti", model::StopPolicy::hold);
  EXPECT_EQ(warnings().size(), 2U);
  EXPECT_EQ(warnings()[0],
            "a: Tutti does not decide about this tree of queues: annotation tutti.dev/admission: "
            "tutti is missing on ClusterQueue b; spec.stopPolicy is not Hold, while Kueue is at "
            "work, on ClusterQueue b");
  EXPECT_FALSE(known("over").ours);
  mark("b", "tutti", model::StopPolicy::hold);
  EXPECT_TRUE(known("over").ours);
  EXPECT_TRUE(admitted("over"));
  EXPECT_FALSE(admitted("waits")) << "the tree has given more than it owns";
  EXPECT_EQ(port_.evictions.size(), 0U);
  EXPECT_EQ(port_.queue_writes, 0) << "Kueue writes them";
  port_.finish("over");
  port_.reap(100);
  port_.run_instant();
  EXPECT_TRUE(admitted("waits"));
}

TEST_F(TreeHandoverTest, givesATreeBackWithWhatItHeldForPreemptors) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4").preempts(model::WithinQueuePreemption::lower_priority));
  start(BrokerMode::own, false);
  ask(request("low").queue("a").pods(4, "cpu", "1"));
  ask(request("high").queue("a").priority(1).pods(4, "cpu", "1"));
  ASSERT_EQ(known("high").stage, RequestStage::preempting);
  mark("a", "kueue", model::StopPolicy::none);
  EXPECT_EQ(known("high").stage, RequestStage::waiting);
  EXPECT_FALSE(known("high").ours);
  EXPECT_TRUE(known("high").charges.empty());
  const int written = port_.request_writes;
  port_.reap(100);
  port_.run_instant();
  EXPECT_EQ(port_.request_writes, written);
}

TEST_F(TreeHandoverTest, changesNothingWhenItStartsAgain) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  start(BrokerMode::own, false);
  ask(request("runs").queue("a").pods(3, "cpu", "1"));
  ask(request("waits").queue("a").pods(2, "cpu", "1"));
  const int queues = port_.queue_writes;
  const int requests = port_.request_writes;
  restart({BrokerMode::own, false});
  EXPECT_EQ(port_.request_writes, requests);
  EXPECT_EQ(port_.queue_writes, queues);
  EXPECT_EQ(known("runs").stage, RequestStage::admitted);
  EXPECT_EQ(known("waits").stage, RequestStage::waiting);
}

TEST_F(TreeHandoverTest, answersChecksByThePlacesItKeeps) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("4").build());
  add_check();
  add(queue("a").quota("std", "cpu", "16").check("places"));
  start(BrokerMode::check, true);
  EXPECT_TRUE(model::find(port_.find<model::AdmissionCheck>("", "places")->conditions, "Active"));
  ask(request("fits").queue("a").pods(3, "cpu", "1"));
  ask_for_places("fits");
  EXPECT_EQ(answer("fits"), model::CheckState::ready);
  ask(request("late").queue("a").pods(2, "cpu", "1"));
  ask_for_places("late");
  EXPECT_EQ(answer("late"), model::CheckState::retry);
  const auto& state = port_.find<model::AdmissionRequest>("t", "late")->status.checks.at(0);
  EXPECT_EQ(state.requeue_after_seconds, 60);
  EXPECT_EQ(port_.request_writes, 0) << "the rest of the status is Kueue's";
  port_.admit("fits", "a");
  port_.run_instant();
  EXPECT_EQ(port_.binds.size(), 3U);
}

TEST_F(TreeHandoverTest, takesItsWordBackWhenThePlacesAreGone) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("4").build());
  add_check();
  add(queue("a").quota("std", "cpu", "16").check("places"));
  start(BrokerMode::check, true);
  ask(request("r").queue("a").pods(3, "cpu", "1"));
  ask_for_places("r");
  ASSERT_EQ(answer("r"), model::CheckState::ready);
  restart({BrokerMode::check, true});
  EXPECT_EQ(answer("r"), model::CheckState::ready);
  ASSERT_TRUE(scheduler_->broker().phantoms().all().contains("t/r"));
  port_.remove(model::Kind::node, "", "n1");
  port_.run_instant();
  EXPECT_EQ(answer("r"), model::CheckState::retry);
}

TEST_F(TreeHandoverTest, keepsItsHeadWhenAQueueInUseIsMadeAnew) {
  port_.apply(flavor("std"));
  port_.apply(node("n1").cpu("4").build());
  add(queue("a").quota("std", "cpu", "4"));
  start(BrokerMode::own, false);
  ask(request("runs").queue("a").pods(3, "cpu", "1"));
  const auto kept =
      std::make_shared<model::ClusterQueue>(*port_.find<model::ClusterQueue>("", "a"));
  port_.remove(model::Kind::cluster_queue, "", "a");
  port_.run_instant();
  EXPECT_TRUE(admitted("runs"));
  port_.apply(std::shared_ptr<const model::ClusterQueue>(kept));
  ask(request("late").queue("a").pods(2, "cpu", "1"));
  EXPECT_TRUE(admitted("runs"));
  EXPECT_FALSE(admitted("late"));
  EXPECT_EQ(known("runs").stage, RequestStage::admitted);
}

}  // namespace
}  // namespace tutti::core
