// Queues: how many requests are admitted a second, what a release costs that helps nobody, and how
// long the searches over a whole tree take.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cluster_models.h"
#include "harness.h"
#include "quota/tournament.h"
#include "quota/victims.h"
#include "scenes.h"
#include "support/quota_build.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kQueues = 1'000;
constexpr std::size_t kTrees = 50;

void add_queues(World& world, const char* quota) {
  for (const auto& node : make_nodes(kNodes, false)) world.add(node);
  world.add(test::flavor("std"));
  for (std::size_t i = 0; i < kQueues; ++i) {
    const std::string name = fmt::format("queue-{:04}", i);
    world.add(
        test::queue(name)
            .cohort(fmt::format("tree-{:02}", i % kTrees))
            .quota("std", "cpu", quota)
            .preempts(model::WithinQueuePreemption::lower_priority, model::ReclaimPreemption::any)
            .build());
    world.add(test::local_queue(name));
  }
}

// One pod, in one queue after another.
std::shared_ptr<const model::AdmissionRequest> request(std::size_t number, const std::string& cpu) {
  return test::request(fmt::format("request-{:06}", number))
      .queue(fmt::format("queue-{:04}", number % kQueues))
      .pods(1, "cpu", cpu)
      .build();
}

std::size_t admitted(const World& world) {
  return static_cast<std::size_t>(std::ranges::count_if(
      world.scheduler.broker().requests().all(),
      [](const auto& each) { return each.second->stage == core::RequestStage::admitted; }));
}

double admitted_per_second(std::size_t count, bool alike) {
  World world;
  add_queues(world, "100");
  world.run();
  for (std::size_t i = 0; i < count; ++i) {
    world.add(request(i, alike ? "1" : fmt::format("{}m", 500 + i)));
  }
  const double seconds = seconds_of([&] { world.run(); });
  TUTTI_CHECK(admitted(world) == count, "everything fits");
  return static_cast<double>(count) / seconds;
}

// 20,000 requests run and fill all quota, 10,000 wait; some that run go.
void releases() {
  constexpr std::size_t kRunning = 20'000;
  constexpr std::size_t kWaiting = 10'000;
  constexpr std::size_t kGone = 150;  // three of each tree
  World world;
  add_queues(world, "20");
  std::vector<model::ObjectPtr> running;
  for (std::size_t i = 0; i < kRunning; ++i) {
    running.push_back(request(i, "1"));
    world.add(running.back());
  }
  world.run();
  TUTTI_CHECK(admitted(world) == kRunning, "all quota is used");
  for (std::size_t i = 0; i < kWaiting; ++i) {
    world.add(request(kRunning + i, fmt::format("{}m", 4'000 + i % 100)));
  }
  world.run();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < kGone; ++i) {
    seconds.push_back(seconds_of([&] {
      world.remove(running[i]);
      world.run();
    }));
  }
  TUTTI_CHECK(admitted(world) == kRunning - kGone, "nobody could use what came free");
  std::ranges::sort(seconds);
  print({"queues", "a release that helps nobody, median", seconds[kGone / 2] * 1e6, "us",
         Figure::Bound::at_most, 50});
}

// One root of so many queues; everybody runs what is given.
struct WholeTree {
  explicit WholeTree(std::size_t queues) {
    cpu = tree.flavor_resources().intern("std", "cpu");
    for (std::size_t i = 0; i < queues; ++i) {
      nodes.push_back(tree.put(quota::Tree::Kind::queue, fmt::format("queue-{:04}", i),
                               {.parent = "root", .quotas = {{.of = cpu, .nominal = 20}}}));
    }
    tree.settle();
  }

  quota::Tree tree;
  quota::FlavorResourceId cpu;
  std::vector<quota::QuotaNodeId> nodes;
};

void tournament() {
  WholeTree whole(200);
  const double seconds = seconds_of([&] {
    quota::Tournament tournament(whole.tree);
    for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
      tournament.nominate(whole.nodes[i], {.charges = {{whole.cpu, static_cast<int>(i % 40)}},
                                           .timestamp = static_cast<std::int64_t>(i),
                                           .uid = fmt::format("head-{:04}", i)});
    }
    TUTTI_CHECK(tournament.winner(whole.tree.root(whole.nodes.front())).has_value());
  });
  print({"queues", "tournament of 200 queues from nothing", seconds * 1e3, "ms",
         Figure::Bound::at_most, 2});
}

void victims() {
  constexpr std::size_t kCandidates = 2'000;
  WholeTree whole(51);
  std::vector<quota::Running> running;
  for (std::size_t i = 0; i < kCandidates; ++i) {
    const quota::QuotaNodeId queue = whole.nodes[1 + i % 50];
    running.push_back({.queue = queue,
                       .charges = {{whole.cpu, 1}},
                       .priority = static_cast<std::int64_t>(i % 7),
                       .reserved_at = static_cast<std::int64_t>(i),
                       .uid = fmt::format("running-{:04}", i)});
    whole.tree.add_usage(queue, running.back().charges);
  }
  quota::PreemptionPolicy policy;
  policy.reclaim = quota::PreemptionPolicy::Reclaim::any;
  const quota::Preemptor preemptor{
      .queue = whole.nodes.front(), .charges = {{whole.cpu, 20}}, .needed = {whole.cpu}};
  std::vector<double> seconds;
  for (int round = 0; round < 200; ++round) {
    seconds.push_back(seconds_of([&] {
      const auto found = quota::classical_victims(whole.tree, preemptor, policy, running);
      TUTTI_CHECK(!found.empty(), "who borrows gives back");
    }));
  }
  std::ranges::sort(seconds);
  print({"queues", "victims among 2,000 in 50 queues, p99", seconds[198] * 1e3, "ms",
         Figure::Bound::at_most, 2});
}

}  // namespace

void queues() {
  print({"queues", "admitted per second, alike", admitted_per_second(20'000, true), "1/s",
         Figure::Bound::at_least, 20'000});
  print({"queues", "admitted per second, all different", admitted_per_second(4'000, false), "1/s",
         Figure::Bound::at_least, 2'000});
  releases();
  tournament();
  victims();
}

}  // namespace tutti::bench
