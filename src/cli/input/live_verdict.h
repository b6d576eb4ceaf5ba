// The verdict of a running scheduler, asked for over HTTP:
//
//   --server URL               at its own address: this machine, or a forwarded port
//   --kubeconfig, --context    in a cluster: its API server passes the question on to the pod that
//                              leads, with the user's own permissions
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "cli/input/explain_target.h"
#include "cli/input/options.h"
#include "terminal/process_environment.h"

namespace tutti::cli {

// The verdict as it is to be printed, or those of all that waits if that is asked for. Nothing is
// printed that does not have the form of a verdict, and no answer of more than 16 MiB is read to
// its end.
Result<std::string> live_verdict(const ExplainTarget& target, const ExplainOptions& options,
                                 const terminal::ProcessEnvironment& surroundings);

}  // namespace tutti::cli
