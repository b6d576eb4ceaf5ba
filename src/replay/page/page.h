// A simulation as one HTML page that needs nothing beside it: what was played, the verdict, and
// plots of waits, completion times, use over time, and what the time went into.
#pragma once

#include "base/std.h"
#include "replay/simulation.h"
#include "trace/job.h"

namespace tutti::replay {

struct PageInput {
  const trace::Trace& trace;
  const trace::NodeList& nodes;
  const SimulationResult& result;  // with curves
  std::string_view version;
};

std::string page(const PageInput& input);

// Looks of the page, in light and in dark.
extern const std::string_view kPageStyle;

}  // namespace tutti::replay
