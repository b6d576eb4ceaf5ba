// Misspelling: what a pod most likely meant by a resource or label that no node has.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"

namespace tutti::explain {

// The name that some node offers; empty where some node offers the resource itself, or none is
// near: nvidia.com/gpu for nvidia.com/gpus or for gpu.
std::string meant_resource(const core::Cluster& cluster, core::ResourceId resource);

// Key and value that some node has, where none has those; nothing where none is near.
std::optional<std::pair<std::string, std::string>> meant_label(const core::Cluster& cluster,
                                                               const std::string& key,
                                                               const std::string& value);

}  // namespace tutti::explain
