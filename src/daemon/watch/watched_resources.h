// What the scheduler reads of a cluster.
#pragma once

#include "base/std.h"
#include "kube/client/discovery.h"
#include "kube/watch/reflector.h"

namespace tutti::daemon {

// In the order in which they are listed: what others refer to comes first.
std::vector<kube::Resource> watched_resources(const kube::Served& served);

}  // namespace tutti::daemon
