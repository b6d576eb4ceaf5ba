// RequestMaker: requests, which are Kueue's Workloads, for work that waits in queues.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/queues/request_state.h"
#include "controllers/queues/work/asked_set.h"

namespace tutti::controllers {

inline constexpr std::string_view kQueueReporter = "queue-controller";

class RequestMaker {
 public:
  // The cluster must outlive it.
  explicit RequestMaker(Cluster& cluster) : cluster_(cluster) {}

  // The request that this object controls; null: none.
  RequestPtr find(const model::Object& owner) const;

  struct Wanted {
    std::string name;
    model::ObjectPtr about;  // whose labels say queue, priority and time
    std::vector<model::OwnerReference> owners;
    std::vector<AskedSet> sets;
    std::string_view tenure;  // "guaranteed", "burst"; empty: nothing is said
  };
  // An error: it cannot be made, or what it names does not exist.
  Result<model::ObjectPtr> make(Wanted wanted);
  // Changes a request that holds no quota to what is wanted now.
  Status follow(const model::AdmissionRequest& request, Wanted wanted);

 private:
  Result<model::AdmissionRequestSpec> spec_of(const Wanted& wanted) const;
  Status set_priority(const Wanted& wanted, model::AdmissionRequestSpec& spec) const;

  Cluster& cluster_;
};

}  // namespace tutti::controllers
