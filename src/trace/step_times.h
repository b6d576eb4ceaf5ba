// StepTimes: how long a step of a training job takes where its GPUs lie, as measured for Pollux
// (OSDI 2021) on nodes of four GPUs.
//
// A place is the number of its GPUs on each node, in the order of nodes: {2, 2}. Places that are
// rotations of each other are one; a node with more than four is several. Up to four nodes are
// measured one by one; beyond them steps are measured by numbers of nodes and GPUs, and what lies
// between is interpolated: linearly in GPUs, in the logarithm of nodes.
#pragma once

#include <map>

#include "base/result.h"
#include "base/std.h"

namespace tutti::trace {

class StepTimes {
 public:
  // Both are CSV: placement,local_bsz,step_time and num_nodes,num_replicas,local_bsz,step_time.
  // Errors name file, line and column.
  Status add_placements(const std::string& model, const std::string& file, std::string text);
  Status add_scalability(const std::string& model, const std::string& file, std::string text);

  bool has(std::string_view model) const;
  // How many times longer a step takes there than with the same GPUs packed on as few nodes as
  // hold them. Below 1 is possible: more nodes have more network cards. Nothing: not measured.
  std::optional<double> slowdown(std::string_view model, std::span<const std::int64_t> gpus) const;

 private:
  using BatchTimes = std::map<std::int64_t, double>;  // by batch size
  struct Profile {
    std::map<std::string, BatchTimes> places;  // by digits, in the least rotation
    std::map<std::int64_t, std::map<std::int64_t, BatchTimes>> by_nodes;  // then by GPUs
  };

  static BatchTimes times_at(const Profile& profile, std::string digits);
  static BatchTimes times_with(const std::map<std::int64_t, BatchTimes>& by_gpus,
                               std::int64_t gpus);

  std::map<std::string, Profile, std::less<>> profiles_;
};

}  // namespace tutti::trace
