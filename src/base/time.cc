#include "base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/ascii.h"

namespace tutti {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

Error malformed(std::string_view what, std::string_view text, std::string_view why) {
  return {Error::Code::malformed, fmt::format("{} '{}' {}", what, text, why)};
}

struct Unit {
  std::string_view name;
  std::uint64_t nanos;
};
// Both Unicode spellings of micro are in use: the sign U+00B5 and the Greek letter U+03BC.
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\u00b5s", 1'000},
                                         {"\u03bcs", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"h", 3'600'000'000'000}}};

// Go counts nanoseconds in an int64; so does everyone who reads the same text.
constexpr std::uint64_t kNanosMax = std::numeric_limits<std::int64_t>::max();

std::string_view take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

const Unit* take_unit(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && text[size] != '.' && !is_digit(text[size])) ++size;
  for (const Unit& unit : kUnits) {
    if (text.substr(0, size) != unit.name) continue;
    text.remove_prefix(size);
    return &unit;
  }
  return nullptr;
}

// digits × nanos, or nothing above the limit.
std::optional<std::uint64_t> whole_nanos(std::string_view digits, std::uint64_t nanos) {
  const std::uint64_t limit = kNanosMax / nanos;
  std::uint64_t count = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (digit > limit || count > (limit - digit) / 10) return std::nullopt;
    count = count * 10 + digit;
  }
  return count * nanos;
}

// 0.digits × nanos, rounded down; exact however many digits there are.
std::uint64_t fraction_nanos(std::string_view digits, std::uint64_t nanos) {
  std::uint64_t value = 0;
  for (auto it = digits.rbegin(); it != digits.rend(); ++it) {
    value = (value + static_cast<std::uint64_t>(*it - '0') * nanos) / 10;
  }
  return value;
}

// Takes one "1.5h" off the front of `rest`.
Result<std::uint64_t> take_term(std::string_view& rest, std::string_view text) {
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) return malformed("duration", text, "has no digits");
  if (rest.empty()) return malformed("duration", text, "lacks a unit");
  const Unit* unit = take_unit(rest);
  if (!unit) return malformed("duration", text, "has an unknown unit");
  const auto nanos = whole_nanos(whole, unit->nanos);
  if (!nanos) return malformed("duration", text, "is too long");
  return *nanos + fraction_nanos(fraction, unit->nanos);
}

