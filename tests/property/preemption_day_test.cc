// A day of mixed load in virtual time: training gangs that checkpoint, batch, inference and urgent
// gangs, with nodes that fail, and evicted work that comes back. Nothing loops, nobody is evicted
// for nothing unless the world changed, and weighing lost work saves some.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/scheduler/scheduler.h"
#include "core/victims/victim_cost.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/fake_port.h"

namespace tutti {
namespace {

using namespace std::chrono_literals;

constexpr Millis kDay = 24h;
constexpr Millis kCheckpoints = 10min;
constexpr Millis kComesBack = 10s;
constexpr const char* kGpu = "example.com/gpu";

struct Workload {
  std::string name;
  std::int32_t priority = 0;
  std::size_t pods = 1;
  int gpus = 1;
  Millis length{};
  bool gang = false;
  bool together = false;
  bool checkpoints = false;
  std::string rack_key;
  // While it lives.
  int life = 0;   // counts its pods' generations
  Millis done{};  // work that is saved
  Instant began;
  std::size_t evictions = 0;
  bool finished = false;
};

struct Tally {
  std::size_t evictions = 0;    // pods
  std::size_t preemptions = 0;  // decisions
  std::size_t in_vain = 0;      // the preemptor did not run, but the world had changed
  std::size_t for_nothing = 0;  // ... and it had not
  std::size_t worst = 0;        // evictions of one workload
  std::size_t unfinished = 0;
  double wasted_hours = 0;  // device time thrown away by eviction
};

class Day : public test::FakePort, public core::DecisionListener {
 public:
  Day(std::uint64_t seed, bool cost_aware)
      : random_(seed), scheduler_(options(cost_aware), test::default_profiles(), *this, this) {
    serve(scheduler_);
    on_step = [this] {
      if (++steps_ % 50 != 0) return;
      ASSERT_EQ(scheduler_.check_consistency(), "");
    };
    start_ = now();
    for (std::size_t n = 0; n < 8; ++n) add_node(n);
    plan_arrivals();
    for (std::size_t fault = 0; fault < 6; ++fault) {
      const Millis when = minutes(random_.below(24 * 60));
      const std::size_t n = random_.below(8);
      at(start_ + when, [this, n] { fail_node(n); });
    }
  }

  Tally run() {
    run_instant();
    while (!plans_.empty() || !scheduler_.settled()) {
      std::optional<Instant> next;
      if (!plans_.empty()) next = plans_.begin()->first;
      if (!scheduler_.settled()) {
        const auto wakeup = scheduler_.next_wakeup();
        if (wakeup && (!next || *wakeup < *next)) next = std::max(*wakeup, now());
      }
      if (!next || *next > start_ + 2 * kDay) break;
      advance(*next - now());
      while (!plans_.empty() && plans_.begin()->first <= now()) {
        auto plan = plans_.extract(plans_.begin());
        plan.mapped()();
      }
      run_instant();
    }
    for (const auto& [name, work] : work_) {
      tally_.worst = std::max(tally_.worst, work.evictions);
      tally_.unfinished += !work.finished;
    }
    return tally_;
  }

  // --- what the scheduler does -------------------------------------------------------------------
  void evict(const core::PodReference& pod, const model::Condition& reason) override {
    evictions.push_back(pod);
    ++tally_.evictions;
    change_pod(pod.name, [this, reason](model::Pod& made) {
      made.meta.deletion = now() + 5s;
      made.status.conditions.push_back(reason);
    });
    at(now() + 5s, [this, pod] { vanish(pod.name, true); });
  }
  void decided(const core::Decision& decision) override {
    using Kind = core::Decision::Kind;
    if (decision.kind == Kind::placed) promised_.erase(decision.entity);
    if (decision.kind != Kind::preempting) return;
    ++tally_.preemptions;
    if (const auto before = promised_.find(decision.entity); before != promised_.end()) {
      ++(before->second == world_ ? tally_.for_nothing : tally_.in_vain);
    }
    promised_[decision.entity] = world_;
  }

