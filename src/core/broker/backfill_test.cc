#include "core/broker/backfill.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/broker/backfill_words.h"
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

// Work for a pool that lets time pass from one event to the next.
class BackfillTest : public testing::Test {
 protected:
  explicit BackfillTest(const SchedulerOptions& options = {})
      : scheduler_(options, profiles(), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_.check_consistency(), ""); };
    port_.apply(flavor("std"));
  }
  static std::vector<Profile> profiles() {
    std::vector<Profile> made;
    made.push_back(test::small_profile());
    return made;
  }
  static constexpr Instant kZero{std::chrono::hours(24)};

  void open(const test::QueueBuilder& builder) {
    const auto made = builder.build();
    port_.apply(made);
    port_.apply(local_queue(made->meta.name));
  }
  // One node of ten cpus and a queue that may have them.
  void pool(const char* mode) {
    port_.apply(node("n1").cpu("10").build());
    test::QueueBuilder builder = queue("a").quota("std", "cpu", "10");
    if (mode != nullptr) builder.annotation(kBackfillAnnotation, mode);
    open(builder);
  }
  // To be submitted so many seconds after the start; it ends `length` after it began.
  void plan(std::chrono::seconds at, test::RequestBuilder builder, std::chrono::seconds length) {
    coming_.emplace(kZero + at, std::pair(std::move(builder), Millis(length)));
  }
  // A request of pods with a cpu each, that says how long it runs.
  void plan(std::chrono::seconds at, const std::string& name, int cpus,
            std::chrono::seconds length) {
    plan(at, request(name).queue("a").pods(cpus, "cpu", "1").runs_for(length), length);
  }
  // Plays everything up to that time after the start.
  void play(std::chrono::seconds until = 100h) {
    for (;;) {
      Instant next = kZero + until;
      if (!coming_.empty()) next = std::min(next, coming_.begin()->first);
      for (const auto& [name, end] : ends_) next = std::min(next, end);
      if (const auto due = scheduler_.next_wakeup(); due && *due > port_.now()) {
        next = std::min(next, *due);
      }
      if (next >= kZero + until) break;
      port_.advance(next - port_.now());
      std::vector<std::string> over;
      for (const auto& [name, end] : ends_) {
        if (end <= next) over.push_back(name);
      }
      for (const std::string& name : over) {
        ends_.erase(name);
        port_.finish(name);
      }
      port_.reap(1000);
      while (!coming_.empty() && coming_.begin()->first <= next) {
        auto [builder, length] = coming_.begin()->second;
        const auto made = builder.created(next).build();
        lengths_[made->meta.name] = length;
        coming_.erase(coming_.begin());
        port_.apply(made);
      }
      settle_instant();
    }
    if (port_.now() < kZero + until && until < 100h) {
      port_.advance(kZero + until - port_.now());
      settle_instant();
    }
  }
  void settle_instant() {
    port_.run_instant();
    for (const auto& [name, length] : lengths_) {
      if (starts_.contains(name) && ends_.contains(name)) continue;
      const auto* object = port_.find<model::AdmissionRequest>("t", name);
      const bool over = object == nullptr || model::has_condition(*object, "Finished");
      if (over || !model::has_condition(*object, "Admitted") || ends_.contains(name)) continue;
      starts_.emplace(
          name, std::chrono::duration_cast<std::chrono::seconds>(port_.now() - kZero).count());
      ends_[name] = port_.now() + length;
    }
  }
  const model::Condition* condition(const std::string& name, std::string_view type) {
    const auto* found = port_.find<model::AdmissionRequest>("t", name);
    TUTTI_CHECK(found != nullptr, name);
    return model::find(found->status.conditions, type);
  }
  std::string message(const std::string& name, std::string_view type) {
    const auto* found = condition(name, type);
    return found != nullptr ? found->message : "";
  }
  const PromisedStart* reserved(const std::string& name) {
    return scheduler_.broker().backfill().find("t/" + name);
  }

  using Starts = std::map<std::string, std::int64_t>;
  test::QuotaPort port_;
  Scheduler scheduler_;
  std::multimap<Instant, std::pair<test::RequestBuilder, Millis>> coming_;
  std::map<std::string, Millis> lengths_;
  std::map<std::string, Instant> ends_;
  Starts starts_;
};

void plan_first_example(const auto& test) {
  test(0s, "first", 6, 600s);
  test(60s, "head", 10, 300s);
  test(120s, "long", 4, 900s);
  test(180s, "short", 4, 200s);
}

TEST_F(BackfillTest, letsWhoFitsPassWithoutIt) {
  pool(nullptr);
  plan_first_example([&](auto... args) { plan(args...); });
  play();
  EXPECT_EQ(starts_, (Starts{{"first", 0}, {"long", 120}, {"short", 600}, {"head", 1020}}));
  EXPECT_EQ(condition("head", kReserved), nullptr);
}

