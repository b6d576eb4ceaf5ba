// Random days of a queue with backfill.
//
// On one node, against the two rules written out the slow way, start by start. In racks of nodes
// with devices, where gangs want a rack of their own: no promise moves to a later time while
// bounds are kept, and all are kept; nobody waits longer than the bound that follows from the
// rule; a scheduler that begins with what there is, and so places everything anew, promises the
// same.
//
// TUTTI_SEED=n runs that one seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/scheduler/scheduler.h"
#include "property/seeds.h"
#include "support/default_profile.h"
#include "support/quota_build.h"
#include "support/quota_port.h"

namespace tutti {
namespace {

using core::BackfillMode;
using test::node;

constexpr Instant kZero{std::chrono::hours(24)};
constexpr const char* kRack = "rack";
constexpr std::int64_t kNever = 1'000'000'000;

struct Job {
  std::string name;
  std::int64_t submit = 0;  // seconds
  std::int64_t limit = 0;   // that it says
  std::int64_t length = 0;  // that it takes
  int pods = 1;
  int gpus = 0;  // of a pod
  bool in_rack = false;
};
using Starts = std::map<std::string, std::int64_t>;

struct Pool {
  int racks = 1;
  int nodes = 1;  // of a rack
  int cpus = 1;   // of a node
  int gpus = 0;
};

core::SchedulerOptions options_of(BackfillMode mode) {
  core::SchedulerOptions made;
  made.config = test::default_config();
  made.config.broker.backfill.mode = mode;
  return made;
}

// A cluster that nobody hears of.
class Deaf final : public core::ClusterPort {
  void bind(const core::BindRequest&) override {}
  void evict(const core::PodReference&, const model::Condition&) override {}
  void patch_pod(const core::PodStatusPatch&) override {}
  void patch_group(const core::GroupConditionPatch&) override {}
  void record(const core::EventRecord&) override {}
  void update(const model::ObjectPtr&) override {}
  void update_request(const std::shared_ptr<const model::AdmissionRequest>&) override {}
  void update_queue_status(const model::ObjectPtr&) override {}
};

class Day {
 public:
  Day(const Pool& pool, BackfillMode mode, std::vector<Job> jobs)
      : mode_(mode),
        one_node_(pool.racks * pool.nodes == 1),
        jobs_(std::move(jobs)),
        scheduler_(options_of(mode), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    port_.advance(kZero - port_.now());
    for (int i = 0; i < pool.racks * pool.nodes; ++i) {
      port_.apply(node(fmt::format("n{:02}", i))
                      .label(kRack, fmt::format("r{}", i / pool.nodes))
                      .cpu(std::to_string(pool.cpus))
                      .allocatable("example.com/gpu", std::to_string(pool.gpus))
                      .build());
    }
    auto levels = std::make_shared<model::Topology>();
    levels->meta.name = levels->meta.uid = "racks";
    levels->levels = {kRack, "kubernetes.io/hostname"};
    port_.apply(std::shared_ptr<const model::Topology>(levels));
    auto flavor = std::make_shared<model::ResourceFlavor>(*test::flavor("std"));
    flavor->topology = "racks";
    port_.apply(std::shared_ptr<const model::ResourceFlavor>(flavor));
    port_.apply(
        test::queue("q")
            .quota("std", "cpu", std::to_string(pool.racks * pool.nodes * pool.cpus))
            .quota("std", "example.com/gpu", std::to_string(pool.racks * pool.nodes * pool.gpus))
            .build());
    port_.apply(test::local_queue("q"));
  }