 private:
  static core::SchedulerOptions options(bool cost_aware) {
    core::SchedulerOptions made;
    made.config = test::default_config();
    made.cost_aware_preemption = cost_aware;
    return made;
  }
  static Millis minutes(std::uint64_t count) {
    return std::chrono::minutes(static_cast<std::int64_t>(count));
  }
  void at(Instant when, std::function<void()> what) { plans_.emplace(when, std::move(what)); }

  // --- nodes -------------------------------------------------------------------------------------
  void add_node(std::size_t n) {
    const std::string name = "n" + std::to_string(n);
    if (find<model::Node>("", name) != nullptr) return;
    ++world_;
    apply(
        test::node(name).cpu("64").allocatable(kGpu, "8").label("rack", n < 4 ? "a" : "b").build());
  }
  void fail_node(std::size_t n) {
    const std::string name = "n" + std::to_string(n);
    if (find<model::Node>("", name) == nullptr) return;
    ++world_;
    std::vector<std::string> lost;
    for (const auto& [key, object] : objects()) {
      if (key.kind != model::Kind::pod) continue;
      if (model::as<model::Pod>(*object).node_name == name) lost.push_back(key.name);
    }
    for (const auto& pod : lost) vanish(pod, false);
    remove(model::Kind::node, "", name);
    at(now() + 20min, [this, n] { add_node(n); });
  }

  // --- workloads ---------------------------------------------------------------------------------
  void plan_arrivals() {
    for (std::size_t i = 0; i < 160; ++i) {
      Workload work;
      const std::uint64_t kind = random_.below(100);
      work.name = "w" + std::to_string(i);
      if (kind < 45) {
        work.gpus = static_cast<int>(1 + random_.below(3));
        work.length = minutes(10 + random_.below(60));
      } else if (kind < 70) {
        work.priority = 10;
        work.pods = 2 + random_.below(4);
        work.gpus = 4;
        work.length = minutes(60 + random_.below(120));
        work.gang = work.together = work.checkpoints = true;
      } else if (kind < 90) {
        work.priority = 50;
        work.length = minutes(60 + random_.below(180));
      } else {
        work.priority = 100;
        work.pods = 1 + random_.below(3);
        work.gpus = 8;
        work.length = minutes(20 + random_.below(20));
        work.gang = true;
        work.rack_key = "rack";
      }
      const std::string name = work.name;
      work_.emplace(name, std::move(work));
      at(start_ + minutes(random_.below(22 * 60)), [this, name] { arrive(name); });
    }
  }

  void arrive(const std::string& name) {
    Workload& work = work_.at(name);
    ++world_;
    ++work.life;
    if (work.gang) {
      auto group =
          std::make_shared<model::PodGroup>(*test::pod_group(name)
                                                 .gang(static_cast<std::int32_t>(work.pods))
                                                 .priority(work.priority)
                                                 .topology(work.rack_key)
                                                 .build());
      if (work.together) group->spec.disruption = model::DisruptionMode::all;
      apply(std::shared_ptr<const model::PodGroup>(group));
    }
    for (std::size_t p = 0; p < work.pods; ++p) {
      auto made = test::pod(pod_name(work, p)).cpu("1").priority(work.priority);
      made.request(kGpu, std::to_string(work.gpus));
      if (work.gang) made.group(name);
      apply(made.build());
    }
    at(now() + 1s, [this, name, life = work.life] { look_after(name, life); });
  }

  static std::string pod_name(const Workload& work, std::size_t p) {
    return work.name + "-" + std::to_string(work.life) + "-" + std::to_string(p);
  }

  // Starts the clock of work whose pods all have nodes.
  void look_after(const std::string& name, int life) {
    Workload& work = work_.at(name);
    if (work.life != life) return;
    for (std::size_t p = 0; p < work.pods; ++p) {
      const auto* pod = find<model::Pod>("t", pod_name(work, p));
      if (pod == nullptr) return;
      if (pod->node_name.empty()) {
        at(now() + 30s, [this, name, life] { look_after(name, life); });
        return;
      }
    }
    work.began = now();
    for (std::size_t p = 0; p < work.pods; ++p) {
      change_pod(pod_name(work, p), [this](model::Pod& pod) {
        pod.status.phase = model::PodPhase::running;
        pod.status.start_time = now();
      });
    }
    at(now() + (work.length - work.done), [this, name, life] { finish(name, life); });
    if (work.checkpoints) at(now() + kCheckpoints, [this, name, life] { save(name, life); });
  }

