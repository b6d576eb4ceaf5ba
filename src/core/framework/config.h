// The scheduler's configuration as plain values: profiles, which plugins they enable, and the
// plugins' arguments. config/ reads it from KubeSchedulerConfiguration; plugins/registry.h turns a
// ProfileConfig into a Profile. Defaults here are kube-scheduler's.
#pragma once

#include <array>
#include <map>
#include <variant>

#include "base/std.h"
#include "base/time.h"
#include "core/framework/broker_config.h"
#include "core/shapes/work_class.h"
#include "model/pod.h"

namespace tutti::core {

// --- plugin arguments ----------------------------------------------------------------------------

// How much a resource counts in a score, beside others.
struct WeightedResource {
  std::string name;
  std::int64_t weight = 1;
  bool operator==(const WeightedResource&) const = default;
};

// A corner of a piecewise linear curve: utilization 0..100 in percent, score 0..10.
struct ShapePoint {
  std::int32_t utilization = 0;
  std::int32_t score = 0;
  bool operator==(const ShapePoint&) const = default;
};

// Arguments of NodeResourcesFit.
struct FitArgs {
  enum class Strategy : std::uint8_t {
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio
  };
  Strategy strategy = Strategy::least_allocated;
  std::vector<WeightedResource> resources = {{"cpu", 1}, {"memory", 1}};
  // For requested_to_capacity_ratio; utilization strictly rises from point to point.
  std::vector<ShapePoint> shape;
  // Extended resources the filter does not look at: names, and prefixes before the '/'.
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_groups;
};

// Arguments of NodeResourcesBalancedAllocation: which resources are to be used up alike.
struct BalancedAllocationArgs {
  std::vector<WeightedResource> resources = {{"cpu", 1}, {"memory", 1}};
};

// Arguments of NodeAffinity.
struct NodeAffinityArgs {
  // Every pod of the profile has this on top of its own affinity.
  std::optional<model::NodeAffinity> added_affinity;
};

// Arguments of InterPodAffinity.
struct InterPodAffinityArgs {
  // What a required term of a pod that runs is worth to those whom it would have near. 0 to 100.
  std::int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

// Arguments of PodTopologySpread: what holds for pods that say nothing themselves.
struct PodTopologySpreadArgs {
  enum class Defaulting : std::uint8_t { system, list };
  Defaulting defaulting = Defaulting::system;
  // For Defaulting::list; constraints without selectors, for pods that have none of their own.
  std::vector<model::TopologySpreadConstraint> default_constraints;
};

// Arguments of VolumeBinding: how long a pod waits before binding for its volumes.
struct VolumeBindingArgs {
  Millis bind_timeout = std::chrono::seconds(600);
};

// Arguments of DefaultPreemption. Accepted and kept: every node is a candidate.
struct DefaultPreemptionArgs {
  std::int32_t min_candidate_nodes_percentage = 10;
  std::int32_t min_candidate_nodes_absolute = 100;
};

// Arguments of TopologyPlacementGenerator.
struct TopologyArgs {
  // Groups that may go anywhere inside a domain take its parts evenly, and the emptiest domain,
  // instead of as few and as full ones as possible.
  bool spread = false;
  // Steps of the exact search per attempt, if not the scheduler's own; see search_budget.h.
  std::optional<std::int64_t> search_budget;
};

// Arguments of DynamicResources.
struct DynamicResourcesArgs {
  // Attributes that name what devices have in common by wire, widest first: devices are taken so
  // that whole domains stay free. "*/NAME" is NAME of any driver. Empty: domains do not matter.
  std::vector<std::string> device_domains = {"*/cliqueID",     "*/clique",
                                             "*/nvlinkDomain", "*/nvlinkIsland",
                                             "*/numaNode",     "resource.kubernetes.io/pcieRoot"};
  // How long a pod waits for the binding conditions of its devices.
  Millis binding_timeout = std::chrono::seconds(600);
};

// Where pods of a class go, among the nodes that take them.
struct ClassRule {
  enum class Nodes : std::uint8_t { any, packed, spread };
  WorkClass work = WorkClass::none;
  Nodes nodes = Nodes::any;
  std::vector<WorkClass> apart_from;  // nodes without these first
  bool operator==(const ClassRule&) const = default;
};

// Arguments of WorkloadClass. At most one rule for a class; a class without one goes anywhere.
struct WorkloadClassArgs {
  std::vector<ClassRule> rules = {
      {WorkClass::training, ClassRule::Nodes::any, {WorkClass::inference, WorkClass::batch}},
      {WorkClass::inference, ClassRule::Nodes::packed, {WorkClass::training}},
      {WorkClass::batch, ClassRule::Nodes::any, {WorkClass::training}},
  };
};

// Pods of a kind that is to be expected, for weighing what idle GPU is worth.
struct TypicalPod {
  std::int64_t milli_cpu = 0;
  std::int64_t gpu_milli = 0;       // see kGpuMilli
  std::vector<std::string> models;  // allowed ones; empty: any
  std::int64_t count = 1;
  bool operator==(const TypicalPod&) const = default;
};

// Arguments of FractionalGpus.
struct FractionalGpuArgs {
  enum class Policy : std::uint8_t {
    none,  // any node with room is as good as another
    best_fit,
    dot_product,
    gpu_packing,
    gpu_clustering,
    fragmentation_gradient,  // needs typical pods
    random,
  };
  Policy policy = Policy::none;
  std::vector<TypicalPod> typical_pods;
  // How many pods the typical ones were chosen from; less than there are of them: no others.
  std::int64_t all_pods = 0;
  // For fragmentation_gradient: what share of GPU that a typical pod could use counts as usable
  // where CPU runs out before GPU does. Absent: all of it, as published.
  std::optional<double> blend;
  std::uint64_t seed = 0;  // of random
  // What full CPU and GPU are to best_fit, dot_product and gpu_clustering.
  std::int64_t cpu_cap = 128'000;
  std::int64_t gpu_cap = 8'000;
  // The node label that says which GPUs it has.
  std::string model_label = "tutti.dev/gpu-model";
};

// Arguments of a user's plugin: the JSON text under `args`, not interpreted here.
struct CustomArgs {
  std::string json;
};

// monostate: the plugin's defaults.
using PluginArgs = std::variant<std::monostate, FitArgs, BalancedAllocationArgs, NodeAffinityArgs,
                                InterPodAffinityArgs, PodTopologySpreadArgs, VolumeBindingArgs,
                                DefaultPreemptionArgs, TopologyArgs, DynamicResourcesArgs,
                                WorkloadClassArgs, FractionalGpuArgs, CustomArgs>;

// --- profiles ------------------------------------------------------------------------------------

// The sections of `plugins` in a profile. pre_filter and pre_score are accepted for completeness:
// one interface covers PreFilter and Filter, and the `filter` section decides about both; likewise
// for score.
enum class Point : std::uint8_t {
  pre_enqueue,
  queue_sort,
  pre_filter,
  filter,
  post_filter,
  pre_score,
  score,
  reserve,
  permit,
  pre_bind,
  bind,
  post_bind,
  placement_generate,
  placement_feasible,
  placement_score,
  pod_group_post_filter,
  multi_point,  // every point the plugin implements
};
inline constexpr std::size_t kPointCount = static_cast<std::size_t>(Point::multi_point) + 1;

// The configuration's words: "preEnqueue", "multiPoint".
inline constexpr std::array<std::string_view, kPointCount> kPointNames = {
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
    "placementGenerate",
    "placementFeasible",
    "placementScore",
    "podGroupPostFilter",
    "multiPoint",
};
constexpr std::string_view name_of(Point point) {
  return kPointNames[static_cast<std::size_t>(point)];
}

// A plugin as a section of a profile names it.
struct PluginRef {
  std::string name;
  std::int32_t weight = 0;  // of scores; 0: not given
  bool operator==(const PluginRef&) const = default;
};

// One section of a profile. What is disabled goes before what is enabled comes.
struct PluginSet {
  std::vector<PluginRef> enabled;
  std::vector<std::string> disabled;  // names, or "*" for all of the defaults
};

// How pods of one scheduler name are scheduled.
struct ProfileConfig {
  std::string scheduler_name = "default-scheduler";
  // What the user changes; the default plugins (plugins/registry.h) are merged under it.
  std::array<PluginSet, kPointCount> plugins;
  std::map<std::string, PluginArgs> args;  // by plugin name; absent: defaults
  std::optional<BrokerArgs> broker;        // given with the profile, for the whole scheduler

  PluginSet& at(Point point) { return plugins[static_cast<std::size_t>(point)]; }
  const PluginSet& at(Point point) const { return plugins[static_cast<std::size_t>(point)]; }
};

// The whole of it.
struct SchedulerConfig {
  std::vector<ProfileConfig> profiles;  // at least one; scheduler names differ
  Millis initial_backoff = std::chrono::seconds(1);
  Millis max_backoff = std::chrono::seconds(10);
  // Accepted and kept; Tutti always looks at every node, which can only find more.
  std::optional<std::int32_t> percentage_of_nodes_to_score;
  BrokerArgs broker;
};

}  // namespace tutti::core
