// What the commands that run for long have in common: a log, and a name of this very process.
#pragma once

#include <memory>
#include <string>

#include "cli/streams.h"
#include "cli/surroundings.h"
#include "telemetry/log.h"

namespace tutti::cli {

// To standard error, with the time of the wall clock.
std::unique_ptr<telemetry::Log> make_log(bool json, bool verbose, Streams& streams);

// Unique to this run: whoever has it continues its leadership.
std::string identity(const Surroundings& surroundings);

}  // namespace tutti::cli
