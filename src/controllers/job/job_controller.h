// The Job controller: when a Job is looked at, and what becomes of it after its end.
#pragma once

#include <set>
#include <unordered_map>

#include "base/std.h"
#include "controllers/controller.h"
#include "controllers/job/group_index.h"
#include "controllers/job/job_groups.h"
#include "controllers/job/job_sync.h"

namespace tutti::controllers {

class JobController : public Controller {
 public:
  explicit JobController(Cluster& cluster, Origin origin = Origin::made_here)
      : Controller(cluster), origin_(origin), groups_(cluster, group_index_, origin) {}

  void observe(const store::WatchEvent& event) override;

 protected:
  // A Job, or a pod that may have lost its Job.
  void reconcile(const model::ObjectKey& key) override;

 private:
  void observe_job(const store::WatchEvent& event);
  void observe_pod(const store::WatchEvent& event);
  void observe_group(const store::WatchEvent& event);
  void sync(const model::ObjectKey& key);
  void look_at_owner(const model::Object& object);
  void delete_when_due(const model::Job& job);
  void release_pods_of(const model::Job& gone);
  void release_if_bereft(const model::ObjectKey& pod);

  Origin origin_;
  GroupIndex group_index_;
  JobGroups groups_;
  std::unordered_map<std::string, JobMemory> memories_;  // by uid, of Jobs that have not ended
  std::set<model::ObjectKey> refused_;    // wait for the cluster to accept what they need
  std::set<model::ObjectKey> delegated_;  // take their groups from a Workload of someone else
};

}  // namespace tutti::controllers
