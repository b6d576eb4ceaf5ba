#include "cli/process.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/time.h"
#include "telemetry/make_log.h"

namespace tutti::cli {
namespace {

Instant wall_clock() {
  return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
}

}  // namespace

std::unique_ptr<telemetry::Log> make_log(bool json, bool verbose, terminal::Streams& streams) {
  telemetry::LogOptions wanted;
  wanted.now = wall_clock;
  if (verbose) wanted.level_min = telemetry::Log::Level::debug;
  auto sink = telemetry::to_stream(streams.err);
  return json ? telemetry::make_json_log(std::move(sink), wanted)
              : telemetry::make_text_log(std::move(sink), wanted);
}

std::string identity(const terminal::ProcessEnvironment& surroundings) {
  return fmt::format("{}_{:016x}", surroundings.host, surroundings.entropy);
}

}  // namespace tutti::cli
