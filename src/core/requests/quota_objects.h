// QuotaObjects: flavors, queues, cohorts and checks as observed, the quota tree they make, and why
// a queue takes nobody. Objects that contradict each other close the queues that they concern.
#pragma once

#include <map>

#include "base/std.h"
#include "model/admission_request.h"
#include "model/cluster.h"
#include "model/quota.h"
#include "model/topology.h"
#include "quota/policy.h"
#include "quota/tree.h"

namespace tutti::core {

// A ClusterQueue as decisions read it.
struct QuotaQueue {
  std::shared_ptr<const model::ClusterQueue> object;
  quota::QuotaNodeId node;
  quota::Fungibility fungibility;
  quota::PreemptionPolicy preemption;
  bool strict = false;  // StrictFIFO

  const std::string& name() const { return object->meta.name; }
};

// On ClusterQueues and Cohorts: none, easy or conservative, of all below that do not say.
inline constexpr std::string_view kBackfillAnnotation = "tutti.dev/backfill";

// Why nobody is admitted somewhere; an empty reason: somebody may be.
struct Closure {
  std::string reason;  // of the condition Active: "FlavorNotFound"
  std::string message;
  explicit operator bool() const { return !reason.empty(); }
};

class QuotaObjects {
 public:
  // Whether objects of this kind matter here.
  static bool concerns(model::Kind kind);
  // The object as it is now. Charges of a queue that goes must be given back before.
  void set(const model::ObjectPtr& object);
  void remove(const model::ObjectKey& key);

  bool has_queues() const { return !queues_.empty() || !local_queues_.empty(); }
  // Rises with every change of an object that decisions depend on.
  std::uint64_t version() const { return version_; }

  // Up to date with the objects.
  quota::Tree& tree();
  const quota::Tree& tree() const;

  quota::QuotaNodeId root_of(quota::QuotaNodeId node) const { return tree().root(node); }

  const QuotaQueue* queue(std::string_view name) const;
  const std::map<std::string, QuotaQueue, std::less<>>& queues() const { return queues_; }
  const QuotaQueue* queue_at(quota::QuotaNodeId node) const;
  const model::LocalQueue* local_queue(std::string_view ns, std::string_view name) const;
  const std::map<std::pair<std::string, std::string>, std::shared_ptr<const model::LocalQueue>>&
  local_queues() const {
    return local_queues_;
  }
  const std::map<std::string, std::shared_ptr<const model::Cohort>, std::less<>>& cohorts() const {
    return cohorts_;
  }
  const model::ResourceFlavor* flavor(std::string_view name) const;
  const model::AdmissionCheck* check(std::string_view name) const;
  const model::Topology* topology(std::string_view name) const;
  // Labels of a namespace; none where it is unknown.
  const model::Labels& labels_of_namespace(std::string_view name) const;

  // Why the queue admits nobody.
  Closure closure_of(const QuotaQueue& queue);
  // Why nobody may be admitted through the LocalQueue; its ClusterQueue's closure counts, too.
  Closure closure_of(const model::LocalQueue& local);
  // Whether all flavors of the queue have a topology, so that it is implied for everybody.
  bool is_all_topology(const QuotaQueue& queue) const;

 private:
  template <typename T>
  using ByName = std::map<std::string, std::shared_ptr<const T>, std::less<>>;

  bool says_the_same(const model::Object& object) const;
  void set_queue(std::shared_ptr<const model::ClusterQueue> object);
  void set_cohort(std::shared_ptr<const model::Cohort> object);
  std::vector<quota::Quota> quotas_of(std::span<const model::ResourceGroup> groups);

  // Settled when somebody looks at it.
  mutable quota::Tree tree_;
  mutable bool edited_ = false;
  std::uint64_t version_ = 1;
  std::map<std::string, QuotaQueue, std::less<>> queues_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const model::LocalQueue>>
      local_queues_;
  ByName<model::Cohort> cohorts_;
  ByName<model::ResourceFlavor> flavors_;
  ByName<model::AdmissionCheck> checks_;
  ByName<model::Topology> topologies_;
  ByName<model::Namespace> namespaces_;
};

}  // namespace tutti::core
