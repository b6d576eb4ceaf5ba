// Backfill: what a promised start costs, and what it costs those who ask whether they may pass.
#include <fmt/format.h>

#include "base/check.h"
#include "cluster_models.h"
#include "harness.h"
#include "scenes.h"
#include "support/quota_build.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kEnds = 2'000;
constexpr std::int32_t kGang = 512;

test::RequestBuilder work(const std::string& name, std::int32_t pods, std::string_view cpu,
                          std::size_t seconds) {
  auto asked = test::request(name).queue("queue");
  asked.pods(pods, "cpu", cpu);
  asked.runs_for(std::chrono::seconds(seconds));
  return asked;
}

// Every node is taken, by 2,000 requests that end at as many times.
void fill(World& world, const char* mode) {
  for (const auto& node : make_nodes(kNodes, false)) world.add(node);
  world.add(test::flavor("std"));
  world.add(test::queue("queue")
                .quota("std", "cpu", "1000000")
                .annotation("tutti.dev/backfill", mode)
                .build());
  world.add(test::local_queue("queue"));
  for (std::size_t i = 0; i < kEnds; ++i) {
    const std::int32_t pods = i < kNodes % kEnds ? 3 : 2;
    world.add(work(fmt::format("running-{:04}", i), pods, "60", 1'000 + i).build());
  }
  world.run();
}

void reservation() {
  World world;
  fill(world, "easy");
  world.add(work("head", kGang, "60", 3'600).created(world.now).build());
  const double seconds = seconds_of([&] { world.run(); });
  const auto* promise = world.scheduler.broker().backfill().find("t/head");
  TUTTI_CHECK(promise != nullptr && !promise->collects, "the head is promised a start");
  print({"backfill", "start of 512 nodes among 2,000 ends", seconds * 1e3, "ms",
         Figure::Bound::at_most, 5});
}

void plan_of_hundred() {
  World world;
  fill(world, "conservative");
  for (int i = 0; i < 100; ++i) {
    world.add(work(fmt::format("waiting-{:03}", i), 1 + i % 64, "60", 600 + 60 * (i % 9)).build());
  }
  const double seconds = seconds_of([&] { world.run(); });
  TUTTI_CHECK(world.scheduler.broker().backfill().all().size() == 100, "all are planned");
  print({"backfill", "plans of 100 among 2,000 ends", seconds * 1e3, "ms", Figure::Bound::at_most,
         50});
}

// One pod after another on a half empty cluster, `waits`: while a gang waits for all of it.
double admitted_per_second(const char* mode, bool waits) {
  constexpr std::size_t kCount = 20'000;
  World world;
  for (const auto& node : make_nodes(kNodes, false)) world.add(node);
  world.add(test::flavor("std"));
  world.add(test::queue("queue")
                .quota("std", "cpu", "1000000")
                .annotation("tutti.dev/backfill", mode)
                .build());
  world.add(test::local_queue("queue"));
  world.add(work("blocks", 1, "1", 100'000).build());
  world.run();
  if (waits) world.add(work("head", kNodes, "64", 3'600).build());
  world.run();
  for (std::size_t i = 0; i < kCount; ++i) {
    world.add(
        work(fmt::format("small-{:06}", i), 1, "1", 60).created(Instant{Millis{2'000}}).build());
  }
  const double seconds = cpu_seconds_of([&] { world.run(); });
  TUTTI_CHECK(world.scheduler.broker().requests().preempting().empty());
  return static_cast<double>(kCount) / seconds;
}

}  // namespace

void backfill() {
  reservation();
  plan_of_hundred();
  const double without = admitted_per_second("none", false);
  print({"backfill", "admitted per second with easy, share of those without",
         admitted_per_second("easy", false) / without, "", Figure::Bound::at_least, 0.9});
  print({"backfill", "the same past a gang that waits for everything",
         admitted_per_second("easy", true) / without, "", Figure::Bound::at_least, 0});
}

}  // namespace tutti::bench
