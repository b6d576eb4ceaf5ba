// Queues, cohorts and Workloads to which random things happen, against quota and places written out
// the slow way (quota_reference.h). After every step: the books are right, nobody is charged beyond
// what the tree owns, nobody is admitted by half, nobody of a StrictFIFO queue is overtaken, nobody
// is evicted who could stay. At rest: nobody waits who could be admitted, and a scheduler that
// begins with what there is changes nothing.
//
// TUTTI_SEED=n runs that one seed.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "property/quota_reference.h"
#include "property/quota_world.h"
#include "property/seeds.h"
#include "support/default_profile.h"
#include "support/quota_port.h"

namespace tutti {
namespace {

using core::Request;
using core::RequestStage;
using test::PlainClaim;
using test::PlainQuota;
using test::PlainRoom;

enum class Sharing : std::uint8_t { classical, fair };

core::SchedulerOptions options(Sharing sharing) {
  core::SchedulerOptions made;
  made.config = test::default_config();
  if (sharing == Sharing::fair) {
    made.quota.fair_sharing = {core::ShareRule::at_most_final_share,
                               core::ShareRule::below_initial_share};
  }
  return made;
}

std::int64_t cpu_of(const model::Pod& pod) {
  const Quantity* cpu = model::find(pod.spec->containers[0].requests, "cpu");
  return cpu != nullptr ? cpu->milli() : 0;
}

bool is_held(const Request& request) {
  return request.finished || !request.object->spec.active || request.not_before;
}

bool ranks_before(const Request& left, const Request& right) {
  return std::tuple(-left.priority, left.timestamp, left.name) <
         std::tuple(-right.priority, right.timestamp, right.name);
}

// A cluster, its scheduler, and everything that has to hold between the two.
class Stage {
 public:
  explicit Stage(Sharing sharing)
      : sharing_(sharing), scheduler_(options(sharing), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] { check_step(); };
  }

  test::QuotaPort& port() { return port_; }
  const core::Scheduler& scheduler() const { return scheduler_; }
  const std::string& problem() const { return problem_; }
  std::size_t admissions() const { return admissions_; }
  std::size_t preemptions() const { return preemptions_; }

  // What is so from here on was not decided by this scheduler.
  void look() { before_ = picture(); }
  // Lets everybody leave who has to, until nothing moves any more.
  void rest() {
    for (int i = 0; i < 100; ++i) {
      if (!port_.settle() && port_.doomed() == 0)
        return report("it never comes to rest:" + text_of(picture()));
      if (port_.doomed() == 0) return check_rest();
      port_.reap(100);
      look();
    }
    report("evictions have no end");
  }

 private:
  struct Known {
    RequestStage stage = RequestStage::waiting;
    PlainClaim claim;
  };
  using Picture = std::map<std::string, Known>;

  void report(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
  }

  const core::RequestTable& table() const { return scheduler_.broker().requests(); }

  PlainClaim claim_of(const Request& request) const {
    PlainClaim claim{.queue = request.queue};
    for (const auto& promise : request.promise) {
      const auto flavor = promise.flavors.find("cpu");
      if (flavor != promise.flavors.end()) claim.charge[flavor->second] += promise.usage.at("cpu");
    }
    const core::Cluster& cluster = scheduler_.cluster();
    const auto add = [&](core::PodId pod) {
      const core::PodEntry& entry = cluster.pod(pod);
      const auto held = cluster.held().find(pod);
      const core::NodeId node = held != cluster.held().end() ? held->second : entry.node;
      if (node.valid()) claim.places.emplace_back(cluster.node_name(node), cpu_of(*entry.object));
    };
    for (const core::PodId pod : request.pods) add(pod);
    const auto gang = scheduler_.broker().phantoms().all().find(request.name);
    if (gang == scheduler_.broker().phantoms().all().end()) return claim;
    for (const auto& set : gang->second.sets) {
      for (const core::PodId pod : set.pods) add(pod);
    }
    return claim;
  }