// Reads fixed-width fields from the front of a text; the first mismatch is remembered.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  int number(std::size_t width) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (rest_.empty() || !is_digit(rest_.front())) {
        good_ = false;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  bool skip(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void require(char expected) { good_ = skip(expected) && good_; }
  std::string_view digits() {
    const std::string_view taken = take_digits(rest_);
    good_ = good_ && !taken.empty();
    return taken;
  }
  void fail() { good_ = false; }
  bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

struct Stamp {
  int year, month, day, hour, minute, second;
  Millis fraction;
  int offset_sign, offset_hour, offset_minute;
};

// "Z" or "+02:00"; a sign of zero means UTC.
void read_offset(Fields& fields, Stamp& stamp) {
  if (fields.skip('Z')) return;
  if (fields.skip('-')) {
    stamp.offset_sign = -1;
  } else {
    fields.require('+');
    stamp.offset_sign = 1;
  }
  stamp.offset_hour = fields.number(2);
  fields.require(':');
  stamp.offset_minute = fields.number(2);
}

std::optional<Stamp> read_stamp(std::string_view text) {
  Fields fields(text);
  Stamp stamp{};
  stamp.year = fields.number(4);
  fields.require('-');
  stamp.month = fields.number(2);
  fields.require('-');
  stamp.day = fields.number(2);
  fields.require('T');
  stamp.hour = fields.number(2);
  fields.require(':');
  stamp.minute = fields.number(2);
  fields.require(':');
  stamp.second = fields.number(2);
  if (fields.skip('.')) {
    stamp.fraction = Millis(static_cast<std::int64_t>(fraction_nanos(fields.digits(), 1000)));
  }
  read_offset(fields, stamp);
  if (!fields.complete()) return std::nullopt;
  return stamp;
}

std::chrono::year_month_day date_of(const Stamp& stamp) {
  return {std::chrono::year(stamp.year), std::chrono::month(static_cast<unsigned>(stamp.month)),
          std::chrono::day(static_cast<unsigned>(stamp.day))};
}

// Leap seconds are refused: they have no place on a Unix time line.
bool clock_ok(const Stamp& stamp) {
  return stamp.hour < 24 && stamp.minute < 60 && stamp.second < 60 && stamp.offset_hour < 24 &&
         stamp.offset_minute < 60;
}

// "2026-11-15T21:30:00" of an instant's whole seconds.
std::string seconds_text(Instant instant) {
  const auto day = std::chrono::floor<days>(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(instant - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string whole_and_millis(std::uint64_t millis) {
  std::string text = fmt::format("{}", millis / 1000);
  if (millis % 1000 == 0) return text;
  text += fmt::format(".{:03}", millis % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace

Instant later(Instant start, Millis span) {
  constexpr Instant kStartOfTime = sys_days{std::chrono::year{1} / std::chrono::January / 1};
  if (span >= kEndOfTime - start) return kEndOfTime;
  if (span <= kStartOfTime - start) return kStartOfTime;
  return start + span;
}

Instant later(Instant start, seconds span) {
  constexpr seconds kLongest = std::chrono::floor<seconds>(Millis::max());
  return later(start, Millis{std::clamp(span, -kLongest, kLongest)});
}

Result<Millis> parse_duration(std::string_view text) {
  std::string_view rest = text;
  const bool minus = rest.starts_with('-');
  if (minus || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Millis(0);
  if (rest.empty()) return malformed("duration", text, "has no digits");

  std::uint64_t nanos = 0;
  while (!rest.empty()) {
    TUTTI_ASSIGN(const std::uint64_t term, take_term(rest, text));
    // Neither addend passes 2^63 by more than one unit's fraction, so the sum cannot wrap.
    nanos += term;
    if (nanos > kNanosMax) return malformed("duration", text, "is too long");
  }
  const auto millis = static_cast<std::int64_t>(nanos / 1'000'000);
  return Millis(minus ? -millis : millis);
}

std::string format_duration(Millis duration) {
  const std::int64_t count = duration.count();
  const std::string sign = count < 0 ? "-" : "";
  // Negated as unsigned: the most negative count has no positive twin.
  const auto bits = static_cast<std::uint64_t>(count);
  const std::uint64_t millis = count < 0 ? 0 - bits : bits;
  if (millis == 0) return "0s";
  if (millis < 1000) return fmt::format("{}{}ms", sign, millis);

  const std::uint64_t total_minutes = millis / 60'000;
  const std::string second_part = whole_and_millis(millis % 60'000) + "s";
  if (total_minutes == 0) return sign + second_part;
  if (total_minutes < 60) return fmt::format("{}{}m{}", sign, total_minutes, second_part);
  return fmt::format("{}{}h{}m{}", sign, total_minutes / 60, total_minutes % 60, second_part);
}

Result<Instant> parse_rfc3339(std::string_view text) {
  const auto stamp = read_stamp(text);
  if (!stamp) return malformed("time", text, "is not in the form 2006-01-02T15:04:05Z");
  const auto date = date_of(*stamp);
  if (!date.ok()) return malformed("time", text, "names a day that does not exist");
  if (!clock_ok(*stamp)) return malformed("time", text, "names a time of day that does not exist");
  const minutes offset =
      stamp->offset_sign * (hours(stamp->offset_hour) + minutes(stamp->offset_minute));
  return Instant(sys_days(date)) + hours(stamp->hour) + minutes(stamp->minute) +
         seconds(stamp->second) + stamp->fraction - offset;
}

std::string format_rfc3339(Instant instant) { return seconds_text(instant) + "Z"; }

std::string format_rfc3339_micro(Instant instant) {
  const auto within = instant - std::chrono::floor<seconds>(instant);
  return fmt::format("{}.{:03}000Z", seconds_text(instant), within.count());
}

}  // namespace tutti
