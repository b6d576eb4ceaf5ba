// The extension points. A plugin implements the interfaces of the points it needs; the registry
// (plugins/registry.h) makes it by name and the profile (profile.h) asks it in order.
//
//   PreEnqueue ─ QueueSort ─ PreFilter ─ Filter ─ PostFilter ─ PreScore ─ Score ─ Reserve ─ Permit
//        ─ PreBind ─ Bind ─ PostBind,  and for groups  PlacementGenerate ─ PlacementFeasible ─
//        PlacementScore
//
// Filter and Score are asked for one class of identical pods at a time: PreFilter (prepare_filter)
// builds an evaluator for the class, the evaluator then answers for all nodes at once as a mask or
// column and for single nodes as pods come and go. Reasons are worked out only when someone asks.
// Plugins written per node, as kube-scheduler's are, go through per_node_plugin.h.
//
// All calls come from the scheduling thread. Evaluators live inside one Cluster and are dropped
// before anything they point to changes shape (see Versions::structure).
#pragma once

#include <limits>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/concern.h"
#include "core/framework/plugin_status.h"
#include "core/shapes/ids.h"
#include "core/shapes/pod_aspects.h"

namespace tutti::core {

// How much of an evaluator's earlier answers a change may have overtaken.
enum class Effect : std::uint8_t {
  none,
  node,        // only the answer for the node of the change
  everything,  // any node's
};

inline constexpr std::int64_t kMaxNodeScore = 100;
// The most that evaluators that pack may score: their scores are in thousandths of a point.
inline constexpr std::int64_t kMaxPackingScore = 1000 * kMaxNodeScore;

// Pods that are to be placed together, as one filter of one class of them sees it.
struct JointDemand {
  std::span<const std::int64_t> room;  // by node: how many of the class it holds, as far as known
  std::int64_t pods = 0;               // of the class
  std::int64_t company = 0;            // of other classes
};

// What a filter that refuses nodes for want of other pods nearby looks for: who they are, and where
// they would have to be.
class CompanyWish {
 public:
  virtual ~CompanyWish() = default;
  // Whether pods with these labels are what the class wants to be near to.
  virtual bool counts(LabelClassId labels) const = 0;
  // Whether the node has it, or asks for none.
  virtual bool is_met(NodeId node) const = 0;
  // Clears the nodes from which no such pod could help against the first thing that `node` lacks.
  // Requires that the wish is not met there.
  virtual void keep_near(NodeId node, Bitset& nodes) const = 0;
};

class FilterEvaluator {
 public:
  virtual ~FilterEvaluator() = default;
  // Clears the nodes that cannot take one more pod of the class. Vacant slots are clear already.
  virtual void filter(Bitset& nodes) const = 0;
  // Whether filter() would keep this one node.
  virtual bool accepts(NodeId node) const = 0;
  // At most how many more pods of the class the node takes, as far as this filter can count.
  virtual std::int64_t room(NodeId /*node*/) const {
    return std::numeric_limits<std::int64_t>::max();
  }
  // Whether a pod placed later may open a node that it refuses now.
  virtual bool may_open() const { return false; }
  // Clears the nodes that it refuses whoever else is placed.
  virtual void rule_out(Bitset& nodes) const {
    if (!may_open()) filter(nodes);
  }
  // What company the class needs to be accepted; null: none. Lives as long as the evaluator.
  virtual const CompanyWish* company_wish() const { return nullptr; }
  // At most how many of the crowd's pods of the class all nodes together take, as far as this
  // filter can count.
  virtual std::int64_t room_for(const JointDemand& crowd) const { return crowd.pods; }
  // Why the node was rejected: code unschedulable or unresolvable, reason to be counted. Only
  // called for nodes that accepts() rejects. Several reasons may apply to one node ("Insufficient
  // cpu" and "Insufficient memory").
  virtual std::vector<PluginStatus> explain(NodeId node) const = 0;
  // A pod came to or left a node. Called in order, once per change, before further questions.
  virtual Effect changed(const Change& change) = 0;
};

class ScoreEvaluator {
 public:
  virtual ~ScoreEvaluator() = default;
  // Raw scores of all nodes in `nodes` into `out` (indexed by node); other entries are ignored.
  virtual void score(const Bitset& nodes, std::span<std::int64_t> out) const = 0;
  virtual std::int64_t score(NodeId node) const = 0;
  virtual Effect changed(const Change& change) = 0;
  // Turns a raw score into 0..100, given the smallest and largest raw score among feasible nodes.
  // Plugins whose raw scores are final keep the default.
  virtual bool normalizes() const { return false; }
  virtual std::int64_t normalize(NodeId /*node*/, std::int64_t raw, std::int64_t /*min*/,
                                 std::int64_t /*max*/) const {
    return raw;
  }
  // Nodes whose raw score takes no part in min and max (they are still normalized). Null: none.
  virtual const Bitset* outside_normalization() const { return nullptr; }
  // Scores run to kMaxPackingScore and are final. Where an evaluator packs a class, plugins that
  // yield to packing (ScorePlugin) only break ties for it, whatever their weights.
  virtual bool packs() const { return false; }
};

// What preparing an evaluator may come to: an evaluator, skip (nothing to say), or a verdict that
// holds for the class on every node.
template <typename Evaluator>
struct Prepared {
  PluginStatus verdict;                  // success, skip, unschedulable, unresolvable or error
  std::unique_ptr<Evaluator> evaluator;  // set iff success

