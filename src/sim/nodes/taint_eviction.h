// Evicts pods from nodes whose NoExecute taints they do not tolerate, at once or when the time they
// tolerate them for is over.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "model/pod.h"
#include "sim/nodes/node_pods.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

class TaintEviction : public Controller {
 public:
  // Both must outlive it.
  TaintEviction(Plane& plane, const NodePods& pods) : plane_(plane), pods_(pods) {}

  void observe(const store::WatchEvent& event) override;

 private:
  struct Sentence {
    Instant since;  // when the pod first met the taints
    VirtualClock::Timer timer;
  };

  void consider(const model::ObjectKey& key);
  void evict(const model::ObjectKey& key, const std::string& uid);
  void pardon(const std::string& uid);

  Plane& plane_;
  const NodePods& pods_;
  std::unordered_map<std::string, Sentence> sentences_;  // by pod uid
};

}  // namespace tutti::sim
