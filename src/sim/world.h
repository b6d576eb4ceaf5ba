// World: a cluster in virtual time. The store, the clock, simulated nodes, the controllers that a
// bare control plane has, and the script that users wrote. To the scheduler it is a ClusterPort.
//
//   Script ──> clock ──> store <──> controllers, kubelets
//                          │ changes            ^ bind, evict, patch (ClusterPort)
//                          v                    │
//                     take_changes() ──> scheduler
//
// Whoever drives it (run.h) alternates act(), take_completions(), take_changes() and the scheduler
// until the instant is quiet, and then moves the clock.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "controllers/queues/work/queue_rules.h"
#include "core/framework/ports.h"
#include "sim/bind_faults.h"
#include "sim/nodes/node_pods.h"
#include "sim/plane/conditions.h"
#include "sim/plane/plane.h"
#include "sim/script/script.h"

namespace tutti::sim {

class Kubelet;

struct WorldOptions {
  std::uint64_t seed = 0;       // of made-up uids
  Millis bind_latency{0};       // from the bind call to its outcome
  bool keeps_documents = true;  // objects made in the world can be written out in full
  std::int64_t pods_made_max = kPodsMadeMax;  // by controllers
  // Since the start; CronJobs make Jobs until then. Absent: one each.
  std::optional<Millis> cron_until = {};
  controllers::QueueRules queues = {};
};

struct BindCompletion {
  core::PodReference pod;
  Status outcome = ok_status();
};

class World final : public core::ClusterPort {
 public:
  explicit World(Script script, const WorldOptions& options = {});
  ~World() override;

  // More of the script; its times count from now on.
  void play(Script script);
  // Pods that do not say how long they run end when they are expected to; see Kubelet::expect.
  void expect_ends(
      std::function<std::optional<Instant>(const model::Pod&, Instant begin)> expected);

  const store::Store& store() const { return plane_.store; }
  // Why the world cannot go on; empty: it can.
  const std::string& halted() const { return plane_.halted; }
  VirtualClock& clock() { return plane_.clock; }
  const VirtualClock& clock() const { return plane_.clock; }

  // Runs everything that is due now and lets the controllers catch up. False when nothing was.
  bool act();
  // Changes that the scheduler has not seen yet, without Events.
  std::vector<store::WatchEvent> take_changes();
  std::vector<BindCompletion> take_completions();

  // --- ClusterPort -------------------------------------------------------------------------------
  void bind(const core::BindRequest& request) override;
  void evict(const core::PodReference& pod, const model::Condition& reason) override;
  void patch_pod(const core::PodStatusPatch& patch) override;
  void patch_group(const core::GroupConditionPatch& patch) override;
  void record(const core::EventRecord& event) override;
  // A write that lost a race is dropped: the scheduler sees what won and decides again.
  void update(const model::ObjectPtr& object) override;
  void update_request(const std::shared_ptr<const model::AdmissionRequest>& request) override;
  void update_queue_status(const model::ObjectPtr& queue) override;
  void patch_claim(const core::ClaimPatch& patch) override;
  void create_claim(const std::shared_ptr<const model::ResourceClaim>& claim) override;

 private:
  void perform(const Action& action);
  void create(const Action& action);
  void apply(const Action& action);
  void remove(const Action& action);
  void hold_until_empty(const model::ObjectKey& ns);
  void ensure_namespace(const std::string& name);
  bool reconcile();
  void create_deferred(const model::ObjectKey& freed);
  std::shared_ptr<const model::Pod> find(const core::PodReference& pod) const;
  Status finish_bind(const core::BindRequest& request);

  Plane plane_;
  WorldOptions options_;
  BindFaults faults_;
  NodePods node_pods_;
  std::vector<std::unique_ptr<Controller>> owned_;
  Kubelet* kubelet_ = nullptr;            // one of them
  std::vector<Controller*> controllers_;  // in the order in which they are told
  store::Watch controller_watch_;
  store::Watch scheduler_watch_;
  std::vector<BindCompletion> completions_;
  RecentConditions bound_conditions_;
  std::map<model::ObjectKey, Action> deferred_;  // wait for their predecessor to be gone
};

}  // namespace tutti::sim
