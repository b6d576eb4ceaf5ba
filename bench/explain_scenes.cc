// Explanations on a large cluster: one gang with everything that would help it, and what it costs
// to keep the verdicts of all that waits up to date.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/check.h"
#include "cluster_models.h"
#include "explain/explain.h"
#include "explain/findings/verdict_cache.h"
#include "harness.h"
#include "scenes.h"
#include "support/build.h"
#include "whatif/ways.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kGang = 256;
// Of fewer the 99th percentile is the first, with cold memories, or that of a machine that paused.
constexpr int kRounds = 300;

// Each node gets so many pods, of which it holds ten. One half of them belong to Jobs of 50.
void use(World& world, std::size_t pods_per_node) {
  for (const auto& node : make_nodes(kNodes, false)) world.add(node);
  const auto spec = test::pod("template").cpu("6400m").memory("2Gi").build()->spec;
  for (std::size_t i = 0; i < kNodes * pods_per_node; ++i) {
    auto pod = std::make_shared<model::Pod>(
        *test::pod(fmt::format("run-{:07}", i)).on(fmt::format("node-{:06}", i % kNodes)).build());
    pod->spec = spec;
    if (i % 2 == 0) {
      model::OwnerReference owner;
      owner.kind = "Job";
      owner.name = fmt::format("job-{}", i / 100);
      owner.controller = true;
      pod->meta.owners.push_back(owner);
    }
    world.add(pod);
  }
}

struct Waiting {
  model::ObjectPtr group;
  std::vector<model::ObjectPtr> pods;
};

Waiting add_gang(World& world, const std::string& name, std::size_t members, const char* cpu,
                 const std::string& key) {
  Waiting made;
  made.group = test::pod_group(name).gang(static_cast<std::int32_t>(members)).topology(key).build();
  world.add(made.group);
  const auto spec = test::pod("template").cpu(cpu).memory("2Gi").group(name).build()->spec;
  for (std::size_t i = 0; i < members; ++i) {
    auto pod = std::make_shared<model::Pod>(*test::pod(fmt::format("{}-{:04}", name, i)).build());
    pod->spec = spec;
    world.add(pod);
    made.pods.push_back(std::move(pod));
  }
  return made;
}

// The verdict of a gang that was just refused, with its ways.
double explanation(World& world, int round, std::size_t ways_min) {
  const std::string name = fmt::format("gang-{}", round);
  const Waiting gang = add_gang(world, name, kGang, "6400m", "example.com/rack");
  world.run();
  core::Scheduler& scheduler = world.scheduler;
  const auto group = scheduler.groups().find("t", name, false);
  TUTTI_CHECK(group && scheduler.groups()[*group].pending.size() == kGang, "the gang was to wait");
  const core::PodId pod = *scheduler.groups()[*group].pending.begin();
  std::size_t ways = 0;
  const double seconds = seconds_of([&] {
    explain::Verdict verdict = explain::explain_group(scheduler, *group);
    verdict.ways = whatif::find_ways(scheduler, world.now, {pod, *group}, {});
    ways = verdict.ways.size();
  });
  TUTTI_CHECK(ways >= ways_min, "something was to help it");
  for (const auto& member : gang.pods) world.remove(member);
  world.remove(gang.group);
  return seconds;
}

std::vector<double> explanations(std::size_t pods_per_node, std::size_t ways_min) {
  World world;
  use(world, pods_per_node);
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    seconds.push_back(explanation(world, round, ways_min));
  }
  std::ranges::sort(seconds);
  return seconds;
}

void print_explanations(std::string_view name, const std::vector<double>& seconds) {
  print({"explain", fmt::format("{}, p50", name), seconds[seconds.size() / 2] * 1e3, "ms"});
  print({"explain", fmt::format("{}, p99", name), seconds[seconds.size() * 99 / 100] * 1e3, "ms",
         Figure::Bound::at_most, 50});
}

// --- verdicts kept up to date --------------------------------------------------------------------

constexpr std::size_t kWaitingGroups = 1'000;
constexpr std::size_t kBatches = 30;
constexpr std::size_t kRestarts = 4;
constexpr std::size_t kBatch = 500;

