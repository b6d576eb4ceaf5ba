// Instants and durations. Virtual and real time share these types; nobody below main asks the
// clock.
#pragma once

#include <chrono>

#include "base/result.h"
#include "base/std.h"

namespace tutti {

using Millis = std::chrono::milliseconds;
// Milliseconds since the Unix epoch, UTC.
using Instant = std::chrono::sys_time<Millis>;

// The last instant that RFC 3339 can write. What is due then or later never comes.
inline constexpr Instant kEndOfTime =
    std::chrono::sys_days{std::chrono::year{9999} / std::chrono::December / 31} +
    std::chrono::hours{23} + std::chrono::minutes{59} + std::chrono::seconds{59};

// `start` plus `span`, kept within the years 1 to 9999: objects may ask for any number of seconds.
// Requires that `start` lies there.
Instant later(Instant start, Millis span);
Instant later(Instant start, std::chrono::seconds span);

// Go's duration syntax as Kubernetes users write it: "1h30m", "2m", "500ms", "1.5s", "0". A sign is
// accepted ("-5s"); precision is milliseconds, finer parts are truncated. Overflow is an error.
Result<Millis> parse_duration(std::string_view text);
// Go's canonical form: "1h30m0s", "2m0s", "500ms", "0s".
std::string format_duration(Millis duration);

// RFC 3339, with any offset, fractional seconds accepted and truncated to milliseconds.
Result<Instant> parse_rfc3339(std::string_view text);
// UTC with second precision, as metav1.Time is written: "2026-11-15T21:30:00Z".
std::string format_rfc3339(Instant instant);
// UTC with microsecond precision, as metav1.MicroTime is written: "2026-11-15T21:30:00.123000Z".
std::string format_rfc3339_micro(Instant instant);

}  // namespace tutti