TEST_F(BackfillTest, letsNobodyPassWhoWouldDelayTheHead) {
  pool("easy");
  plan_first_example([&](auto... args) { plan(args...); });
  play(200s);
  ASSERT_NE(reserved("head"), nullptr);
  EXPECT_EQ(reserved("head")->start, kZero + 600s);
  EXPECT_TRUE(reserved("head")->certain);
  EXPECT_EQ(message("head", kReserved),
            "from 1970-01-02T00:10:00Z on node n1, when Workload t/first ends");
  EXPECT_EQ(message("short", kBackfilled),
            "may run until 1970-01-02T00:10:00Z; reserved for t/head then");
  EXPECT_EQ(condition("long", "QuotaReserved")->reason, "WaitingForReservation");
  EXPECT_EQ(message("long", "QuotaReserved"),
            "would end at 1970-01-02T00:17:00Z, after the reservation of t/head at "
            "1970-01-02T00:10:00Z");
  play();
  EXPECT_EQ(starts_, (Starts{{"first", 0}, {"short", 180}, {"head", 600}, {"long", 900}}));
  EXPECT_EQ(condition("head", kReserved)->status, "False");
}

TEST_F(BackfillTest, letsRunBesideTheHeadWhatItLeaves) {
  pool("easy");
  plan(0s, "first", 6, 600s);
  plan(60s, "head", 8, 300s);
  plan(120s, request("one").queue("a").pods(2, "cpu", "1"), 90h);
  plan(130s, request("two").queue("a").pods(2, "cpu", "1"), 90h);
  play(200s);
  EXPECT_EQ(message("two", "QuotaReserved"),
            "could be in the way of the reservation of t/head at 1970-01-02T00:10:00Z: it does not "
            "say how long it runs");
  play();
  EXPECT_EQ(starts_, (Starts{{"first", 0}, {"one", 120}, {"head", 600}, {"two", 900}}));
}

void plan_second_example(const auto& test) {
  test(0s, "first", 6, 600s);
  test(60s, "head", 7, 300s);
  test(120s, "b", 10, 300s);
  test(180s, "c", 3, 2000s);
  test(240s, "d", 3, 500s);
}

TEST_F(BackfillTest, keepsNothingForTheSecondThatWaitsWithEasy) {
  pool("easy");
  plan_second_example([&](auto... args) { plan(args...); });
  play();
  EXPECT_EQ(starts_.at("head"), 600);
  EXPECT_EQ(starts_.at("c"), 180);
  EXPECT_EQ(starts_.at("b"), 2180);
}

TEST_F(BackfillTest, delaysNobodyPlannedWithConservative) {
  pool("conservative");
  plan_second_example([&](auto... args) { plan(args...); });
  play(250s);
  EXPECT_EQ(scheduler_.broker().backfill().all().size(), 3U);
  play();
  EXPECT_EQ(starts_, (Starts{{"first", 0}, {"head", 600}, {"d", 240}, {"b", 900}, {"c", 1200}}));
}

TEST_F(BackfillTest, passesTheFirstOfAStrictQueueOnlyWithoutHarm) {
  port_.apply(node("n1").cpu("10").build());
  open(queue("a").quota("std", "cpu", "10").strict().annotation(kBackfillAnnotation, "easy"));
  plan_first_example([&](auto... args) { plan(args...); });
  play();
  EXPECT_EQ(starts_, (Starts{{"first", 0}, {"short", 180}, {"head", 600}, {"long", 900}}));
}

TEST_F(BackfillTest, startsTheHeadWhenOthersEndEarly) {
  pool("easy");
  plan(0s, request("first").queue("a").pods(6, "cpu", "1").runs_for(600s), 200s);
  plan(60s, "head", 10, 300s);
  play();
  EXPECT_EQ(starts_.at("head"), 200);
}

TEST_F(BackfillTest, plansAnewWhenOthersOverrun) {
  pool("easy");
  auto first = request("first").queue("a").pods(6, "cpu", "1");
  first.annotation(kExpectedRuntime, "100s");
  plan(0s, first, 400s);
  plan(60s, "head", 10, 300s);
  play(70s);
  ASSERT_NE(reserved("head"), nullptr);
  EXPECT_EQ(reserved("head")->start, kZero + 100s);
  EXPECT_FALSE(reserved("head")->certain);
  play(110s);
  EXPECT_EQ(reserved("head")->start, kZero + 160s);
  play();
  EXPECT_EQ(starts_.at("head"), 400);
}

TEST_F(BackfillTest, believesAnEstimateOfWhomItMayEvict) {
  pool("easy");
  plan(0s, "first", 6, 600s);
  plan(60s, "head", 10, 300s);
  auto timid = request("timid").queue("a").pods(4, "cpu", "1");
  timid.annotation(kExpectedRuntime, "200s");
  plan(120s, timid, 900s);
  auto bold = request("bold").queue("a").pods(4, "cpu", "1");
  bold.annotation(kExpectedRuntime, "200s").annotation(kYield, "true");
  plan(180s, bold, 900s);
  play(300s);
  EXPECT_FALSE(starts_.contains("timid"));
  EXPECT_EQ(starts_.at("bold"), 180);
  play(601s);
  EXPECT_EQ(condition("bold", "Evicted")->status, "True");
}

