// A real cluster read through its API server: all objects that the scheduler reads, what admission
// reads when they are loaded again, and by what running work is expected to end.
#pragma once

#include <ostream>

#include "base/result.h"
#include "cli/input/options.h"
#include "session/manifests/manifests.h"
#include "terminal/process_environment.h"

namespace tutti::cli {

// Says on `progress` what was read, and what could not be and can be done without.
Result<session::LiveCluster> read_cluster(const ClusterOptions& options,
                                          const terminal::ProcessEnvironment& surroundings,
                                          std::ostream& progress);

// The cluster in place of files, or beside them.
Status add_cluster(const ClusterOptions& options, const terminal::ProcessEnvironment& surroundings,
                   std::ostream& progress, session::ManifestPaths& into);

}  // namespace tutti::cli
