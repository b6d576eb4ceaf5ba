// Which cluster is meant: by option, by configuration, or by where we run.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/surroundings.h"
#include "kube/access.h"

namespace tutti::cli {

// `configured` is the kubeconfig that a configuration file names; may be empty.
Result<kube::Access> find_access(const ClusterOptions& options, const std::string& configured,
                                 const Surroundings& surroundings);

}  // namespace tutti::cli
