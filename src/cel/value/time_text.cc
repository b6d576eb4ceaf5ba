#include "cel/value/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "base/ascii.h"

namespace tutti::cel {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;
__extension__ typedef __int128 Wide;

// A number of exactly `digits` digits, taken off the text.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || !std::all_of(text.begin(), text.begin() + digits, is_digit)) {
    return std::nullopt;
  }
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) value = value * 10 + (text[i] - '0');
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// ".123456789"; digits beyond the ninth are dropped.
std::optional<std::uint32_t> take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  std::uint32_t nanos = 0;
  int digits = 0;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    if (digits++ < 9) nanos = nanos * 10 + static_cast<std::uint32_t>(text[0] - '0');
  }
  for (; digits < 9; ++digits) nanos *= 10;
  return nanos;
}

// "05:30" as seconds.
std::optional<std::int64_t> clock_offset(std::string_view text) {
  const auto hours = take_number(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return *hours * 3600 + *minutes * 60;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count();
}

std::optional<std::int64_t> take_clock(std::string_view& text) {
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1000},
    Unit{"µs", 1000},
    Unit{"μs", 1000},
    Unit{"ms", 1'000'000},
    Unit{"s", kNanosPerSecond},
    Unit{"m", 60 * kNanosPerSecond},
    Unit{"h", 3600 * kNanosPerSecond},
};

const Unit* take_unit(std::string_view& text) {
  const auto begins = [&text](const Unit& unit) {
    return text.starts_with(unit.name) &&
           (text.size() == unit.name.size() || is_digit(text[unit.name.size()]) ||
            text[unit.name.size()] == '.');
  };
  const auto* unit = std::find_if(kUnits.begin(), kUnits.end(), begins);
  if (unit == kUnits.end()) return nullptr;
  text.remove_prefix(unit->name.size());
  return unit;
}

// One "1.5h", in nanoseconds; nothing when malformed or far too large.
std::optional<Wide> take_part(std::string_view& text) {
  constexpr Wide kMax = Wide{1} << 70U;
  Wide whole = 0;
  Wide fraction = 0;
  Wide scale = 1;
  bool digits = false;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    whole = std::min(kMax, whole * 10 + (text[0] - '0'));
    digits = true;
  }
  if (take(text, '.')) {
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
      digits = true;
      if (scale >= kNanosPerSecond * Wide{1'000'000}) continue;
      fraction = fraction * 10 + (text[0] - '0');
      scale *= 10;
    }
  }
  const Unit* unit = digits ? take_unit(text) : nullptr;
  if (unit == nullptr) return std::nullopt;
  return whole * unit->nanos + fraction * unit->nanos / scale;
}

}  // namespace

std::optional<TimePoint> parse_timestamp(std::string_view text) {
  const auto days = take_date(text);
  if (!days || !take(text, 'T')) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto nanos = take_fraction(text);
  if (!nanos || text.empty()) return std::nullopt;
  std::int64_t offset = 0;
  if (text != "Z") {
    const auto east = clock_offset(text.substr(1));
    if (!east || (text[0] != '+' && text[0] != '-')) return std::nullopt;
    offset = text[0] == '-' ? -*east : *east;
  }
  const std::int64_t seconds = *days * kSecondsPerDay + *clock - offset;
  if (seconds < kSecondsMin || seconds > kSecondsMax) return std::nullopt;
  return TimePoint{seconds, *nanos};
}

std::string timestamp_text(TimePoint point) {
  const Calendar calendar = calendar_of(point.seconds);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", calendar.year, calendar.month + 1,
                  calendar.day + 1, calendar.hour, calendar.minute, calendar.second);
  if (point.nanos != 0) {
    text += fmt::format(".{:09}", point.nanos);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

std::optional<std::int64_t> parse_duration_nanos(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  Wide total = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return std::nullopt;
    total += *part;
    if (total > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  }
  return static_cast<std::int64_t>(minus ? -total : total);
}

std::string duration_text(std::int64_t nanos) {
  const std::int64_t seconds = nanos / kNanosPerSecond;
  const std::int64_t rest = nanos % kNanosPerSecond;
  std::string text = fmt::format("{}{}", nanos < 0 && seconds == 0 ? "-" : "", seconds);
  if (rest != 0) {
    text += fmt::format(".{:09}", rest < 0 ? -rest : rest);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "s";
}

Calendar calendar_of(std::int64_t seconds) {
  using std::chrono::days;
  std::int64_t day = seconds / kSecondsPerDay;
  std::int64_t clock = seconds % kSecondsPerDay;
  if (clock < 0) {
    clock += kSecondsPerDay;
    --day;
  }
  const std::chrono::sys_days date{days{day}};
  const std::chrono::year_month_day parts{date};
  const std::chrono::sys_days new_year{parts.year() / std::chrono::January / 1};
  return {.year = static_cast<int>(parts.year()),
          .month = static_cast<int>(static_cast<unsigned>(parts.month())) - 1,
          .day = static_cast<int>(static_cast<unsigned>(parts.day())) - 1,
          .day_of_week = static_cast<int>(std::chrono::weekday{date}.c_encoding()),
          .day_of_year = static_cast<int>((date - new_year).count()),
          .hour = static_cast<int>(clock / 3600),
          .minute = static_cast<int>(clock / 60 % 60),
          .second = static_cast<int>(clock % 60)};
}

std::optional<std::int64_t> zone_offset(std::string_view zone) {
  if (zone == "UTC" || zone.empty()) return 0;
  if (zone[0] == '-') {
    const auto west = clock_offset(zone.substr(1));
    if (!west) return std::nullopt;
    return -*west;
  }
  return clock_offset(zone[0] == '+' ? zone.substr(1) : zone);
}

}  // namespace tutti::cel