  // What is wrong; empty: nothing.
  std::string play(bool check) {
    std::size_t next_job = 0;
    while (next_job < jobs_.size() || !ends_.empty() || next_start()) {
      std::int64_t next = next_job < jobs_.size() ? jobs_[next_job].submit : kNever;
      if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
      if (const auto due = next_start(); due && *due > port_.now()) {
        next = std::min(next, (*due - kZero) / std::chrono::seconds(1));
      }
      port_.advance(at(next) - port_.now());
      for (; !ends_.empty() && ends_.begin()->first == next; ends_.erase(ends_.begin())) {
        port_.finish(ends_.begin()->second);
      }
      port_.reap(100'000);
      for (; next_job < jobs_.size() && jobs_[next_job].submit == next; ++next_job) {
        submit(jobs_[next_job]);
      }
      port_.run_instant();
      note_starts(next);
      if (!check) continue;
      if (auto problem = check_instant(next); !problem.empty()) {
        return fmt::format("at {}: {}", next, problem);
      }
    }
    return starts_.size() == jobs_.size() ? "" : "somebody never started";
  }
  const Starts& starts() const { return starts_; }

 private:
  static Instant at(std::int64_t second) { return kZero + std::chrono::seconds(second); }

  // When the next of those who are all planned is to start.
  std::optional<Instant> next_start() const {
    std::optional<Instant> next;
    for (const core::PromisedStart* each : scheduler_.broker().backfill().all()) {
      if (each->of_all) next = std::min(next.value_or(each->start), each->start);
    }
    return next;
  }

  void submit(const Job& job) {
    auto asked = test::request(job.name).queue("q").created(port_.now());
    asked.pods(job.pods, job.gpus > 0 ? "example.com/gpu" : "cpu",
               std::to_string(std::max(job.gpus, 1)));
    asked.runs_for(std::chrono::seconds(job.limit));
    if (job.in_rack) asked.within(kRack);
    waiting_.push_back(&job);
    ahead_[job.name] = waiting_.size() - 1;
    port_.apply(asked.build());
  }

  void note_starts(std::int64_t now) {
    std::erase_if(waiting_, [&](const Job* job) {
      const auto* found = port_.find<model::AdmissionRequest>("t", job->name);
      if (!model::has_condition(*found, "Admitted")) return false;
      starts_[job->name] = now;
      ends_.emplace(now + job->length, job->name);
      return true;
    });
  }

  std::string check_instant(std::int64_t now) {
    if (auto problem = scheduler_.check_consistency(); !problem.empty()) return problem;
    // In racks one of many plans may move a little later: docs/guides/backfill.md says so.
    if (mode_ == BackfillMode::conservative && !one_node_) return "";
    for (const Job* job : waiting_) {
      const auto known = promised_.find(job->name);
      const auto* promise = scheduler_.broker().backfill().find("t/" + job->name);
      if (promise == nullptr && known != promised_.end()) return job->name + " lost its start";
      if (promise == nullptr) continue;
      if (known != promised_.end() && promise->start > known->second) {
        return job->name + " starts later than was promised";
      }
      promised_[job->name] = promise->start;
    }
    for (const auto& [name, start] : starts_) {
      const auto known = promised_.find(name);
      if (start == now && known != promised_.end() && at(now) > known->second) {
        return name + " was promised an earlier start";
      }
    }
    return check_anew();
  }

  // A promise follows from what is there, except where plans were drawn up one after another. On
  // several nodes what was placed without pods is placed anew, and maybe elsewhere.
  std::string check_anew() {
    if (mode_ != BackfillMode::easy || !one_node_) return "";
    Deaf deaf;
    core::Scheduler anew(options_of(mode_), test::default_profiles(), deaf);
    for (const auto& [key, object] : port_.objects()) {
      anew.observe({core::Observation::Type::added, object, false}, port_.now());
    }
    while (anew.schedule_one(port_.now())) {
    }
    const auto ours = scheduler_.broker().backfill().all();
    const auto others = anew.broker().backfill().all();
    if (ours.size() != others.size()) return "built anew, other requests have promises";
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i]->request != others[i]->request || ours[i]->start != others[i]->start) {
        return fmt::format("{} was promised {}, built anew {}: {}", ours[i]->request,
                           format_rfc3339(ours[i]->start), others[i]->request,
                           format_rfc3339(others[i]->start));
      }
    }
    return "";
  }

 public:
  // Everybody of one rank: who found p waiting starts within p + 1 times the longest limit.
  std::string check_bound() const {
    std::int64_t longest = 0;
    for (const Job& job : jobs_) longest = std::max(longest, job.limit);
    for (const Job& job : jobs_) {
      const auto most = job.submit + (static_cast<std::int64_t>(ahead_.at(job.name)) + 1) * longest;
      if (starts_.at(job.name) > most) return job.name + " starves";
    }
    return "";
  }

 private:
  BackfillMode mode_;
  bool one_node_;
  std::vector<Job> jobs_;
  test::QuotaPort port_;
  core::Scheduler scheduler_;
  std::vector<const Job*> waiting_;
  std::map<std::string, std::size_t> ahead_;
  std::multimap<std::int64_t, std::string> ends_;
  std::map<std::string, Instant> promised_;
  Starts starts_;
};

