// What the scheduler reads of a cluster.
#pragma once

#include <vector>

#include "kube/discovery.h"
#include "kube/reflector.h"

namespace tutti::daemon {

// In the order in which they are listed: what others refer to comes first.
std::vector<kube::Resource> watched_resources(const kube::Served& served);

}  // namespace tutti::daemon