  // Requests and nodes, a line each.
  std::string text_of(const Picture& picture) const {
    std::string text = "\n";
    for (const auto& [name, known] : picture) {
      const Request* request = table().find(name.substr(0, 1), name.substr(2));
      text += "  " + name + " of " + (request != nullptr ? request->queue : "?") + ": " +
              std::string(word(known.stage));
      for (const auto& [flavor, amount] : known.claim.charge) {
        text += " " + flavor + "=" + std::to_string(amount);
      }
      for (const auto& [node, cpu] : known.claim.places) {
        text += " " + node + ":" + std::to_string(cpu);
      }
      if (request != nullptr && !request->victims.empty()) {
        text += " for whom leave";
        for (const std::string& victim : request->victims) text += " " + victim;
      }
      text += "\n";
    }
    for (const auto& [key, object] : port_.objects()) {
      if (key.kind != model::Kind::node) continue;
      const auto& node = model::as<model::Node>(*object);
      text += "  " + key.name + " has " + model::find(node.allocatable, "cpu")->text() +
              (node.unschedulable ? ", cordoned" : "") + "\n";
    }
    return text;
  }

  Picture picture() const {
    Picture made;
    for (const auto& [name, request] : table().all()) {
      made[name] = {request->stage, claim_of(*request)};
    }
    return made;
  }

  // --- after every step --------------------------------------------------------------------------

  void check_step() {
    if (!problem_.empty()) return;
    if (auto broken = scheduler_.check_consistency(); !broken.empty()) return report(broken);
    Picture now = picture();
    for (const auto& [name, request] : table().all()) {
      const auto before = before_.find(name);
      const auto was = before != before_.end() ? before->second.stage : RequestStage::waiting;
      check_change(*request, was, now);
    }
    before_ = std::move(now);
  }

  void check_change(const Request& request, RequestStage was, const Picture& now) {
    if (request.stage == was) return;
    const bool begins = request.stage == RequestStage::reserved ||
                        (request.stage == RequestStage::admitted && was != RequestStage::reserved);
    if (begins) {
      ++admissions_;
      check_whole(request, now.at(request.name).claim);
      check_quota(request, now);
    }
    if (was == RequestStage::waiting) check_order(request);
    if (request.stage == RequestStage::preempting) {
      ++preemptions_;
      check_victims(request, now);
    }
  }

  void check_whole(const Request& request, const PlainClaim& claim) {
    std::int64_t wanted = 0;
    for (const auto& promise : request.promise) wanted += promise.count;
    // Pods of an earlier time may come late, and are on their way out.
    if (static_cast<std::int64_t>(claim.places.size()) < wanted) {
      report(request.name + " is admitted with " + std::to_string(claim.places.size()) +
             " places for " + std::to_string(wanted) + " pods");
    }
  }

  void check_quota(const Request& request, const Picture& now) {
    PlainQuota quota(port_);
    // A preemptor that took its turn in this very step may be charged beside its victims by now.
    for (const auto& [name, known] : now) {
      if (known.stage != RequestStage::preempting) quota.charge(known.claim);
    }
    for (const auto& [flavor, amount] : now.at(request.name).claim.charge) {
      if (amount == 0) continue;
      if (!quota.lists(request.queue, flavor) || quota.available(request.queue, flavor) < 0) {
        report(request.name + " is admitted beyond the quota of " + request.queue + " in " +
               flavor + ":" + text_of(now));
      }
    }
  }

  void check_order(const Request& request) {
    const auto* queue = port_.find<model::ClusterQueue>("", request.queue);
    if (queue == nullptr || queue->spec.strategy != model::QueueingStrategy::strict_fifo) return;
    for (const auto& [name, other] : table().all()) {
      const bool waits =
          other->stage == RequestStage::waiting || other->stage == RequestStage::preempting;
      if (other->queue != request.queue || !waits || is_held(*other)) continue;
      if (name != request.name && ranks_before(*other, request)) {
        report(request.name + " overtakes " + name + " of the StrictFIFO queue " + request.queue +
               ", which is " + std::string(word(other->stage)));
      }
    }
  }

