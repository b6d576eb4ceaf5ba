// What must hold in every run, whatever the policy. An obvious model beside the scheduler's clever
// one: it sees the same changes, keeps plain sums, and says what broke.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "base/interner.h"
#include "base/std.h"
#include "core/shapes/shape.h"
#include "model/device.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"
#include "sim/check/gang_watch.h"
#include "sim/check/preemption_watch.h"
#include "sim/check/quota_watch.h"
#include "sim/plane/scheduler_driver.h"
#include "store/watch.h"

namespace tutti::sim {

class Invariants {
 public:
  Invariants();

  // Checks as it goes: no two objects share a uid, a pod keeps its node for life, no bind takes a
  // node beyond what it has, nobody is evicted for a preemptor that then does not run although
  // nothing else happened, and no Workload is admitted beyond the quota of its queue (QuotaWatch).
  void observe(const store::WatchEvent& event);
  // To be asked when the scheduler is settled: no gang that never reached its minimum holds a node
  // by a bind made in this run, no bind left a gang below its minimum, no eviction did (GangWatch),
  // and the scheduler knows every pod without a node.
  void check_settled(const SchedulerDriver& scheduler);

  // To be asked when an instant came to rest: the scheduler's own bookkeeping is right.
  void check_consistent(const SchedulerDriver& scheduler);

  const PreemptionWatch::Tally& preemptions() const { return preemptions_.tally(); }

  // The first thing that broke; empty while all is well.
  const std::string& broken() const { return broken_; }

 private:
  using Name = std::pair<std::string, std::string>;       // namespace, name
  using Amounts = std::map<std::uint32_t, std::int64_t>;  // by interned resource name
  struct Gang {
    std::set<model::ObjectKey> holding;   // members with a node that have not ended
    std::set<model::ObjectKey> unproven;  // bound since the gang was last seen at its minimum
  };

  void observe_uid(const store::WatchEvent& event);
  void observe_pod(const store::WatchEvent& event);
  void observe_node(const store::WatchEvent& event);
  void observe_group(const store::WatchEvent& event);
  void observe_class(const store::WatchEvent& event);
  void observe_claim(const store::WatchEvent& event);
  void leave(const model::Pod& pod);
  void enter(const model::Pod& pod, bool bound_now);
  void check_room(const model::Pod& pod, const std::vector<core::ResourceAmount>& requests);
  bool through_claim(const model::Pod& pod, const std::string& resource) const;
  void check_gang(const Name& name, Gang& gang, std::int32_t minimum);
  std::vector<core::ResourceAmount> requests_of(const model::Pod& pod);
  std::int64_t amount_of(std::string_view resource, const Quantity& quantity) const;
  void report(std::string problem);

  Interner resources_;
  std::map<std::string, Amounts, std::less<>> used_;
  std::map<std::string, Amounts, std::less<>> allocatable_;
  std::unordered_map<std::string, model::ObjectKey> uids_;
  std::map<Name, Gang> gangs_;
  std::map<Name, std::int32_t> minimums_;           // of gang PodGroups
  std::map<std::string, std::string> class_names_;  // what device classes call their resource
  std::map<Name, model::ObjectPtr> claims_;
  std::map<model::ObjectKey, model::ObjectPtr> unassigned_;
  PreemptionWatch preemptions_;
  GangWatch gang_watch_;
  QuotaWatch quota_watch_;
  std::string broken_;
};

}  // namespace tutti::sim
