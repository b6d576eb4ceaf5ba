// A real cluster read through its API server: all objects that the scheduler reads, what admission
// reads when they are loaded again, and by what running work is expected to end.
#pragma once

#include <ostream>

#include "base/result.h"
#include "cli/manifests.h"
#include "cli/options.h"
#include "cli/surroundings.h"

namespace tutti::cli {

// Says on `progress` what was read, and what could not be and can be done without.
Result<LiveCluster> read_cluster(const ClusterOptions& options, const Surroundings& surroundings,
                                 std::ostream& progress);

// The cluster in place of files, or beside them.
Status add_cluster(const ClusterOptions& options, const Surroundings& surroundings,
                   std::ostream& progress, ManifestPaths& into);

}  // namespace tutti::cli
