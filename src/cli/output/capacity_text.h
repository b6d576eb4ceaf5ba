// The capacity report as aligned text.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "capacity/report.h"
#include "terminal/layout.h"

namespace tutti::cli {

// Sections that have nothing to say are left out. `elapsed` is virtual time since the start.
std::string capacity_text(const capacity::Report& report, Millis elapsed,
                          const terminal::Layout& layout);

}  // namespace tutti::cli