// --- the rules, the slow way, for one resource ---------------------------------------------------

class Plain {
 public:
  Plain(std::vector<Job> jobs, int capacity) : jobs_(std::move(jobs)), capacity_(capacity) {}

  Starts play(BackfillMode mode) {
    std::size_t next_job = 0;
    while (next_job < jobs_.size() || !running_.empty() || !waiting_.empty()) {
      std::int64_t now = next_job < jobs_.size() ? jobs_[next_job].submit : kNever;
      for (const Run& run : running_) now = std::min(now, run.end);
      for (const Wait& each : waiting_) now = std::min(now, each.start < 0 ? now : each.start);
      bool early = false;
      std::erase_if(running_, [&](const Run& run) {
        early = early || (run.end == now && run.limit > now);
        return run.end == now;
      });
      std::vector<Wait> fresh;
      for (; next_job < jobs_.size() && jobs_[next_job].submit == now; ++next_job) {
        fresh.push_back({&jobs_[next_job], -1});
      }
      if (mode == BackfillMode::conservative) {
        if (early) {
          for (Wait& each : waiting_) each.start = std::min(each.start, earliest(each, now));
        }
        for (Wait& each : fresh) {
          waiting_.push_back(each);
          waiting_.back().start = earliest(waiting_.back(), now);
        }
        std::erase_if(waiting_,
                      [&](const Wait& each) { return each.start == now && start(each, now); });
      } else {
        waiting_.insert(waiting_.end(), fresh.begin(), fresh.end());
        pass(now);
      }
    }
    return starts_;
  }

 private:
  struct Run {
    std::int64_t end = 0;
    std::int64_t limit = 0;
    int size = 0;
  };
  struct Wait {
    const Job* job = nullptr;
    std::int64_t start = -1;
  };

