// Timestamps and durations as text, and the calendar, with nanoseconds. The years 1 to 9999.
#pragma once

#include "base/std.h"

namespace tutti::cel {

inline constexpr std::int64_t kSecondsMin = -62'135'596'800;  // 0001-01-01T00:00:00Z
inline constexpr std::int64_t kSecondsMax = 253'402'300'799;  // 9999-12-31T23:59:59Z

struct TimePoint {
  std::int64_t seconds = 0;
  std::uint32_t nanos = 0;
};

// RFC 3339.
std::optional<TimePoint> parse_timestamp(std::string_view text);
std::string timestamp_text(TimePoint point);

// Go's syntax ("1h30m", "-1.5s", "2us"); nanoseconds.
std::optional<std::int64_t> parse_duration_nanos(std::string_view text);
// In seconds: "5400s", "0.5s".
std::string duration_text(std::int64_t nanos);

struct Calendar {
  int year, month, day;  // month and day from 0
  int day_of_week;       // from Sunday, 0
  int day_of_year;       // from 0
  int hour, minute, second;
};
Calendar calendar_of(std::int64_t seconds);

// Seconds east of UTC: "UTC", "+05:30", "-02:00", "02:00". Nothing for other names.
std::optional<std::int64_t> zone_offset(std::string_view zone);

}  // namespace tutti::cel