  static Prepared ready(std::unique_ptr<Evaluator> made) { return {{}, std::move(made)}; }
  static Prepared skip() { return {{.code = Code::skip, .plugin = {}, .reason = {}}, nullptr}; }
  static Prepared refuse(PluginStatus verdict) { return {std::move(verdict), nullptr}; }
};

// A change in the cluster that may let waiting pods run. A set of kinds is a bit mask.
enum class EventKind : std::uint32_t {
  none = 0,
  node_added = 1U << 0,
  node_allocatable = 1U << 1,
  node_labels = 1U << 2,
  node_taints = 1U << 3,  // taints or spec.unschedulable
  node_other = 1U << 4,
  pod_added = 1U << 5,      // an assigned pod appeared
  pod_pending = 1U << 6,    // an unassigned pod appeared
  pod_updated = 1U << 7,    // labels, gates or requests of a pod changed
  pod_removed = 1U << 8,    // an assigned pod left or finished
  storage = 1U << 9,        // claim, volume, class, CSI objects
  group = 1U << 10,         // a PodGroup or CompositePodGroup appeared or changed
  node_removed = 1U << 12,  // fewer domains, and its pods no longer count
  other_object = 1U << 11,  // namespace, service, …
  devices = 1U << 13,       // a claim, a slice, a device class, a taint of devices
};
constexpr EventKind operator|(EventKind a, EventKind b) {
  return static_cast<EventKind>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(EventKind set, EventKind kind) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(kind)) != 0;
}

struct ClusterEvent {
  EventKind kinds = EventKind::none;
  NodeId node;                            // of node events and assigned-pod events, if known
  const model::Pod* pod = nullptr;        // of pod events
  const model::Object* object = nullptr;  // of storage, group and other events
};

class Plugin {
 public:
  virtual ~Plugin() = default;
  // The configuration name: "NodeResourcesFit".
  virtual std::string_view name() const = 0;
  // What its refusals are about.
  virtual Concern concern() const { return Concern::nodes; }
  // What it looks at of a pod to be placed, beyond what every class has in common.
  virtual PodAspects looks_at() const { return PodAspects::none; }
  // What went wrong inside a user's plugin, once something did; empty: nothing.
  virtual std::string failure() const { return {}; }
  // Which events are worth a new attempt of a pod this plugin rejected.
  virtual EventKind wakes_on() const { return EventKind::none; }
  // The hint: whether this event, one of wakes_on(), may make the rejected pod fit.
  virtual bool worth_retrying(const Cluster&, const model::Pod& /*rejected*/,
                              const ClusterEvent&) const {
    return true;
  }
};

// The status as what this plugin said.
inline PluginStatus said_by(const Plugin& plugin, PluginStatus status) {
  status.plugin = plugin.name();
  status.concern = plugin.concern();
  return status;
}

// PreFilter + Filter.
class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  virtual Prepared<FilterEvaluator> prepare_filter(const Cluster& cluster,
                                                   const PodClass& pods) const = 0;
  // Whether it refuses nodes for nothing but a resource of which they have too little left. Whoever
  // counts resources, or imagines others to be free, knows its answer without asking.
  virtual bool only_resources() const { return false; }
  // Whether it refuses every node that has too little left of whatever the pod requests.
  virtual bool every_resource() const { return false; }
};

// PreScore + Score.
class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  virtual Prepared<ScoreEvaluator> prepare_score(const Cluster& cluster,
                                                 const PodClass& pods) const = 0;
  // Spreads pods for want of a better reason.
  virtual bool yields_to_packing() const { return false; }
};

}  // namespace tutti::core