  bool start(const Wait& each, std::int64_t now) {
    starts_[each.job->name] = now;
    running_.push_back({now + each.job->length, now + each.job->limit, each.job->pods});
    return true;
  }
  // How much is in use then, by those who run and by the plans of others.
  int used(std::int64_t at, const Wait* but) const {
    int sum = 0;
    for (const Run& run : running_) sum += run.limit > at ? run.size : 0;
    for (const Wait& each : waiting_) {
      const bool counts =
          &each != but && each.start >= 0 && each.start <= at && at < each.start + each.job->limit;
      sum += counts ? each.job->pods : 0;
    }
    return sum;
  }
  std::int64_t earliest(const Wait& each, std::int64_t now) const {
    std::vector<std::int64_t> instants = {now};
    for (const Run& run : running_) instants.push_back(run.limit);
    for (const Wait& other : waiting_) {
      if (&other == &each || other.start < 0) continue;
      instants.push_back(other.start);
      instants.push_back(other.start + other.job->limit);
    }
    std::ranges::sort(instants);
    for (const std::int64_t from : instants) {
      const bool fits = from >= now && std::ranges::all_of(instants, [&](std::int64_t at) {
                          const bool inside = at >= from && at < from + each.job->limit;
                          return !inside || used(at, &each) + each.job->pods <= capacity_;
                        });
      if (fits) return from;
    }
    return -1;
  }
  void pass(std::int64_t now) {
    const auto taken = [&] {
      int sum = 0;
      for (const Run& run : running_) sum += run.size;
      return sum;
    };
    while (!waiting_.empty() && taken() + waiting_[0].job->pods <= capacity_) {
      start(waiting_[0], now);
      waiting_.erase(waiting_.begin());
    }
    if (waiting_.empty()) return;
    const Job& head = *waiting_[0].job;
    std::vector<Run> ends = running_;
    std::ranges::sort(ends, {}, &Run::limit);
    int free = capacity_ - taken();
    std::int64_t shadow = now;
    for (const Run& run : ends) {
      if (free >= head.pods) break;
      free += run.size;
      shadow = run.limit;
    }
    int extra = capacity_ - head.pods;
    for (const Run& run : running_) extra -= run.limit > shadow ? run.size : 0;
    for (std::size_t i = 1; i < waiting_.size();) {
      const Job& job = *waiting_[i].job;
      const bool short_enough = now + job.limit <= shadow;
      if (taken() + job.pods > capacity_ || (!short_enough && job.pods > extra)) {
        ++i;
        continue;
      }
      if (!short_enough) extra -= job.pods;
      start(waiting_[i], now);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  std::vector<Job> jobs_;
  int capacity_;
  std::vector<Run> running_;
  std::vector<Wait> waiting_;
  Starts starts_;
};

// --- days ----------------------------------------------------------------------------------------

std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
  return least +
         static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

std::vector<Job> flat_day(Random& random, int capacity) {
  std::vector<Job> jobs;
  std::int64_t now = 0;
  for (int i = 0; i < 40; ++i) {
    Job job{.name = fmt::format("j{:02}", i)};
    now += between(random, 0, 60);
    job.submit = now;
    job.limit = between(random, 10, 400);
    job.length = random.below(2) == 0 ? job.limit : between(random, 1, job.limit);
    job.pods = static_cast<int>(between(random, 1, random.below(4) == 0 ? capacity : 3));
    jobs.push_back(job);
  }
  return jobs;
}

std::string differs(const Starts& ours, const Starts& right) {
  for (const auto& [name, start] : right) {
    const auto at = ours.find(name);
    if (at == ours.end() || at->second != start) {
      return fmt::format("{} starts at {}, by the rule at {}", name,
                         at != ours.end() ? at->second : -1, start);
    }
  }
  return "";
}

std::string flat_problem(std::uint64_t seed, BackfillMode mode) {
  Random random(seed);
  const int capacity = static_cast<int>(between(random, 4, 12));
  const auto jobs = flat_day(random, capacity);
  Day day({.cpus = capacity}, mode, jobs);
  if (auto problem = day.play(true); !problem.empty()) return problem;
  return differs(day.starts(), Plain(jobs, capacity).play(mode));
}

TEST(Backfill, startsWhomEasyStartsOnOneNode) {
  test::for_seeds("tutti_backfill_property_test", 300,
                  [](std::uint64_t seed) { return flat_problem(seed, BackfillMode::easy); });
}

TEST(Backfill, startsWhomConservativeStartsOnOneNode) {
  test::for_seeds("tutti_backfill_property_test", 300, [](std::uint64_t seed) {
    return flat_problem(seed, BackfillMode::conservative);
  });
}

std::string racks_problem(std::uint64_t seed, BackfillMode mode) {
  Random random(seed);
  const Pool pool{.racks = static_cast<int>(between(random, 1, 3)),
                  .nodes = static_cast<int>(between(random, 1, 4)),
                  .cpus = static_cast<int>(between(random, 4, 8)),
                  .gpus = static_cast<int>(between(random, 2, 4))};
  std::vector<Job> jobs;
  std::int64_t now = 0;
  for (int i = 0; i < 30; ++i) {
    Job job{.name = fmt::format("j{:02}", i)};
    now += between(random, 0, 80);
    job.submit = now;
    job.limit = between(random, 10, 400);
    job.length = random.below(3) == 0 ? between(random, 1, job.limit) : job.limit;
    const bool wants_gpus = random.below(2) == 0;
    job.gpus = wants_gpus ? static_cast<int>(between(random, 1, pool.gpus)) : 0;
    job.in_rack = random.below(3) == 0;
    const int per_node = wants_gpus ? pool.gpus / job.gpus : pool.cpus;
    const int most = per_node * pool.nodes * (job.in_rack ? 1 : pool.racks);
    job.pods =
        static_cast<int>(between(random, 1, random.below(3) == 0 ? most : std::min(most, 3)));
    jobs.push_back(job);
  }
  Day day(pool, mode, jobs);
  if (auto problem = day.play(true); !problem.empty()) return problem;
  return day.check_bound();
}

TEST(Backfill, keepsItsPromisesInRacks) {
  test::for_seeds("tutti_backfill_property_test", 300,
                  [](std::uint64_t seed) { return racks_problem(seed, BackfillMode::easy); });
}

TEST(Backfill, starvesNobodyWhereAllArePlannedInRacks) {
  test::for_seeds("tutti_backfill_property_test", 100, [](std::uint64_t seed) {
    return racks_problem(seed, BackfillMode::conservative);
  });
}

}  // namespace
}  // namespace tutti
