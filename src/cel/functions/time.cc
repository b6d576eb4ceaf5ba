// Parts of timestamps and durations.
#include <array>

#include "cel/functions/table.h"
#include "cel/value/time_text.h"

namespace tutti::cel {
namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::int64_t kNanosInSecond = 1'000'000'000;

using CalendarPart = std::int64_t (*)(const Calendar&);

template <CalendarPart part>
Value utc_part(Context&, const Value* arguments) {
  return Value::integer(part(calendar_of(arguments[0].as_seconds())));
}

template <CalendarPart part>
Value zoned_part(Context& context, const Value* arguments) {
  const auto offset = zone_offset(arguments[1].as_text());
  if (!offset) return context.fail("unknown time zone '{}'", arguments[1].as_text());
  return Value::integer(part(calendar_of(arguments[0].as_seconds() + *offset)));
}

std::int64_t year(const Calendar& calendar) { return calendar.year; }
std::int64_t month(const Calendar& calendar) { return calendar.month; }
std::int64_t day_of_month(const Calendar& calendar) { return calendar.day; }
std::int64_t date(const Calendar& calendar) { return calendar.day + 1; }
std::int64_t day_of_week(const Calendar& calendar) { return calendar.day_of_week; }
std::int64_t day_of_year(const Calendar& calendar) { return calendar.day_of_year; }
std::int64_t hours(const Calendar& calendar) { return calendar.hour; }
std::int64_t minutes(const Calendar& calendar) { return calendar.minute; }
std::int64_t seconds(const Calendar& calendar) { return calendar.second; }

Value timestamp_millis(Context&, const Value* arguments) {
  return Value::integer(arguments[0].as_nanos_part() / kNanosPerMilli);
}

template <std::int64_t nanos>
Value duration_in(Context&, const Value* arguments) {
  return Value::integer(arguments[0].as_duration_nanos() / nanos);
}

Value duration_millis(Context&, const Value* arguments) {
  return Value::integer(arguments[0].as_duration_nanos() % kNanosInSecond / kNanosPerMilli);
}

constexpr std::array kTimeRows = {
    FunctionRow{kStandard, "timestamp::getFullYear() int", utc_part<year>},
    FunctionRow{kStandard, "timestamp::getFullYear(string) int", zoned_part<year>},
    FunctionRow{kStandard, "timestamp::getMonth() int", utc_part<month>},
    FunctionRow{kStandard, "timestamp::getMonth(string) int", zoned_part<month>},
    FunctionRow{kStandard, "timestamp::getDayOfMonth() int", utc_part<day_of_month>},
    FunctionRow{kStandard, "timestamp::getDayOfMonth(string) int", zoned_part<day_of_month>},
    FunctionRow{kStandard, "timestamp::getDate() int", utc_part<date>},
    FunctionRow{kStandard, "timestamp::getDate(string) int", zoned_part<date>},
    FunctionRow{kStandard, "timestamp::getDayOfWeek() int", utc_part<day_of_week>},
    FunctionRow{kStandard, "timestamp::getDayOfWeek(string) int", zoned_part<day_of_week>},
    FunctionRow{kStandard, "timestamp::getDayOfYear() int", utc_part<day_of_year>},
    FunctionRow{kStandard, "timestamp::getDayOfYear(string) int", zoned_part<day_of_year>},
    FunctionRow{kStandard, "timestamp::getHours() int", utc_part<hours>},
    FunctionRow{kStandard, "timestamp::getHours(string) int", zoned_part<hours>},
    FunctionRow{kStandard, "timestamp::getMinutes() int", utc_part<minutes>},
    FunctionRow{kStandard, "timestamp::getMinutes(string) int", zoned_part<minutes>},
    FunctionRow{kStandard, "timestamp::getSeconds() int", utc_part<seconds>},
    FunctionRow{kStandard, "timestamp::getSeconds(string) int", zoned_part<seconds>},
    FunctionRow{kStandard, "timestamp::getMilliseconds() int", timestamp_millis},
    FunctionRow{kStandard, "timestamp::getMilliseconds(string) int", timestamp_millis},
    FunctionRow{kStandard, "duration::getHours() int", duration_in<3600 * kNanosInSecond>},
    FunctionRow{kStandard, "duration::getMinutes() int", duration_in<60 * kNanosInSecond>},
    FunctionRow{kStandard, "duration::getSeconds() int", duration_in<kNanosInSecond>},
    FunctionRow{kStandard, "duration::getMilliseconds() int", duration_millis},
};

}  // namespace

std::span<const FunctionRow> time_rows() { return kTimeRows; }

}  // namespace tutti::cel
