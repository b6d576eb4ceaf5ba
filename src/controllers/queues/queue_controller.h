// Holds and starts work whose kind can be suspended: Jobs, JobSets, clusters of Ray and others.
//
//   the work                          its request (Kueue's Workload)
//   names a queue           ──>       is made, and owned by the work
//   suspended               <──       waits, or was evicted
//   started, its pods told  <──       is admitted
//   pods ready, ended       ──>       PodsReady, reclaimablePods
//   has ended               ──>       Finished
//
// Who decides about requests is not its matter.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "controllers/controller.h"
#include "controllers/job/job_groups.h"
#include "controllers/queues/request_maker.h"
#include "controllers/queues/work/queue_rules.h"
#include "controllers/queues/work/queued_work.h"

namespace tutti::controllers {

class QueueController : public Controller {
 public:
  // `origin`: work of a copied cluster that runs without a request is left alone.
  QueueController(Cluster& cluster, QueueRules rules, Origin origin = Origin::made_here);

  void observe(const store::WatchEvent& event) override;

 protected:
  // A Job, or an object of another project's kind.
  void reconcile(const model::ObjectKey& key) override;

 private:
  void look_at_all();
  void look_at_owner_of(const model::Object& object);
  bool is_held_here(const model::Object& object) const;
  RequestPtr request_of(const model::ObjectPtr& object) const;
  void create_request(const model::ObjectPtr& object, QueuedWork& work);
  void serve(const model::ObjectPtr& object, QueuedWork& work, const RequestPtr& request);
  void stop(const model::ObjectPtr& object, const QueuedWork& work, const RequestPtr& request);
  void start(const model::ObjectPtr& object, const QueuedWork& work,
             const model::AdmissionRequest& request);
  void resize(const model::ObjectPtr& object, const QueuedWork& work,
              const model::AdmissionRequest& request);
  void start_over(const model::ObjectPtr& object, const QueuedWork& work,
                  const model::AdmissionRequest& request);
  bool has_live_pods(const std::string& owner_uid) const;
  void tell_pods(const model::Object& owner, const model::AdmissionRequest& request);
  Result<RequestMaker::Wanted> wanted_for(const model::ObjectPtr& object, QueuedWork& work) const;
  void refuse(const model::ObjectPtr& object, const std::string& why);

  QueueRules rules_;
  Origin origin_;
  RequestMaker maker_;
  wire::Decoder decoder_;
  std::set<model::ObjectKey> waiting_;  // for classes and runtimes to come
  bool has_queues_ = false;
};

}  // namespace tutti::controllers