  // Whether the request fits when these are gone, as things stood before they were chosen.
  bool suffices(const Request& request, const std::set<std::string>& gone, bool borrowing) const {
    const PlainClaim wanted = claim_of(request);
    PlainQuota quota(port_);
    PlainRoom room(port_);
    for (const auto& [name, known] : before_) {
      if (gone.contains(name)) continue;
      quota.charge(known.claim);
      room.take(known.claim);
    }
    if (!quota.fits(wanted)) return false;
    quota.charge(wanted);
    for (const auto& [flavor, amount] : wanted.charge) {
      if (!borrowing && amount > 0 && quota.borrows(request.queue, flavor)) return false;
    }
    std::vector<PlainRoom::Pods> pods;
    for (std::size_t i = 0; i < request.promise.size(); ++i) {
      pods.push_back({request.promise[i].flavors.at("cpu"), request.asks[i].at("cpu"),
                      request.promise[i].count});
    }
    return room.has_places(pods);
  }

  void check_victims(const Request& request, const Picture& now) {
    if (!suffices(request, request.victims, true)) {
      report(request.name + " evicts " + std::to_string(request.victims.size()) +
             " who do not suffice:" + text_of(before_));
    }
    // Who may only reclaim without borrowing may need more than quota says; among one's own, not.
    const auto* queue = port_.find<model::ClusterQueue>("", request.queue);
    const bool own_only = queue->spec.preemption.reclaim == model::ReclaimPreemption::never;
    for (const std::string& victim : request.victims) {
      const auto as_it_was = before_.find(victim);
      if (as_it_was == before_.end() || as_it_was->second.stage == RequestStage::releasing)
        continue;
      auto others = request.victims;
      others.erase(victim);
      if (sharing_ == Sharing::classical && suffices(request, others, own_only)) {
        report(request.name + " evicts " + victim + " for nothing:" + text_of(before_));
      }
      if (now.contains(victim) && now.at(victim).stage == RequestStage::admitted) {
        report(victim + " is a victim of " + request.name + " and stays");
      }
    }
  }

  // --- at rest -----------------------------------------------------------------------------------

  void check_rest() {
    if (!problem_.empty()) return;
    std::set<std::string> blocked;  // StrictFIFO queues whose head was looked at
    std::vector<const Request*> waiting;
    for (const auto& [name, request] : table().all()) {
      if (!request->holds() && !is_held(*request)) waiting.push_back(request.get());
      if (request->stage == RequestStage::preempting) report(name + " waits for victims long gone");
    }
    std::ranges::sort(waiting, [](const auto* l, const auto* r) { return ranks_before(*l, *r); });
    for (const Request* request : waiting) {
      const auto* queue = port_.find<model::ClusterQueue>("", request->queue);
      if (queue == nullptr || queue->spec.stop != model::StopPolicy::none) continue;
      const bool strict = queue->spec.strategy == model::QueueingStrategy::strict_fifo;
      if (strict && !blocked.insert(request->queue).second) continue;
      if (would_fit(*request, *queue)) {
        report(request->name + " waits and would fit: " +
               (request->refusal ? request->refusal->message : "never tried") + text_of(picture()));
      }
    }
  }

  // The first of a StrictFIFO queue may keep quota free for itself.
  PlainClaim kept_by(const Request& request) const {
    PlainClaim kept{.queue = request.queue};
    const auto& names = table().objects().tree().flavor_resources();
    for (const auto& charge : request.keeps) {
      kept.charge[std::string(names.name(names.flavor(charge.of)))] += charge.amount;
    }
    return kept;
  }

  bool would_fit(const Request& request, const model::ClusterQueue& queue) const {
    PlainQuota quota(port_);
    PlainRoom room(port_);
    for (const auto& [name, other] : table().all()) {
      const PlainClaim claim = claim_of(*other);
      quota.charge(claim);
      room.take(claim);
      if (other->queue != request.queue) quota.charge(kept_by(*other));
    }
    std::vector<std::string> flavors;
    for (const auto& each : queue.spec.groups[0].flavors) flavors.push_back(each.flavor);
    const auto& sets = request.object->spec.pod_sets;
    std::vector<std::size_t> chosen(sets.size(), 0);
    for (;;) {
      PlainClaim wanted{.queue = queue.meta.name};
      std::vector<PlainRoom::Pods> pods;
      for (std::size_t i = 0; i < sets.size(); ++i) {
        const std::int64_t cpu = request.asks[i].at("cpu");
        wanted.charge[flavors[chosen[i]]] += cpu * sets[i].count;
        pods.push_back({flavors[chosen[i]], cpu, sets[i].count});
      }
      if (quota.fits(wanted) && room.has_places(pods)) return true;
      std::size_t i = 0;
      while (i < sets.size() && ++chosen[i] == flavors.size()) chosen[i++] = 0;
      if (i == sets.size()) return false;
    }
  }

