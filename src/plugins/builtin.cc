#include "plugins/builtin.h"

#include <algorithm>

#include "plugins/affinity/inter_pod_affinity.h"
#include "plugins/affinity/node_affinity.h"
#include "plugins/affinity/node_name.h"
#include "plugins/binding/default_binder.h"
#include "plugins/classes/workload_class.h"
#include "plugins/devices/dynamic_resources.h"
#include "plugins/fit/balanced_allocation.h"
#include "plugins/fit/resources_fit.h"
#include "plugins/gang/gang_scheduling.h"
#include "plugins/gpus/fractional_gpus.h"
#include "plugins/images/image_locality.h"
#include "plugins/placement/pods_count.h"
#include "plugins/placement/topology_placement.h"
#include "plugins/ports/node_ports.h"
#include "plugins/preemption/default_preemption.h"
#include "plugins/queue/priority_sort.h"
#include "plugins/queue/scheduling_gates.h"
#include "plugins/spread/pod_topology_spread.h"
#include "plugins/taints/node_unschedulable.h"
#include "plugins/taints/taint_toleration.h"
#include "plugins/volumes/node_volume_limits.h"
#include "plugins/volumes/volume_binding.h"
#include "plugins/volumes/volume_restrictions.h"
#include "plugins/volumes/volume_zone.h"

