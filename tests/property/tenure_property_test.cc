// Guaranteed, burst, opportunistic and elastic work in queues of one cohort, and random things that
// happen to it. All pods ask for one cpu, so that places are a sum.
//
//   G1  what is guaranteed never leaves for others, and runs whenever its queue owns enough for it
//       beside work that has a right to it, too
//   G2  opportunistic work is in nobody's way, and runs wherever there is room
//   S1  nobody elastic is evicted as a whole where taking surplus pods of the same work suffices
//   S2  elastic work keeps the pods that it needs, the very same ones
//
// TUTTI_SEED=n runs that one seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/requests/elastic.h"
#include "core/scheduler/scheduler.h"
#include "property/quota_reference.h"
#include "property/seeds.h"
#include "support/default_profile.h"
#include "support/quota_build.h"
#include "support/quota_port.h"

namespace tutti {
namespace {

using core::Request;
using core::RequestStage;
using quota::Tenure;

struct Known {
  RequestStage stage = RequestStage::waiting;
  Tenure tenure = Tenure::ordinary;
  std::string queue;
  std::int64_t charged = 0;
  std::int64_t surplus = 0;
  bool elastic = false;
  std::vector<core::PodId> needed;  // pods of an elastic request that may never leave
};
using Picture = std::map<std::string, Known>;

class Play {
 public:
  explicit Play(std::uint64_t seed, bool fair)
      : random_(seed * 6007), scheduler_(options(fair), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] { check_step(); };
    port_.apply(test::flavor("std"));
    for (int n = 0; n < 3; ++n) {
      const std::int64_t cpus = 2 + pick(5);
      nodes_ += cpus;
      port_.apply(test::node("n" + std::to_string(n)).cpu(std::to_string(cpus)).build());
    }
    // Every queue may count on nodes for what it owns.
    std::int64_t left = nodes_;
    for (const std::string name : {"q0", "q1", "q2"}) {
      nominal_[name] = pick(left + 1);
      left -= nominal_[name];
      const bool reclaims = pick(2) == 0;
      const bool own = pick(2) == 0;
      port_.apply(
          test::queue(name)
              .cohort("org")
              .quota("std", "cpu", std::to_string(nominal_[name]))
              .preempts(own ? model::WithinQueuePreemption::lower_priority
                            : model::WithinQueuePreemption::never,
                        reclaims ? model::ReclaimPreemption::any : model::ReclaimPreemption::never)
              .build());
      port_.apply(test::local_queue(name));
    }
  }

  std::string run() {
    for (int i = 1; i <= 40 && problem_.empty(); ++i) {
      happen();
      before_ = picture();
      port_.advance(Millis(1 + pick(3)));
      if (pick(100) < 80) port_.run_instant();
      if (i % 8 == 0) rest();
    }
    return problem_.empty() ? "" : problem_ + "\n" + log_;
  }

