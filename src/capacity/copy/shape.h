// Shape: one kind of pod that capacity is measured in, as given on the command line or as found
// among the pods of the cluster.
//
// Pods are of one shape when they ask the same of nodes: requests, selectors, tolerations,
// affinity, spread, ports and device claims. Names, images, gates and volumes play no part:
// another gang like it would bring its own.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "capacity/copy/cluster_copy.h"
#include "model/device.h"
#include "model/pod.h"

namespace tutti::capacity {

// What stands behind an entry of spec.resourceClaims.
struct ShapeClaim {
  std::string entry;
  model::ClaimSpec spec;
  bool of_group = false;  // one for the whole gang, not one for every pod
  bool operator==(const ShapeClaim&) const = default;
};

struct Shape {
  std::string requests;             // "cpu=8,memory=64Gi,nvidia.com/gpu=8", as --shape takes it
  std::vector<std::string> wishes;  // what else it asks for: "nodeSelector pool=a"
  std::shared_ptr<const model::PodSpec> spec;  // of one container; no group, no volumes
  std::string ns = "default";
  model::Labels labels{};
  std::vector<ShapeClaim> claims{};  // of entries that name a template
  // Pods of the cluster that have it.
  std::size_t running = 0;
  std::size_t waiting = 0;

  // How much of the resource one pod asks for, in the resource's unit; cpu in thousandths.
  std::int64_t request(std::string_view resource) const;
};

// Reads "cpu=8,memory=64Gi,nvidia.com/gpu=8". The shape tolerates taints whose key is a resource it
// asks for, as admission lets such pods do. An error names the part that makes no sense.
Result<Shape> parse_shape(std::string_view text);

// An error names a resource that no node has, and the one that was meant. A cluster without nodes
// has nothing to say.
Status check_resources(const Shape& shape, const core::Cluster& cluster);

// One device and nothing else.
Shape lone_device(std::string_view resource);

// The shapes of all pods that the scheduler places, most waiting pods first, then most running,
// then by their text.
std::vector<Shape> shapes_of_work(const core::Scheduler& scheduler);

}  // namespace tutti::capacity