  Sharing sharing_;
  test::QuotaPort port_;
  core::Scheduler scheduler_;
  Picture before_;
  std::string problem_;
  std::size_t admissions_ = 0;
  std::size_t preemptions_ = 0;
};

// Things that happen to a cluster with queues.
class Fate {
 public:
  Fate(std::uint64_t seed, Stage& stage)
      : random_(seed * 7919), maker_(random_), world_(maker_.make()), stage_(stage) {
    for (const auto& object : world_.objects) stage_.port().apply(object);
    log_ = "\n";
  }

  const std::string& log() const { return log_; }

  void strike() {
    happen();
    stage_.look();
  }

  // What happens together is seen together.
  void go_on() {
    stage_.port().advance(Millis(1 + pick(3)));
    if (pick(100) < 80) stage_.port().run_instant();
  }

 private:
  void happen() {
    const std::size_t what = pick(100);
    if (what < 45) return bring();
    if (what < 55) return with_somebody([&](const std::string& name) { finish(name); });
    if (what < 62) return with_somebody([&](const std::string& name) { erase(name); });
    if (what < 70) return with_somebody([&](const std::string& name) { edit_request(name); });
    if (what < 78) return edit_queue();
    if (what < 84) return cordon();
    if (what < 95) return stage_.port().reap(1 + pick(4));
    stage_.port().advance(std::chrono::seconds(1 + pick(100)));
  }

  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_.below(below)); }
  void note(const std::string& what) { log_ += what + "\n"; }

  void bring() {
    const std::string name = "w" + std::to_string(++brought_);
    const auto made = maker_.workload(world_, name, stage_.port().now());
    note("bring " + name + " to " + made->spec.queue);
    stage_.port().apply(made);
  }

  template <typename Do>
  void with_somebody(const Do& act) {
    std::vector<std::string> names;
    for (const auto& [key, object] : stage_.port().objects()) {
      if (key.kind != model::Kind::admission_request) continue;
      if (!model::has_condition(model::as<model::AdmissionRequest>(*object), "Finished")) {
        names.push_back(key.name);
      }
    }
    if (!names.empty()) act(names[pick(names.size())]);
  }
  void finish(const std::string& name) {
    note("finish " + name);
    stage_.port().finish(name);
  }
  void erase(const std::string& name) {
    note("delete " + name);
    stage_.port().erase(name);
  }
  void edit_request(const std::string& name) {
    const bool rank = pick(2) == 0;
    const auto priority = static_cast<std::int32_t>(pick(4));
    note(rank ? name + " gets priority " + std::to_string(priority) : name + " changes active");
    stage_.port().edit<model::AdmissionRequest>("t", name, [&](auto& next) {
      if (rank) {
        next.spec.priority = priority;
      } else {
        next.spec.active = !next.spec.active;
      }
    });
  }
  void edit_queue() {
    const std::string& name = world_.queues[pick(world_.queues.size())];
    const std::size_t what = pick(4);
    note("edit " + std::to_string(what) + " of " + name);
    stage_.port().edit<model::ClusterQueue>("", name, [&](auto& next) {
      auto& spec = next.spec;
      if (what == 0) {
        spec.stop = spec.stop == model::StopPolicy::none
                        ? static_cast<model::StopPolicy>(1 + pick(2))
                        : model::StopPolicy::none;
      } else if (what == 1) {
        spec.strategy = spec.strategy == model::QueueingStrategy::strict_fifo
                            ? model::QueueingStrategy::best_effort_fifo
                            : model::QueueingStrategy::strict_fifo;
      } else {
        auto& flavors = spec.groups[0].flavors;
        flavors[pick(flavors.size())].amounts[0] = maker_.quota(!spec.cohort.empty());
      }
    });
  }
  void cordon() {
    std::vector<std::string> names;
    for (const auto& [key, object] : stage_.port().objects()) {
      if (key.kind == model::Kind::node) names.push_back(key.name);
    }
    const std::string& name = names[pick(names.size())];
    note("cordon or not " + name);
    stage_.port().edit<model::Node>("", name,
                                    [](auto& next) { next.unschedulable = !next.unschedulable; });
  }

  Random random_;
  test::QuotaWorldMaker maker_;
  test::QuotaWorld world_;
  Stage& stage_;
  int brought_ = 0;
  std::string log_;
};

