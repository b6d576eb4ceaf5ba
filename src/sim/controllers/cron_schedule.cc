#include "sim/controllers/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::sim {
namespace {

using std::chrono::days;
using std::chrono::minutes;

// A leap day that falls on a weekday comes within twenty-eight years.
constexpr std::int64_t kDaysLooked = 366 * 28;
constexpr std::int64_t kMinutesPerDay = 24 * 60;

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed",
                                                       "thu", "fri", "sat"};

struct CronField {
  std::string_view what;
  int first = 0;
  int last = 0;
  std::span<const std::string_view> names;
};
constexpr std::size_t kFieldCount = 5;
const std::array<CronField, kFieldCount> kCronFields = {{{"minute", 0, 59, {}},
                                                         {"hour", 0, 23, {}},
                                                         {"day of the month", 1, 31, {}},
                                                         {"month", 1, 12, kMonths},
                                                         {"day of the week", 0, 6, kWeekdays}}};

constexpr std::pair<std::string_view, std::string_view> kShorthands[] = {
    {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
    {"@weekly", "0 0 * * 0"},  {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> number_in(std::string_view text, const CronField& field) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto name = std::ranges::find(field.names, lower);
  if (name != field.names.end()) {
    return field.first + static_cast<int>(name - field.names.begin());
  }
  int value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc{} && stop == text.data() + text.size();
  if (!whole || value < field.first || value > field.last) return std::nullopt;
  return value;
}

// "*", "5", "1-5", each perhaps with "/2". A step after one number goes on to the end.
std::optional<std::uint64_t> bits_of(std::string_view part, const CronField& field) {
  const auto halves = split(part, '/');
  if (halves.size() > 2) return std::nullopt;
  int step = 1;
  if (halves.size() == 2) {
    const auto given = number_in(halves[1], {"step", 1, field.last, {}});
    if (!given) return std::nullopt;
    step = *given;
  }
  int first = field.first;
  int last = field.last;
  if (halves[0] != "*" && halves[0] != "?") {
    const auto ends = split(halves[0], '-');
    const auto low = number_in(ends.front(), field);
    const auto high = number_in(ends.back(), field);
    if (ends.size() > 2 || !low || !high || *high < *low) return std::nullopt;
    first = *low;
    if (ends.size() == 2 || halves.size() == 1) last = *high;
  }
  std::uint64_t bits = 0;
  for (int value = first; value <= last; value += step) bits |= std::uint64_t{1} << value;
  return bits;
}

bool has_bit(std::uint64_t bits, unsigned value) { return ((bits >> value) & 1) != 0; }

Error no_schedule(std::string_view text, std::string_view why) {
  return {Error::Code::invalid, fmt::format("'{}' is no schedule: {}", text, why)};
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  constexpr std::string_view kEvery = "@every ";
  CronSchedule out;
  if (text.starts_with(kEvery)) {
    const auto period = parse_duration(text.substr(kEvery.size()));
    if (!period.ok() || *period < std::chrono::seconds(1)) {
      return no_schedule(text, "@every needs a duration of a second or more");
    }
    out.every_ = *period;
    return out;
  }
  std::string_view words = text;
  for (const auto& [name, meaning] : kShorthands) {
    if (text == name) words = meaning;
  }
  std::vector<std::string_view> parts = split(words, ' ');
  std::erase(parts, std::string_view{});
  if (parts.size() != kFieldCount) return no_schedule(text, "it needs five fields");
  std::array<std::uint64_t, kFieldCount> sets{};
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    for (const std::string_view part : split(parts[i], ',')) {
      const auto bits = bits_of(part, kCronFields[i]);
      if (!bits) {
        return no_schedule(text, fmt::format("'{}' is no {}", part, kCronFields[i].what));
      }
      sets[i] |= *bits;
    }
  }
  out.minutes_ = sets[0];
  out.hours_ = sets[1];
  out.days_ = sets[2];
  out.months_ = sets[3];
  out.weekdays_ = sets[4];
  const auto is_any = [](std::string_view part) { return part == "*" || part == "?"; };
  out.any_day_ = is_any(parts[2]);
  out.any_weekday_ = is_any(parts[4]);
  return out;
}

bool CronSchedule::names_day(std::int64_t days_since_1970) const {
  const std::chrono::sys_days day{days(days_since_1970)};
  const std::chrono::year_month_day date(day);
  if (!has_bit(months_, static_cast<unsigned>(date.month()))) return false;
  const bool by_date = has_bit(days_, static_cast<unsigned>(date.day()));
  const bool by_weekday = has_bit(weekdays_, std::chrono::weekday(day).c_encoding());
  if (any_day_ || any_weekday_) return by_date && by_weekday;
  return by_date || by_weekday;
}

std::optional<Instant> CronSchedule::next(Instant when) const {
  if (every_ > Millis{0}) return when + every_;
  const auto start = std::chrono::floor<minutes>(when.time_since_epoch()) + minutes(1);
  std::int64_t day = std::chrono::floor<days>(start).count();
  std::int64_t minute = start.count() - day * kMinutesPerDay;
  for (std::int64_t looked = 0; looked < kDaysLooked; ++looked, ++day, minute = 0) {
    if (!names_day(day)) continue;
    for (; minute < kMinutesPerDay; ++minute) {
      if (!has_bit(hours_, static_cast<unsigned>(minute / 60))) continue;
      if (!has_bit(minutes_, static_cast<unsigned>(minute % 60))) continue;
      return Instant{minutes(day * kMinutesPerDay + minute)};
    }
  }
  return std::nullopt;
}

}  // namespace tutti::sim
