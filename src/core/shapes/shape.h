// PodShape: everything a pod's spec asks of a node, interned. Pods of one shape are interchangeable
// as far as nodes are concerned; what tells them apart towards other pods is their LabelClass.
#pragma once

#include <functional>

#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/pod_aspects.h"
#include "model/pod.h"

namespace tutti::core {

// Amounts are capped here, so that sums over the pods of a node stay far from overflow. A node
// offers at most one less: what asks for the cap or more fits nowhere.
inline constexpr std::int64_t kAmountMax = std::int64_t{1} << 50;

struct ResourceAmount {
  ResourceId resource;
  std::int64_t amount = 0;  // milli-cpu for cpu, whole units (bytes, devices) for the rest
  bool operator==(const ResourceAmount&) const = default;
};

struct HostPort {
  std::string ip;  // never empty: "0.0.0.0" stands for all addresses
  model::Protocol protocol = model::Protocol::tcp;
  std::int32_t port = 0;
  bool operator==(const HostPort&) const = default;
};

struct PodShape {
  // What plugins look at of the spec, in one form for all pods that ask for the same: see
  // pod_aspects.h. Names of containers and volumes are empty, amounts are in `requests`.
  std::shared_ptr<const model::PodSpec> spec;
  std::string ns;
  // Sorted by resource, amounts > 0; always contains one of kPods.
  std::vector<ResourceAmount> requests;
  // What scoring assumes: containers without a cpu or memory request count 100m and 200Mi.
  std::int64_t nonzero_cpu = 0;
  std::int64_t nonzero_memory = 0;
  std::vector<HostPort> host_ports;
  bool has_pod_affinity = false;  // any required or preferred (anti-)affinity to pods
  bool has_volumes = false;       // any volume that a volume plugin looks at
  // Some volume belongs to the pod alone, so that no other pod is like it.
  bool has_own_volumes = false;
  // Holds devices, or enough cores to be noticed by its neighbours.
  bool demanding = false;
  // Asks for kGpuMilli: which devices have room decides, and not only how much a node has left.
  bool shares_devices = false;

  // Special shapes are the ones whose presence on a node matters beyond resources; nodes list them.
  bool special() const { return has_pod_affinity || has_volumes || !host_ports.empty(); }
  std::int64_t request(ResourceId resource) const;
};

// Finds or makes the id of a resource name.
using ResourceIds = std::function<ResourceId(std::string_view)>;

// Thousandths of GPUs: up to 1000 is a share of one device, multiples of 1000 are whole ones.
inline constexpr std::string_view kGpuMilli = "tutti.dev/gpu-milli";

// Whether the resource is a device by its name: extended, and not of Kubernetes itself.
bool is_device(std::string_view resource);

// Neighbours notice a pod that has no devices from this many milli-cpu on.
inline constexpr std::int64_t kDemandingMilliCpu = 8'000;

// The effective request of a pod: containers and sidecars together, against each init container
// with the sidecars started before it; pod-level requests replace what they name; overhead on top.
// A pod being resized in place counts the larger of asked, allocated and actual.
std::vector<ResourceAmount> effective_requests(const model::Pod& pod, const ResourceIds& ids);

// `aspects`: what plugins look at beyond what every class has in common.
PodShape make_shape(const model::Pod& pod, const ResourceIds& ids,
                    PodAspects aspects = PodAspects::images);

// Shapes are equal iff these are: hash and comparison for interning.
std::uint64_t shape_hash(const PodShape& shape);
bool same_shape(const PodShape& a, const PodShape& b);

}  // namespace tutti::core