// Who has what, as the objects say it.
std::string admissions(const test::QuotaPort& port) {
  std::string text;
  for (const auto& [key, object] : port.objects()) {
    if (key.kind != model::Kind::admission_request) continue;
    const auto& request = model::as<model::AdmissionRequest>(*object);
    text += key.name + ":";
    if (request.status.admission) {
      text += request.status.admission->cluster_queue;
      for (const auto& set : request.status.admission->pod_sets) {
        text += " " + set.pod_set + "=" + std::to_string(set.count.value_or(0));
        for (const auto& [resource, flavor] : set.flavors) text += flavor;
      }
    }
    if (model::has_condition(request, "Evicted")) text += " evicted";
    text += "\n";
  }
  return text;
}

// A scheduler that begins with what there is leaves it so.
std::string check_successor(Stage& stage, Sharing sharing) {
  Stage successor(sharing);
  successor.port().advance(stage.port().now() - successor.port().now());
  using model::Kind;
  for (const bool requests : {false, true}) {
    for (const auto& [key, object] : stage.port().objects()) {
      if ((key.kind == Kind::admission_request) == requests) successor.port().apply(object);
    }
  }
  successor.look();
  successor.rest();
  if (!successor.problem().empty()) return "a successor: " + successor.problem();
  const std::string was = admissions(stage.port()), is = admissions(successor.port());
  return was == is ? "" : "a successor decides otherwise; before:\n" + was + "then:\n" + is;
}

struct Tally {
  std::size_t admissions = 0;
  std::size_t preemptions = 0;
  std::size_t worlds = 0;

  // The worlds are of use only if something happens in them; sanitizers run a tenth of them.
  void check() const {
    EXPECT_GT(admissions, 5 * worlds);
    EXPECT_GT(preemptions, worlds / 2);
  }
};

std::string play(std::uint64_t seed, Sharing sharing, Tally& tally) {
  Stage stage(sharing);
  Fate fate(seed, stage);
  std::string problem;
  for (int i = 1; i <= 40 && problem.empty(); ++i) {
    fate.strike();
    fate.go_on();
    if (i % 10 == 0) stage.rest();
    problem = stage.problem();
  }
  if (problem.empty()) problem = check_successor(stage, sharing);
  ++tally.worlds;
  tally.admissions += stage.admissions();
  tally.preemptions += stage.preemptions();
  return problem.empty() ? "" : problem + fate.log();
}

TEST(QuotaProperty, holdsWhateverHappens) {
  Tally tally;
  test::for_seeds("tutti_quota_property_test", 400,
                  [&](std::uint64_t seed) { return play(seed, Sharing::classical, tally); });
  tally.check();
}

// Worlds in which three queues once took from each other for ever.
TEST(QuotaProperty, comesToRestWhereRightsGoRound) {
  for (const std::uint64_t seed : {1574U, 2922U}) {
    Tally tally;
    EXPECT_EQ(play(seed, Sharing::fair, tally), "") << seed;
  }
}

TEST(QuotaProperty, holdsUnderFairSharing) {
  Tally tally;
  test::for_seeds("tutti_quota_property_test", 400,
                  [&](std::uint64_t seed) { return play(seed, Sharing::fair, tally); });
  tally.check();
}

}  // namespace
}  // namespace tutti