// The verdict of every group that waits, whole and rendered, made anew whenever it was refused
// again; with the memory that the daemon keeps for the same.
class VerdictKeeper : public core::DecisionListener {
 public:
  void decided(const core::Decision& decision) override {
    if (decision.kind == core::Decision::Kind::unschedulable) stale_.insert(decision.entity);
  }
  void catch_up(const core::Scheduler& scheduler) {
    if (!memory_) memory_.emplace(scheduler.cluster());
    explain::Sources sources = explain::sources_of(scheduler);
    sources.memory = &*memory_;
    for (const std::string& entity : stale_) {
      const auto group = scheduler.groups().find("t", entity.substr(entity.find('/') + 1), false);
      if (group) verdicts_.insert_or_assign(entity, explain::explain_group(sources, *group));
    }
    made_ += stale_.size();
    stale_.clear();
  }
  std::size_t size() const { return verdicts_.size(); }
  std::size_t made() const { return made_; }

 private:
  std::set<std::string> stale_;
  std::map<std::string, explain::Verdict> verdicts_;
  std::optional<explain::VerdictCache> memory_;
  std::size_t made_ = 0;
};

// Pods come in batches, a second apart; the groups are tried again whenever their pause is over.
class Traffic {
 public:
  // Of gangs that are alike, or that differ each from each other in what they ask for.
  Traffic(VerdictKeeper* keeper, bool alike) : keeper_(keeper), world_(keeper) {
    for (const auto& node : make_nodes(kNodes, false)) world_.add(node);
    for (std::size_t i = 0; i < kWaitingGroups; ++i) {
      const std::string cpu = fmt::format("{}m", 60'000 + (alike ? 0 : i));
      add_gang(world_, fmt::format("wait-{:04}", i), 8, cpu.c_str(),
               i % 2 == 0 ? "example.com/rack" : "");
      add_blocker(i);
    }
    step();
    seconds_ = 0;
  }

  void step() {
    for (std::size_t i = 0; i < kBatch; ++i) world_.add(small_pod(next_++));
    world_.now += std::chrono::seconds(1);
    seconds_ += cpu_seconds_of([&] {
      world_.run();
      if (keeper_ != nullptr) keeper_->catch_up(world_.scheduler);
    });
  }
  double seconds() const { return seconds_; }

 private:
  // Five small pods on every node leave no room for a member.
  void add_blocker(std::size_t group) {
    for (std::size_t k = 0; k < kNodes / kWaitingGroups * 5; ++k) {
      auto pod = std::make_shared<model::Pod>(*small_pod(next_++));
      pod->node_name = fmt::format("node-{:06}", group * (kNodes / kWaitingGroups) + k / 5);
      world_.add(pod);
    }
  }

  VerdictKeeper* keeper_;
  World world_;
  std::size_t next_ = 0;
  double seconds_ = 0;
};

}  // namespace

void explain_ways() {
  print_explanations("gang of 256, one rack, no room", explanations(10, 2));
  print_explanations("gang of 256, one rack, room elsewhere", explanations(5, 5));
}

namespace {

// What keeping verdicts costs, and what the same costs without.
struct Cost {
  double with = 0;
  double without = 0;
  std::size_t made = 0;
};

// Whose memory comes first, and who finds the caches cold, is a matter of turns.
Cost cost_of_keeping(bool alike, bool with_first) {
  VerdictKeeper keeper;
  std::optional<Traffic> with;
  std::optional<Traffic> without;
  if (with_first) with.emplace(&keeper, alike);
  without.emplace(nullptr, alike);
  if (!with_first) with.emplace(&keeper, alike);
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    Traffic& first = batch % 2 == 0 ? *with : *without;
    Traffic& second = batch % 2 == 0 ? *without : *with;
    first.step();
    second.step();
  }
  TUTTI_CHECK(keeper.size() >= kWaitingGroups, "every group that waits has a verdict");
  return {with->seconds(), without->seconds(), keeper.made()};
}

void keep_verdicts(bool alike, std::string_view name) {
  Cost sum;
  for (std::size_t round = 0; round < kRestarts; ++round) {
    const Cost cost = cost_of_keeping(alike, round % 2 == 0);
    sum = {sum.with + cost.with, sum.without + cost.without, sum.made + cost.made};
  }
  print(
      {"verdicts", fmt::format("made anew, {}", name), static_cast<double>(sum.made), "verdicts"});
  print({"verdicts", fmt::format("throughput beside none kept, {}", name), sum.without / sum.with,
         "times", Figure::Bound::at_least, 0.9});
}

}  // namespace

void verdicts() {
  keep_verdicts(true, "gangs alike");
  keep_verdicts(false, "every gang different");
}

}  // namespace tutti::bench
