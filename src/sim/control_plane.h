// The controllers of kube-controller-manager in virtual time: they see the world's changes, write
// to its store through admission, and are woken when something of theirs falls due.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/controller.h"
#include "sim/plane/plane.h"
#include "sim/script/admission_steps.h"
#include "sim/script/quotas.h"

namespace tutti::sim {

// The store as controllers see it.
class StoreCluster final : public controllers::Cluster, private AdmissionSteps {
 public:
  // The plane must outlive it.
  StoreCluster(Plane& plane, controllers::QueueRules queues)
      : AdmissionSteps(Neighbours::known, std::move(queues)), plane_(plane) {}

  void observe(const store::WatchEvent& event);
  // A round of work is over.
  using AdmissionSteps::forget_rewrites;

  Instant now() const override { return plane_.clock.now(); }
  const store::Store& objects() const override { return plane_.store; }
  const controllers::Dependents& dependents() const override { return dependents_; }
  Result<model::ObjectPtr> create(const model::Object& object) override;
  Result<model::ObjectPtr> update(const model::Object& object) override;
  Result<model::ObjectPtr> update_status(const model::Object& object) override;
  Result<model::ObjectPtr> patch_meta(const model::ObjectKey& key,
                                      const std::function<void(model::ObjectMeta&)>& edit) override;
  void remove(const model::ObjectKey& key) override;
  void record(const controllers::Note& note) override;

 private:
  const model::Object* find(const model::ObjectKey& key) const override;
  std::vector<const model::Object*> all_of(model::Kind kind) const override;
  bool has_any(model::Kind kind) const override;
  Error refuse_more(const model::Object& pod);

  Plane& plane_;
  controllers::Dependents dependents_;
  Quotas quotas_;
  std::int64_t pods_made_ = 0;
};

class ControlPlane : public Controller {
 public:
  // The plane must outlive it. `keeps_documents`: what is made of objects of other projects gets
  // the document it was made from.
  // `cron_until`: see CronJobs.
  ControlPlane(Plane& plane, bool keeps_documents, std::optional<Instant> cron_until,
               const controllers::QueueRules& queues = {});

  void observe(const store::WatchEvent& event) override;
  void settle() override;

 private:
  void plan_wakeup();

  Plane& plane_;
  StoreCluster cluster_;
  std::vector<std::unique_ptr<controllers::Controller>> controllers_;
  std::optional<VirtualClock::Timer> wakeup_;
};

}  // namespace tutti::sim
