// Extension points around the choice of nodes: entering the queue, holding and releasing a
// decision, carrying it out; and the three that deal with groups as a whole. See plugin.h for
// Filter and Score.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/plugin_status.h"
#include "core/framework/ports.h"
#include "core/shapes/ids.h"
#include "devices/inventory/ids.h"

namespace tutti::core {

// --- queue ---------------------------------------------------------------------------------------

class PreEnqueuePlugin {
 public:
  virtual ~PreEnqueuePlugin() = default;
  // Whether the pod may be tried at all. A rejection holds the pod, and with it its whole group,
  // until an event in the plugin's wakes_on() arrives; nothing is written to the cluster.
  virtual PluginStatus pre_enqueue(const Cluster& cluster, const GroupTable& groups,
                                   PodId pod) const = 0;
};

// What the order of the queue may depend on.
struct QueueRank {
  std::int32_t priority = 0;
  Instant queued_at;
  std::string_view name;  // "namespace/name" of the pod or root group
};
class QueueSortPlugin {
 public:
  virtual ~QueueSortPlugin() = default;
  // A strict total order as long as names differ.
  virtual bool before(const QueueRank& a, const QueueRank& b) const = 0;
};

class PostFilterPlugin {
 public:
  virtual ~PostFilterPlugin() = default;
  struct Outcome {
    PluginStatus verdict;  // success: the attempt may work once the victims are gone
    std::vector<PodId> victims;
    std::vector<std::pair<PodId, NodeId>> nominations;
  };
  // Asked once when an attempt at these pods (a lone pod, or the waiting members of a root group)
  // ends unschedulable, with the cluster as it was before the attempt. May change the cluster while
  // it thinks and must restore it. The first plugin that succeeds decides: its nominations are
  // written to the pods, its victims are evicted unless they are terminating already.
  virtual Outcome post_filter(Cluster& cluster, const GroupTable& groups,
                              std::span<const PodId> pods) = 0;
};

// --- decision ------------------------------------------------------------------------------------

class ReservePlugin {
 public:
  virtual ~ReservePlugin() = default;
  // The pod was just placed on the node inside a transaction: take what the plugin keeps beside the
  // cluster (a volume, a device). Anything but success undoes the placement. unreserve() is called
  // in reverse order when the placement is undone, also after a failed reserve().
  virtual PluginStatus reserve(Cluster& cluster, PodId pod, NodeId node) = 0;
  virtual void unreserve(Cluster& cluster, PodId pod, NodeId node) = 0;
};

class PermitPlugin {
 public:
  virtual ~PermitPlugin() = default;
  // Asked once the whole decision is committed and before the pod binds. wait: asked again after
  // every binding decision of the group, until `timeout` has passed since the first answer.
  virtual PluginStatus permit(const Cluster& cluster, const GroupTable& groups, PodId pod,
                              NodeId node) const = 0;
  virtual Millis timeout() const { return std::chrono::minutes(5); }
};

class PreBindPlugin {
 public:
  virtual ~PreBindPlugin() = default;
  // Writes what must be written before the pod may bind. wait: the writes are on their way; asked
  // again when something changes, until `timeout` has passed since binding began. Must be safe to
  // call again.
  virtual PluginStatus pre_bind(Cluster& cluster, ClusterPort& port, PodId pod, NodeId node) = 0;
  virtual Millis timeout() const { return std::chrono::minutes(10); }
};

class BindPlugin {
 public:
  virtual ~BindPlugin() = default;
  // Starts binding; skip leaves the pod to the next Bind plugin.
  virtual PluginStatus bind(const Cluster& cluster, ClusterPort& port, PodId pod, NodeId node) = 0;
};

class PostBindPlugin {
 public:
  virtual ~PostBindPlugin() = default;
  virtual void post_bind(const Cluster& cluster, PodId pod, NodeId node) = 0;
};

// --- groups --------------------------------------------------------------------------------------

// A set of nodes that a group may be placed in as a whole.
struct Placement {
  std::string key;    // topology key; empty: all nodes
  std::string value;  // the domain
  Bitset nodes;
  // What keeps members on divided nodes in the domain: see confinement_scope.h. Invalid: nothing
  // need.
  devices::ConfinementId confinement = {};
};

class PlacementGeneratePlugin {
 public:
  virtual ~PlacementGeneratePlugin() = default;
  struct Generated {
    PluginStatus verdict;  // success, unschedulable (no domain exists) or error (members disagree)
    std::vector<Placement> placements;  // in order of domain value
  };
  // The candidate placements of the group inside `within`.
  virtual Generated generate(const Cluster& cluster, const GroupTable& groups, GroupId group,
                             const Bitset& within) const = 0;
};

enum class Feasibility : std::uint8_t { infeasible, undecided, feasible };

class PlacementFeasiblePlugin {
 public:
  virtual ~PlacementFeasiblePlugin() = default;
  // Whether the group can still, or already does, reach its minimum: `scheduled` members are
  // placed, `remaining` have not been tried in this cycle.
  virtual Feasibility feasible(const Group& group, std::size_t scheduled,
                               std::size_t remaining) const = 0;
};

// A group's members as one candidate placement would have them.
struct ProposedPod {
  PodId pod;
  NodeId node;
};

class PlacementScorePlugin {
 public:
  virtual ~PlacementScorePlugin() = default;
  // Raw score of a feasible placement whose members are placed in `cluster` at the time of asking.
  virtual std::int64_t score(const Cluster& cluster, const GroupTable& groups, GroupId group,
                             const Placement& placement,
                             std::span<const ProposedPod> proposed) const = 0;
  // The raw score if `count` pods like `sample` were placed there, wherever in it; nothing when
  // that cannot be told without placing them. Pods that only compete for resources are counted this
  // way instead of being tried in every candidate.
  virtual std::optional<std::int64_t> foresee(const Cluster&, const GroupTable&, GroupId,
                                              const Placement&, PodId /*sample*/,
                                              std::size_t /*count*/) const {
    return std::nullopt;
  }
  // To 0..100, given the largest raw score among the candidates.
  virtual std::int64_t normalize(std::int64_t raw, std::int64_t /*max*/) const { return raw; }
};

}  // namespace tutti::core