  void save(const std::string& name, int life) {
    Workload& work = work_.at(name);
    if (work.life != life || work.finished) return;
    work.done += now() - work.began;
    work.began = now();
    for (std::size_t p = 0; p < work.pods; ++p) {
      change_pod(pod_name(work, p), [this](model::Pod& pod) {
        test::put(pod.meta.annotations, core::kCheckpointedAt, format_rfc3339(now()));
      });
    }
    at(now() + kCheckpoints, [this, name, life] { save(name, life); });
  }

  void finish(const std::string& name, int life) {
    Workload& work = work_.at(name);
    if (work.life != life) return;
    ++world_;
    ++work.life;
    work.finished = true;
    clear(work, life);
    if (work.gang) remove(model::Kind::pod_group, "t", name);
  }

  void clear(const Workload& work, int life) {
    for (std::size_t p = 0; p < work.pods; ++p) {
      const std::string pod = work.name + "-" + std::to_string(life) + "-" + std::to_string(p);
      if (find<model::Pod>("t", pod) != nullptr) remove(model::Kind::pod, "t", pod);
    }
  }

  // A pod is gone; its workload loses what was not saved, and comes back.
  void vanish(const std::string& pod, bool evicted) {
    if (find<model::Pod>("t", pod) == nullptr) return;
    const std::string name = pod.substr(0, pod.find('-'));
    Workload& work = work_.at(name);
    remove(model::Kind::pod, "t", pod);
    const bool current = pod.starts_with(name + "-" + std::to_string(work.life) + "-");
    if (work.finished || !current) return;
    if (!evicted) ++world_;
    if (work.began != Instant{} && evicted) {
      const double hours =
          std::chrono::duration<double, std::ratio<3600>>(now() - work.began).count();
      tally_.wasted_hours += hours * work.gpus * static_cast<double>(work.pods);
    }
    work.began = {};
    work.evictions += evicted;
    const int life = work.life++;
    at(now() + kComesBack, [this, name, life] {
      clear(work_.at(name), life);
      arrive(name);
    });
  }

  // As the cluster would say a moment later.
  void change_pod(const std::string& name, const std::function<void(model::Pod&)>& edit) {
    at(now(), [this, name, edit] {
      const auto* known = find<model::Pod>("t", name);
      if (known == nullptr) return;
      auto made = std::make_shared<model::Pod>(*known);
      edit(*made);
      apply(std::shared_ptr<const model::Pod>(made));
    });
  }

  Random random_;
  core::Scheduler scheduler_;
  Instant start_;
  std::multimap<Instant, std::function<void()>> plans_;
  std::map<std::string, Workload> work_;
  std::map<std::string, std::uint64_t>
      promised_;  // preemptors, with the world they were promised in
  std::uint64_t world_ = 0;
  std::uint64_t steps_ = 0;
  Tally tally_;
};

TEST(PreemptionDay, evictsNobodyForNothingAndComesToAnEnd) {
  Tally aware;
  Tally blind;
  const auto add = [](Tally& sum, const Tally& one) {
    sum.evictions += one.evictions;
    sum.preemptions += one.preemptions;
    sum.in_vain += one.in_vain;
    sum.wasted_hours += one.wasted_hours;
  };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const bool cost_aware : {true, false}) {
      const Tally day = Day(seed, cost_aware).run();
      EXPECT_EQ(day.for_nothing, 0U);
      EXPECT_EQ(day.unfinished, 0U);
      EXPECT_LT(day.worst, 40U);
      EXPECT_GT(day.preemptions, 10U);
      add(cost_aware ? aware : blind, day);
    }
  }
  for (const auto& [name, day] : {std::pair("cost-aware", aware), std::pair("cost-blind", blind)}) {
    std::cout << name << ": " << day.preemptions << " preemptions, " << day.evictions
              << " pods evicted, " << day.in_vain << " in vain, " << day.wasted_hours
              << " device hours wasted\n";
  }
  EXPECT_LT(aware.wasted_hours, blind.wasted_hours);
}

}  // namespace
}  // namespace tutti