 private:
  static core::SchedulerOptions options(bool fair) {
    core::SchedulerOptions made;
    made.config = test::default_config();
    made.quota.pods_ready.reset();  // nobody makes pods ready here
    if (fair) {
      made.quota.fair_sharing = {core::ShareRule::at_most_final_share,
                                 core::ShareRule::below_initial_share};
    }
    return made;
  }
  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(below)));
  }
  const core::RequestTable& table() const { return scheduler_.broker().requests(); }
  void report(const std::string& problem) {
    if (problem_.empty()) problem_ = problem + text();
  }

  // --- what happens ------------------------------------------------------------------------------

  void happen() {
    const std::int64_t what = pick(100);
    if (what < 55) return bring();
    if (what < 85) return end_somebody();
    port_.reap(static_cast<std::size_t>(1 + pick(4)));
  }

  void bring() {
    const std::string name = "w" + std::to_string(++brought_);
    auto made = test::request(name)
                    .queue("q" + std::to_string(pick(3)))
                    .priority(static_cast<std::int32_t>(pick(3)))
                    .created(port_.now());
    const std::int64_t kind = pick(5);
    const auto pods = static_cast<std::int32_t>(1 + pick(kind < 2 ? 2 : 5));
    made.pods(pods, "cpu", "1");
    if (kind == 0) made.annotation("tutti.dev/tenure", "guaranteed");
    if (kind == 1) made.annotation("tutti.dev/tenure", "burst");
    if (kind == 2) made.annotation("tutti.dev/opportunistic", "true");
    if (kind == 3 && pods > 1) {
      made.at_least(static_cast<std::int32_t>(1 + pick(pods - 1))).of_a_job();
    }
    log_ += "bring " + name + " of kind " + std::to_string(kind) + " with " + std::to_string(pods) +
            " to " + made.build()->spec.queue + "\n";
    port_.apply(made.build());
  }

  void end_somebody() {
    std::vector<std::string> names;
    for (const auto& [name, request] : table().all()) {
      if (!request->finished) names.push_back(request->object->meta.name);
    }
    if (names.empty()) return;
    const auto& name = names[static_cast<std::size_t>(pick(std::ssize(names)))];
    log_ += "finish " + name + "\n";
    port_.finish(name);
  }

  void rest() {
    for (int i = 0; i < 100 && problem_.empty(); ++i) {
      if (!port_.settle() && port_.doomed() == 0) return report("it never comes to rest");
      if (port_.doomed() == 0) return check_rest();
      port_.reap(100);
      before_ = picture();
    }
    report("evictions have no end");
  }

  // --- what there is -----------------------------------------------------------------------------

  Picture picture() const {
    Picture made;
    for (const auto& [name, request] : table().all()) {
      Known known{.stage = request->stage,
                  .tenure = request->tenure,
                  .queue = request->queue,
                  .charged = 0,
                  .surplus = core::surplus_of(*request),
                  .elastic = core::elastic_set(*request->object).has_value(),
                  .needed = {}};
      for (const auto& charge : request->charges) known.charged += charge.amount / 1000;
      if (known.elastic && request->stage == RequestStage::admitted) {
        const auto least = *request->object->spec.pod_sets[0].min_count;
        for (const core::PodId pod : request->pods) {
          const auto& object = *scheduler_.cluster().pod(pod).object;
          const auto* index =
              model::find(object.meta.annotations, "batch.kubernetes.io/job-completion-index");
          if (!object.meta.deletion && index != nullptr && std::stoi(*index) < least) {
            known.needed.push_back(pod);
          }
        }
      }
      made[name] = known;
    }
    return made;
  }

  std::string text() const {
    std::string all = "\n";
    for (const auto& [name, known] : before_) {
      if (known.charged == 0) continue;
      all += "  before: " + name + " " + std::string(word(known.stage)) + " " +
             std::to_string(known.charged) + ", of which it can do without " +
             std::to_string(known.surplus) + "\n";
    }
    for (const auto& [name, known] : picture()) {
      if (known.stage == RequestStage::preempting) {
        for (const auto& victim : table().all().at(name)->victims) {
          all += "  for " + name + " leaves " + victim + "\n";
        }
      }
      all += "  " + name + " of " + known.queue + ", " + std::string(word(known.tenure)) + ": " +
             std::string(word(known.stage)) + " " + std::to_string(known.charged);
      const auto& refusal = table().all().at(name)->refusal;
      all += (refusal ? ", " + refusal->message : "") + "\n";
    }
    for (const auto& [name, nominal] : nominal_) {
      all += "  " + name + " owns " + std::to_string(nominal) + "\n";
    }
    return all + "  of " + std::to_string(nodes_) + "\n";
  }

  static std::int64_t size_of(const Request& request) {
    return request.object->spec.pod_sets[0].count;
  }

  // Pods with places, of requests that `counts`.
  template <typename Counts>
  std::int64_t placed(const Counts& counts) const {
    std::int64_t sum = 0;
    const core::Cluster& cluster = scheduler_.cluster();
    for (const auto& [name, request] : table().all()) {
      if (!counts(*request)) continue;
      for (const core::PodId pod : request->pods) sum += cluster.pod(pod).node.valid() ? 1 : 0;
      const auto gang = scheduler_.broker().phantoms().all().find(name);
      if (gang == scheduler_.broker().phantoms().all().end()) continue;
      for (const auto& set : gang->second.sets) {
        for (const core::PodId pod : set.pods) sum += cluster.pod(pod).node.valid() ? 1 : 0;
      }
    }
    return sum;
  }

  // --- after every step --------------------------------------------------------------------------

  void check_step() {
    if (!problem_.empty()) return;
    if (auto broken = scheduler_.check_consistency(); !broken.empty()) return report(broken);
    const Picture now = picture();
    for (const auto& [name, request] : table().all()) {
      const auto at = before_.find(name);
      if (at == before_.end()) continue;
      check_guarantee(*request, at->second);
      check_needed(*request, at->second);
      if (request->stage == RequestStage::preempting && at->second.stage == RequestStage::waiting) {
        check_shrinking(*request);
      }
    }
    before_ = now;
  }

  void check_guarantee(const Request& request, const Known& was) {
    const bool left = request.stage == RequestStage::releasing && !request.finished;
    if (left && was.stage == RequestStage::admitted && was.tenure == Tenure::guaranteed) {
      report("G1: " + request.name + " is guaranteed and leaves");
    }
  }

  void check_needed(const Request& request, const Known& was) {
    if (request.stage != RequestStage::admitted || was.stage != RequestStage::admitted) return;
    for (const core::PodId pod : was.needed) {
      if (!request.pods.contains(pod)) report("S2: " + request.name + " lost a pod it needs");
    }
  }

  // Surplus pods of another queue may leave as far as that queue borrows.
  void check_shrinking(const Request& request) {
    bool any_whole = false;
    std::map<std::string, std::int64_t> charged;
    std::map<std::string, std::int64_t> surplus;
    for (const auto& [name, was] : before_) {
      const bool goes = request.victims.contains(name);
      const bool elastic = was.elastic && was.stage == RequestStage::admitted;
      if (!goes || elastic) charged[was.queue] += was.charged;
      if (!goes || !elastic) continue;
      surplus[was.queue] += was.surplus;
      any_whole = any_whole || table().all().at(name)->stage == RequestStage::releasing;
    }
    test::PlainQuota quota(port_);
    std::int64_t free = nodes_;
    for (auto& [queue, pods] : charged) {
      const std::int64_t borrowed = std::max<std::int64_t>(0, pods - nominal_.at(queue));
      pods -= std::min(surplus[queue], queue == request.queue ? surplus[queue] : borrowed);
      quota.charge({.queue = queue, .charge = {{"std", pods * 1000}}});
      free -= pods;
    }
    const std::int64_t wants = size_of(request) * 1000;
    const test::PlainClaim claim{.queue = request.queue, .charge = {{"std", wants}}};
    const bool fits = quota.fits(claim) && free >= size_of(request);
    quota.charge(claim);
    if (any_whole && fits && !quota.borrows(request.queue, "std")) {
      report("S1: surplus pods would have sufficed for " + request.name);
    }
  }

  // --- at rest -----------------------------------------------------------------------------------

  void check_rest() {
    for (const auto& [name, request] : table().all()) {
      if (request->holds() || request->finished || request->protected_until) continue;
      const std::int64_t wants = size_of(*request);
      if (request->tenure == Tenure::opportunistic) {
        const auto everybody = [](const Request&) { return true; };
        if (nodes_ - placed(everybody) >= wants) report("G2: " + name + " has room and waits");
        continue;
      }
      if (request->tenure == Tenure::guaranteed) check_waiting_guarantee(*request, wants);
      test::PlainQuota quota(port_);
      for (const auto& [other, known] : picture()) {
        quota.charge({.queue = known.queue, .charge = {{"std", known.charged * 1000}}});
      }
      const auto firm = [](const Request& each) { return each.tenure != Tenure::opportunistic; };
      const bool fits = quota.fits({.queue = request->queue, .charge = {{"std", wants * 1000}}});
      if (fits && nodes_ - placed(firm) >= wants) {
        report("G2: opportunistic work is in the way of " + name);
      }
    }
  }

  void check_waiting_guarantee(const Request& request, std::int64_t wants) {
    std::int64_t own = 0;
    for (const auto& [name, known] : picture()) {
      if (known.queue == request.queue && known.tenure != Tenure::burst) own += known.charged;
    }
    if (own + wants <= nominal_.at(request.queue)) {
      report("G1: " + request.name + " is guaranteed and waits");
    }
  }

  Random random_;
  test::QuotaPort port_;
  core::Scheduler scheduler_;
  std::map<std::string, std::int64_t> nominal_;
  std::int64_t nodes_ = 0;
  Picture before_;
  int brought_ = 0;
  std::string log_;
  std::string problem_;
};

TEST(TenureProperty, holdsWhateverHappens) {
  test::for_seeds("tutti_quota_property_test", 150,
                  [](std::uint64_t seed) { return Play(seed, false).run(); });
}

TEST(TenureProperty, holdsUnderFairSharing) {
  test::for_seeds("tutti_quota_property_test", 150,
                  [](std::uint64_t seed) { return Play(seed, true).run(); });
}

}  // namespace
}  // namespace tutti
