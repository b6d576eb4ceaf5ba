// Reads what was asked for, plays it and prints what came of it.
#pragma once

#include "base/result.h"
#include "cli/simulate/options.h"
#include "terminal/streams.h"

namespace tutti::cli {

Status simulate(const SimulateOptions& options, terminal::Streams& streams);
// The published experiment, for every list, policy and seed asked for.
Status fgd_study(const SimulateOptions& options, terminal::Streams& streams);

}  // namespace tutti::cli
