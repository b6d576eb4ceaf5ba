// What the commands that run for long have in common: a log, and a name of this very process.
#pragma once

#include "base/std.h"
#include "telemetry/log.h"
#include "terminal/process_environment.h"
#include "terminal/streams.h"

namespace tutti::cli {

// To standard error, with the time of the wall clock.
std::unique_ptr<telemetry::Log> make_log(bool json, bool verbose, terminal::Streams& streams);

// Unique to this run: whoever has it continues its leadership.
std::string identity(const terminal::ProcessEnvironment& surroundings);

}  // namespace tutti::cli
