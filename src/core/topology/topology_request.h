// What pods ask of the topology beyond their group's key, in the annotations Kueue's users write:
//
//   kueue.x-k8s.io/podset-required-topology: KEY        all members in one domain of KEY
//   kueue.x-k8s.io/podset-preferred-topology: KEY       the same if possible, else as near as
//   possible kueue.x-k8s.io/podset-unconstrained-topology: true  anywhere, in as few domains as
//   possible kueue.x-k8s.io/podset-slice-required-topology: KEY  every podset-slice-size
//   consecutive members kueue.x-k8s.io/podset-slice-size: N                 in one domain of KEY
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "model/pod.h"

namespace tutti::core {

struct TopologyRequest {
  std::string required;
  std::string preferred;
  bool unconstrained = false;
  std::string slice_key;
  std::size_t slice_size = 0;  // 0: no slices

  bool none() const {
    return required.empty() && preferred.empty() && !unconstrained && slice_size == 0;
  }
  bool operator==(const TopologyRequest&) const = default;
};

// An error names the annotation that makes no sense.
Result<TopologyRequest> topology_request(const model::Pod& pod);
// Returns the request of all members of a group, which must agree; an error names the one that does
// not. When there are slices, their size must divide the number of members.
Result<TopologyRequest> topology_request(const Cluster& cluster, std::span<const PodId> members);

// The pod's place among its peers: the completion index of a Job, the index of a StatefulSet or of
// a Kueue pod group, else the number its name ends with.
std::optional<std::int64_t> rank_of(const model::Pod& pod);
// By rank if every pod has one of its own, else by name with numbers compared as numbers.
void sort_by_rank(const Cluster& cluster, std::vector<PodId>& pods);

}  // namespace tutti::core
