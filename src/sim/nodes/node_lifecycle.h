// Nodes that go away and come back.
//
// A node is down from `tutti.dev/down-at` and up from `tutti.dev/up-at`, both since the start of
// the run; with an up-at that comes first, or alone, it starts down. A node that is not ready
// carries the taints that Kubernetes' node lifecycle controller gives it, in both effects:
//
//   Ready=Unknown  node.kubernetes.io/unreachable     Ready=False  node.kubernetes.io/not-ready
//
// The pods of a node object that was deleted are collected 40 s later unless it returns.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "model/node.h"
#include "sim/nodes/node_pods.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

class NodeLifecycle : public Controller {
 public:
  // Both must outlive it.
  NodeLifecycle(Plane& plane, const NodePods& pods) : plane_(plane), pods_(pods) {}

  void observe(const store::WatchEvent& event) override;

 private:
  void plan_outage(const model::Node& node);
  void set_reachable(const std::string& name, bool reachable);
  void write_taints(const model::Node* before, const model::Node& node);
  void collect_orphans_later(const std::string& name);
  void cancel_outage(const std::string& name);

  Plane& plane_;
  const NodePods& pods_;
  std::unordered_map<std::string, std::vector<VirtualClock::Timer>> outages_;  // by node
};

}  // namespace tutti::sim
