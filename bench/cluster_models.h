// Believable clusters and pods for the scenes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::bench {

// `count` nodes of 64 cpu, 256 GiB and 110 pod slots in racks of 40 and zones of 3; some tainted
// and some of another pool when `varied`.
std::vector<std::shared_ptr<const model::Node>> make_nodes(std::size_t count, bool varied);
// One pod of 1 cpu and 2 GiB. All pods share one spec.
std::shared_ptr<const model::Pod> small_pod(std::size_t number, const char* group = "");
// A pod unlike any other: requests, a selector or not, tolerations or not.
std::shared_ptr<const model::Pod> odd_pod(std::size_t number);

}  // namespace tutti::bench
