// IdleReasons: what keeps the shapes that ask for a device from using those of a node.
#pragma once

#include "base/std.h"
#include "capacity/device_use.h"
#include "core/cluster/cluster.h"

namespace tutti::capacity {

class IdleReasons {
 public:
  // `resource` is what the shapes ask for; invalid where they ask by claims.
  IdleReasons(const core::Cluster& cluster, std::vector<const Candidate*> asking,
              core::ResourceId resource)
      : cluster_(cluster), asking_(std::move(asking)), resource_(resource) {}

  // Returns how many of `idle` devices of the resource on the node pods of one shape would take.
  std::int64_t usable(std::size_t node, std::int64_t idle) const;
  // Why the rest of them is of no use, given how many were usable.
  IdleReason reason(std::size_t node, std::int64_t usable) const;
  // Whether some shape is accepted by the node.
  bool accepts(std::size_t node) const;

 private:
  std::int64_t taken_by(const Candidate& candidate, std::size_t node) const;
  IdleReason obstacle(const Candidate& candidate, std::size_t node) const;
  IdleReason shortage(const Candidate& candidate, std::size_t node) const;

  const core::Cluster& cluster_;
  std::vector<const Candidate*> asking_;
  core::ResourceId resource_;
};

}  // namespace tutti::capacity
