// Binder: carries committed placements to the cluster and answers for what becomes of them.
//
//   start ─> Permit ─> PreBind ─> Bind ─> in flight ─ok──> confirmed (observation makes it
//   assigned)
//              │wait      │wait                 └─failed─> retry on the same node, or give back
//
// A member of a gang that has not been complete yet keeps its node while its binding is retried;
// when retrying is pointless, the scheduler repairs the gang or takes it back as a whole.
#pragma once

#include <set>
#include <unordered_map>

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/ports.h"
#include "core/framework/profile.h"

namespace tutti::core {

struct Binding {
  enum class Stage : std::uint8_t { permit, pre_bind, bind, in_flight, retry };
  PodId pod;
  NodeId node;
  const Profile* profile = nullptr;
  Stage stage = Stage::permit;
  Instant since;                 // of the first Permit answer
  std::optional<Instant> timer;  // when it moves on by itself: a retry, or the end of a wait
  std::uint32_t failures = 0;
};

// What became of a binding that ended without success.
struct BindingFailure {
  Binding binding;
  std::string why;
};

class Binder {
 public:
  // After this many refusals in a row a node is given up.
  static constexpr std::uint32_t kAttempts = 5;

  Binder(Cluster& cluster, const GroupTable& groups, ClusterPort& port)
      : cluster_(cluster), groups_(groups), port_(port) {}

  void start(PodId pod, NodeId node, const Profile& profile, Instant now);
  // Moves every binding as far as it goes. Returns those that ended badly; their pods are no longer
  // bound by anyone but still hold their place in the cluster.
  std::vector<BindingFailure> advance(Instant now);
  // The cluster's answer to one bind call: empty when the binding is confirmed or will be retried
  // (`hold`: keep the node and try again), else the failure.
  std::optional<BindingFailure> finished(PodId pod, const Status& outcome, bool hold, Instant now);
  // The pod is gone or was seen on a node: nothing more to do for it.
  void forget(PodId pod);

  // Null unless the pod is being bound.
  const Binding* find(PodId pod) const {
    const auto at = bindings_.find(pod);
    return at == bindings_.end() ? nullptr : &at->second;
  }
  bool idle() const { return bindings_.empty(); }
  std::optional<Instant> next_wakeup() const;
  // Something that Permit or PreBind waits for may have changed.
  void poke();

 private:
  // Takes a binding out of `due_` and `timers_` before it moves on.
  std::optional<BindingFailure> step(Binding& binding, Instant now);
  void set_timer(Binding& binding, Instant at);
  void clear_timer(Binding& binding);
  template <typename Plugins, typename Ask>
  PluginStatus ask_all(Binding& binding, const Plugins& plugins, Instant now, const Ask& ask);
  PluginStatus permit(Binding& binding, Instant now);
  PluginStatus pre_bind(Binding& binding, Instant now);
  PluginStatus bind(const Binding& binding);

  Cluster& cluster_;
  const GroupTable& groups_;
  ClusterPort& port_;
  std::unordered_map<PodId, Binding> bindings_;
  std::set<PodId> due_;      // to be moved on at the next advance()
  std::set<PodId> waiting_;  // for Permit or PreBind
  std::set<std::pair<Instant, PodId>> timers_;
};

}  // namespace tutti::core
