// Which cluster is meant: by option, by configuration, or by where we run.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "cli/input/options.h"
#include "kube/access/access.h"
#include "terminal/process_environment.h"

namespace tutti::cli {

// `configured` is the kubeconfig that a configuration file names; may be empty.
Result<kube::Access> find_access(const ClusterOptions& options, const std::string& configured,
                                 const terminal::ProcessEnvironment& surroundings);

}  // namespace tutti::cli
