// Evicts pods whose claims hold a device with a NoExecute taint that they do not tolerate, at once
// or when the time they tolerate it for is over, counted from when the taint was added. What they
// tolerate is what their allocations say.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "base/std.h"
#include "model/pod.h"
#include "sim/nodes/device_taints.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

class DeviceTaintEviction : public Controller {
 public:
  // The plane must outlive it.
  explicit DeviceTaintEviction(Plane& plane) : plane_(plane), taints_(plane) {}

  void observe(const store::WatchEvent& event) override;
  void settle() override;

 private:
  using Deadline = DeviceTaints::Deadline;
  struct Sentence {
    Deadline deadline;
    VirtualClock::Timer timer;
  };

  void observe_taints(const store::WatchEvent& event);
  void observe_claim(const store::WatchEvent& event);
  void observe_pod(const store::WatchEvent& event);

  // The devices that the pod was given, and is one of those they were given to.
  std::vector<model::DeviceResult> devices_of(const model::Pod& pod) const;
  std::optional<Deadline> deadline_of(const model::Pod& pod) const;
  void consider(const model::ObjectKey& key);
  void evict(const model::ObjectKey& key, const std::string& uid);
  // False when there was no sentence.
  bool pardon(const std::string& uid);

  void tell(const model::DeviceTaintRule& rule);
  void tell_all_that_evict();

  Plane& plane_;
  DeviceTaints taints_;
  std::set<model::ObjectKey> users_;                     // pods on nodes that name claims
  std::set<model::ObjectKey> due_;                       // pods to be looked at
  std::set<std::string> untold_;                         // rules whose status is to be written
  std::map<std::string, std::size_t> evicted_;           // pods, by uid of the rule
  std::unordered_map<std::string, Sentence> sentences_;  // by pod uid
};

}  // namespace tutti::sim
