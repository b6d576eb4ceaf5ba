// From what was asked for to a trace and a cluster.
#pragma once

#include <istream>

#include "base/result.h"
#include "cli/simulate/options.h"
#include "replay/slowdown.h"
#include "trace/job.h"

namespace tutti::cli {

struct ReadInput {
  trace::Trace trace;
  trace::NodeList nodes;
  std::shared_ptr<const replay::SlowdownModel> slowdown;  // null: none is played
};

// Reads the files, and does with them what was asked for. "-" is `in`.
Result<ReadInput> read_input(const SimulateOptions& options, std::istream& in);

}  // namespace tutti::cli
