// Claims that no state of these nodes could serve: even with nothing in use and every device well,
// there are too few devices, or too few of them on one node or in one domain.
//
// Devices that nobody has any of are not a limit: their driver may only be on its way. Nor is
// anything while some pool cannot be counted, or where a device may be given out more than once.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "explain/findings/demand.h"

namespace tutti::explain {

struct DeviceLimit {
  enum class Reach : std::uint8_t {
    node,     // one pod wants more than any node has
    cluster,  // the pods together want more than there are
    shape,    // there are enough, but too few nodes have what one pod wants
    domain,   // no domain of the topology key has enough
  };
  Reach reach = Reach::node;
  core::PodId pod;       // one of those that ask
  std::string devices;   // "of class gpu", "of class a, or of class b"
  std::size_t each = 0;  // devices for one pod; 0: they differ
  std::size_t pods = 0;
  std::size_t need = 0;  // devices
  std::size_t have = 0;
  std::size_t served = 0;  // pods that empty nodes could serve, or the best domain
};

// Requires a demand with at least one waiting pod.
std::optional<DeviceLimit> device_limit(const core::Cluster& cluster, const Demand& demand);

// "needs 8 devices of class gpu on one node; the largest of 2 nodes has 4".
std::string sentence_of(const core::Cluster& cluster, const Demand& demand,
                        const DeviceLimit& limit);

}  // namespace tutti::explain
