// Kubelets: the life of pods on their nodes.
//
//   bound ──at once──> Running ──runs-for──> Succeeded
//                         ├──fails-after, activeDeadlineSeconds──> Failed
//                         └──deleted──grace period──> gone
//
// A kubelet whose node is unreachable or gone does nothing; when the node returns it catches up
// with what fell due meanwhile.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>

#include "base/std.h"
#include "model/pod.h"
#include "sim/nodes/node_pods.h"
#include "sim/plane/conditions.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

class Kubelet : public Controller {
 public:
  // When a pod that began then is expected to succeed; empty: never.
  using ExpectedEnd = std::function<std::optional<Instant>(const model::Pod&, Instant begin)>;

  // Both must outlive it.
  Kubelet(Plane& plane, const NodePods& pods) : plane_(plane), pods_(pods) {}

  void observe(const store::WatchEvent& event) override;
  // From now on pods that do not say how long they run end when they are expected to, also those
  // that run already.
  void expect(ExpectedEnd expected);

 private:
  void observe_pod(const store::WatchEvent& event);
  void observe_node(const store::WatchEvent& event);
  void look_after(const model::ObjectKey& key);
  bool reachable(std::string_view node) const;
  bool has_devices(const model::Pod& pod);
  void start(const model::Pod& pod);
  void plan_end(const model::Pod& pod);
  void plan_removal(const model::Pod& pod);
  void plan(const model::Pod& pod, Instant when, VirtualClock::Action action);
  void forget(const std::string& uid);

  // When the pod came into this world.
  Instant arrival_of(const model::Pod& pod) const;

  Plane& plane_;
  const NodePods& pods_;
  // Both by pod uid.
  std::unordered_map<std::string, Instant> arrivals_;  // of pods created elsewhere
  std::unordered_map<std::string, VirtualClock::Timer> timers_;
  std::set<model::ObjectKey> wait_for_claims_;  // came with their node
  RecentConditions running_conditions_;
  ExpectedEnd expected_;  // null: nothing is expected
};

}  // namespace tutti::sim