namespace tutti::plugins {
namespace {

Error invalid(std::string message) { return {Error::Code::invalid, std::move(message)}; }

template <typename T>
MadePlugin make_plain(const core::PluginArgs& args) {
  if (!std::holds_alternative<std::monostate>(args)) return invalid("takes no arguments");
  return std::unique_ptr<core::Plugin>(std::make_unique<T>());
}

template <typename Args>
Result<Args> args_of(const core::PluginArgs& args) {
  if (std::holds_alternative<std::monostate>(args)) return Args{};
  if (const auto* given = std::get_if<Args>(&args)) return *given;
  return invalid("has the arguments of another plugin");
}

template <typename T, typename Args>
MadePlugin make_with(const core::PluginArgs& args) {
  TUTTI_ASSIGN(Args given, args_of<Args>(args));
  return std::unique_ptr<core::Plugin>(std::make_unique<T>(std::move(given)));
}

Status check_resources(const std::vector<core::WeightedResource>& resources) {
  for (const auto& [name, weight] : resources) {
    if (weight < 1 || weight > 100) {
      return invalid("weight " + std::to_string(weight) + " of resource " + name +
                     " is not between 1 and 100");
    }
  }
  return ok_status();
}

Status check_shape(const std::vector<core::ShapePoint>& shape) {
  if (shape.empty()) return invalid("requestedToCapacityRatio needs a shape");
  const auto outside = [](const core::ShapePoint& point) {
    return point.utilization < 0 || point.utilization > 100 || point.score < 0 || point.score > 10;
  };
  if (std::ranges::any_of(shape, outside)) {
    return invalid("shape points need utilization 0..100 and score 0..10");
  }
  const auto rising = [](const auto& a, const auto& b) { return a.utilization >= b.utilization; };
  if (std::ranges::adjacent_find(shape, rising) != shape.end()) {
    return invalid("utilization must rise from shape point to shape point");
  }
  return ok_status();
}

MadePlugin make_fit(const core::PluginArgs& args) {
  TUTTI_ASSIGN(core::FitArgs given, args_of<core::FitArgs>(args));
  TUTTI_TRY(check_resources(given.resources));
  if (given.strategy == core::FitArgs::Strategy::requested_to_capacity_ratio) {
    TUTTI_TRY(check_shape(given.shape));
  }
  return std::unique_ptr<core::Plugin>(std::make_unique<ResourcesFit>(std::move(given)));
}

MadePlugin make_balanced(const core::PluginArgs& args) {
  TUTTI_ASSIGN(core::BalancedAllocationArgs given, args_of<core::BalancedAllocationArgs>(args));
  TUTTI_TRY(check_resources(given.resources));
  return std::unique_ptr<core::Plugin>(std::make_unique<BalancedAllocation>(std::move(given)));
}

MadePlugin make_inter_pod_affinity(const core::PluginArgs& args) {
  TUTTI_ASSIGN(const core::InterPodAffinityArgs given, args_of<core::InterPodAffinityArgs>(args));
  if (given.hard_pod_affinity_weight < 0 || given.hard_pod_affinity_weight > 100) {
    return invalid("hardPodAffinityWeight is not between 0 and 100");
  }
  return std::unique_ptr<core::Plugin>(std::make_unique<InterPodAffinity>(given));
}

MadePlugin make_spread(const core::PluginArgs& args) {
  TUTTI_ASSIGN(core::PodTopologySpreadArgs given, args_of<core::PodTopologySpreadArgs>(args));
  const bool listed = given.defaulting == core::PodTopologySpreadArgs::Defaulting::list;
  if (!listed && !given.default_constraints.empty()) {
    return invalid("defaultConstraints need defaultingType List");
  }
  for (const auto& constraint : given.default_constraints) {
    if (constraint.selector) return invalid("defaultConstraints must not have a labelSelector");
    if (constraint.max_skew < 1) return invalid("maxSkew must be greater than zero");
    if (constraint.topology_key.empty()) return invalid("topologyKey must not be empty");
  }
  return std::unique_ptr<core::Plugin>(std::make_unique<PodTopologySpread>(std::move(given)));
}

MadePlugin make_fractional_gpus(const core::PluginArgs& args) {
  TUTTI_ASSIGN(core::FractionalGpuArgs given, args_of<core::FractionalGpuArgs>(args));
  const bool gradient = given.policy == core::FractionalGpuArgs::Policy::fragmentation_gradient;
  if (gradient && given.typical_pods.empty()) {
    return invalid("policy FragmentationGradient needs typicalPods");
  }
  return std::unique_ptr<core::Plugin>(std::make_unique<FractionalGpus>(std::move(given)));
}

// The arguments are not for the plugin itself: the profile hands them to whoever decides.
template <typename T, typename Args>
MadePlugin make_beside(const core::PluginArgs& args) {
  TUTTI_ASSIGN([[maybe_unused]] const Args given, args_of<Args>(args));
  return std::unique_ptr<core::Plugin>(std::make_unique<T>());
}

constexpr Builtin kBuiltins[] = {
    {SchedulingGates::kName, 0, make_plain<SchedulingGates>},
    {PrioritySort::kName, 0, make_plain<PrioritySort>},
    {NodeName::kName, 0, make_plain<NodeName>},
    {NodeUnschedulable::kName, 0, make_plain<NodeUnschedulable>},
    {TaintToleration::kName, 3, make_plain<TaintToleration>},
    {NodeAffinity::kName, 2, make_with<NodeAffinity, core::NodeAffinityArgs>},
    {NodePorts::kName, 0, make_plain<NodePorts>},
    {ResourcesFit::kName, 1, make_fit},
    {VolumeRestrictions::kName, 0, make_plain<VolumeRestrictions>},
    {NodeVolumeLimits::kName, 0, make_plain<NodeVolumeLimits>},
    {VolumeBinding::kName, 0, make_with<VolumeBinding, core::VolumeBindingArgs>},
    {VolumeZone::kName, 0, make_plain<VolumeZone>},
    {PodTopologySpread::kName, 2, make_spread},
    {InterPodAffinity::kName, 2, make_inter_pod_affinity},
    {DynamicResources::kName, 2, make_with<DynamicResources, core::DynamicResourcesArgs>},
    {FractionalGpus::kName, 1, make_fractional_gpus},
    {DefaultPreemption::kName, 0, make_beside<DefaultPreemption, core::DefaultPreemptionArgs>},
    {BalancedAllocation::kName, 1, make_balanced},
    {ImageLocality::kName, 1, make_plain<ImageLocality>},
    // Before what else may be preferred: devices that stay whole, an affinity, a taint.
    {WorkloadClass::kName, 10, make_with<WorkloadClass, core::WorkloadClassArgs>},
    {DefaultBinder::kName, 0, make_plain<DefaultBinder>},
    {GangScheduling::kName, 0, make_plain<GangScheduling>},
    {TopologyPlacementGenerator::kName, 0,
     make_beside<TopologyPlacementGenerator, core::TopologyArgs>},
    {PodGroupPodsCount::kName, 1, make_plain<PodGroupPodsCount>},
};

}  // namespace

std::span<const Builtin> builtins() { return kBuiltins; }

}  // namespace tutti::plugins