TEST_F(BackfillTest, leavesPoolsAlone) {
  port_.apply(node("n1").cpu("10").label("pool", "x").build());
  port_.apply(node("n2").cpu("10").label("pool", "y").build());
  port_.apply(flavor("x", {{"pool", "x"}}));
  port_.apply(flavor("y", {{"pool", "y"}}));
  for (const char* name : {"x", "y"}) {
    open(
        queue(name).cohort("org").quota(name, "cpu", "10").annotation(kBackfillAnnotation, "easy"));
  }
  const auto asks = [](const char* name, const char* where, int cpus, std::chrono::seconds length) {
    return request(name).queue(where).pods(cpus, "cpu", "1").runs_for(length);
  };
  plan(0s, asks("first", "x", 6, 600s), 600s);
  plan(10s, asks("head", "x", 10, 60s), 60s);
  plan(20s, asks("other", "y", 6, 900s), 900s);
  plan(30s, asks("second", "y", 10, 60s), 60s);
  play(40s);
  EXPECT_EQ(starts_.at("other"), 20);
  ASSERT_NE(reserved("head"), nullptr);
  ASSERT_NE(reserved("second"), nullptr) << "each pool has a head of its own";
  EXPECT_EQ(reserved("second")->start, kZero + 920s);
}

TEST_F(BackfillTest, givesHeadshipToWhoRanksHigher) {
  pool("easy");
  plan(0s, "first", 6, 600s);
  plan(60s, "head", 10, 300s);
  auto vip = request("vip").queue("a").pods(8, "cpu", "1").runs_for(100s).priority(5);
  plan(120s, vip, 100s);
  play(130s);
  EXPECT_EQ(reserved("head"), nullptr);
  EXPECT_EQ(condition("head", kReserved)->status, "False");
  ASSERT_NE(reserved("vip"), nullptr);
  play();
  EXPECT_EQ(starts_, (Starts{{"first", 0}, {"vip", 600}, {"head", 700}}));
}

TEST_F(BackfillTest, takesTheNextAsHeadWhenTheHeadGoes) {
  pool("easy");
  plan_first_example([&](auto... args) { plan(args...); });
  play(200s);
  port_.erase("head");
  lengths_.erase("head");
  settle_instant();
  EXPECT_EQ(reserved("head"), nullptr);
  play();
  EXPECT_EQ(starts_.at("long"), 380) << "when short ends";
}

// Four pods of one cpu for four nodes that endless work of two cpus each shares.
TEST_F(BackfillTest, collectsPlacesForWhoWaitsLongWithoutAStart) {
  for (int i = 0; i < 4; ++i) port_.apply(node("n" + std::to_string(i)).cpu("2").build());
  open(queue("a").quota("std", "cpu", "8").annotation(kBackfillAnnotation, "easy"));
  for (int i = 0; i < 4; ++i) {
    const std::chrono::seconds length = i == 0 ? 26h : i == 1 ? 30h : 90h;
    plan(0s, request("old" + std::to_string(i)).queue("a").pods(1, "cpu", "2"), length);
  }
  plan(60s, request("head").queue("a").pods(2, "cpu", "2"), 1h);
  plan(27h, request("late").queue("a").pods(1, "cpu", "2"), 50h);
  play(2h);
  EXPECT_EQ(reserved("head"), nullptr);
  play(25h);
  ASSERT_NE(reserved("head"), nullptr);
  EXPECT_TRUE(reserved("head")->collects);
  EXPECT_EQ(condition("head", kReserved)->reason, "Collecting");
  play(28h);
  EXPECT_FALSE(starts_.contains("late")) << message("late", "QuotaReserved");
  play();
  EXPECT_EQ(starts_.at("head"), 30 * 3600);
}

TEST_F(BackfillTest, takesTheWordOfTheNearest) {
  auto cohort = std::make_shared<model::Cohort>();
  cohort->meta.name = cohort->meta.uid = "org";
  cohort->meta.annotations = {{std::string(kBackfillAnnotation), "easy"}};
  port_.apply(std::shared_ptr<const model::Cohort>(cohort));
  open(queue("a").cohort("org").quota("std", "cpu", "1"));
  open(queue("b").cohort("org").quota("std", "cpu", "1").annotation(kBackfillAnnotation, "none"));
  open(queue("c").quota("std", "cpu", "1").annotation(kBackfillAnnotation, "sometimes"));
  port_.run_instant();
  const Broker& broker = scheduler_.broker();
  const auto mode = [&](const char* name) {
    return broker.backfill().mode_of(*broker.requests().objects().queue(name));
  };
  EXPECT_EQ(mode("a"), BackfillMode::easy);
  EXPECT_EQ(mode("b"), BackfillMode::none);
  EXPECT_EQ(mode("c"), BackfillMode::none);
  ASSERT_EQ(port_.events.size(), 1U);
  EXPECT_EQ(port_.events[0].message,
            "annotation tutti.dev/backfill must be none, easy or conservative, is 'sometimes': "
            "what is above it counts");
}

}  // namespace
}  // namespace tutti::core
