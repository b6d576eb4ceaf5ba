#include "trace/cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/quantity.h"
#include "base/text.h"
#include "trace/job.h"

namespace tutti::trace {
namespace {

// A thousand years: whatever is longer is a mistake, and sums of such times stay far from overflow.
constexpr std::int64_t kMillisMax = std::int64_t{1000} * 366 * 86'400'000;
constexpr std::int64_t kAmountMax = std::int64_t{1} << 50;
// A thousand million cores; a million nodes of them still add up.
constexpr std::int64_t kThousandthsMax = std::int64_t{1} << 40;

std::optional<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || last != end) return std::nullopt;
  return value;
}

// The number times a thousand; `rounded` tells what becomes of further decimals.
std::optional<std::int64_t> thousand_times(std::string_view text, bool rounded) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string decimals(point < text.size() ? text.substr(point + 1) : "");
  if (digits.empty() && decimals.empty()) return std::nullopt;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::ranges::all_of(digits, is_digit) || !std::ranges::all_of(decimals, is_digit)) {
    return std::nullopt;
  }
  bool up = false;
  if (decimals.size() > 3) {
    const bool exact = decimals.find_first_not_of('0', 3) == std::string::npos;
    if (!exact && !rounded) return std::nullopt;
    up = decimals[3] >= '5';
    decimals.resize(3);
  }
  decimals.resize(3, '0');
  const auto value = parse_whole("0" + digits + decimals);
  if (!value || *value > kMillisMax) return std::nullopt;
  const std::int64_t amount = *value + (up ? 1 : 0);
  return negative ? -amount : amount;
}

}  // namespace

std::optional<Millis> parse_seconds(std::string_view text) {
  const auto millis = thousand_times(text, true);
  if (!millis) return std::nullopt;
  return Millis{*millis};
}

std::optional<std::int64_t> parse_thousandths(std::string_view text) {
  return thousand_times(text, false);
}

std::optional<Millis> parse_time(std::string_view text) {
  if (const auto seconds = parse_seconds(text)) return seconds;
  std::string stamp(text);
  constexpr std::size_t kDate = 10;  // "2017-10-09"
  if (stamp.size() > kDate && stamp[kDate] == ' ') {
    stamp[kDate] = 'T';
    stamp += 'Z';
  }
  const Result<Instant> instant = parse_rfc3339(stamp);
  if (!instant.ok()) return std::nullopt;
  return instant->time_since_epoch();
}

std::optional<std::string> scaled_decimal(std::string_view text, std::int64_t times,
                                          std::int64_t over) {
  __extension__ typedef __int128 Wide;
  constexpr std::size_t kDecimals = 9;
  constexpr Wide kBillion = 1'000'000'000;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  std::string decimals(point < text.size() ? text.substr(point + 1) : "");
  constexpr std::size_t kWholeDigits = 15;
  if (whole.size() > kWholeDigits || (whole.empty() && decimals.empty())) return std::nullopt;
  decimals.resize(kDecimals, '0');
  Wide nano = 0;
  for (const std::string_view part : {whole, std::string_view(decimals)}) {
    for (const char digit : part) {
      if (digit < '0' || digit > '9') return std::nullopt;
      nano = nano * 10 + (digit - '0');
    }
  }
  const Wide divisor = over * (kBillion / 1000);
  const Wide thousandths = (nano * times + divisor / 2) / divisor;
  constexpr Wide kMost = Wide{1} << 60;
  if (thousandths > kMost) return std::nullopt;
  const auto value = static_cast<std::int64_t>(thousandths);
  return fmt::format("{}{}.{:03}", negative ? "-" : "", value / 1000, value % 1000);
}

std::string_view Cells::text(std::string_view column) const {
  const auto at = table_.find(column);
  return at && *at < row_.cells.size() ? row_.cells[*at] : std::string_view{};
}

void Cells::fail(std::string_view column, std::string_view problem) {
  if (!problem_.empty()) return;
  problem_ = problem;
  column_ = column;
}

void Cells::expected(std::string_view column, std::string_view what) {
  fail(column, fmt::format("expected {}, found '{}'", what, brief_line(text(column))));
}

std::string Cells::located_problem() const {
  if (!row_.problem.empty()) {
    return fmt::format("{}:{}: {}", table_.file(), row_.line, row_.problem);
  }
  return at_cell(table_.file(), row_.line, table_.as_written(column_), problem_);
}

std::optional<Millis> Cells::time(std::string_view column) {
  if (text(column).empty()) return std::nullopt;
  const auto value = parse_time(text(column));
  if (!value) {
    expected(column, "a time (seconds, 2026-01-31T10:00:00Z or 2026-01-31 10:00:00)");
  }
  return value;
}

std::optional<Millis> Cells::seconds(std::string_view column) {
  if (text(column).empty()) return std::nullopt;
  const auto value = parse_seconds(text(column));
  if (value && *value >= Millis{0}) return value;
  expected(column, "seconds, such as 90 or 0.5");
  return std::nullopt;
}

std::optional<Millis> Cells::millis(std::string_view column) {
  const auto value = whole(column, 0, kMillisMax);
  if (!value) return std::nullopt;
  return Millis{*value};
}

std::optional<std::int64_t> Cells::whole(std::string_view column, std::int64_t least,
                                         std::int64_t most) {
  if (text(column).empty()) return std::nullopt;
  const auto value = parse_whole(text(column));
  if (value && *value >= least && *value <= most) return value;
  expected(column, most >= kAmountMax ? fmt::format("a whole number of at least {}", least)
                                      : fmt::format("a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<std::int64_t> Cells::thousandths(std::string_view column) {
  if (text(column).empty()) return std::nullopt;
  const auto value = parse_thousandths(text(column));
  if (value && *value >= 0 && *value <= kThousandthsMax) return value;
  expected(column, "a number of at least 0 with at most three decimals");
  return std::nullopt;
}

std::optional<std::int64_t> Cells::bytes(std::string_view column) {
  const std::string_view cell = text(column);
  if (cell.empty()) return std::nullopt;
  if (const auto mebibytes = parse_whole(cell)) {
    if (*mebibytes >= 0 && *mebibytes <= kAmountMax / kMiB) return *mebibytes * kMiB;
  } else if (const auto quantity = Quantity::parse(cell); quantity.ok()) {
    if (!quantity->negative() && quantity->units() <= kAmountMax) return quantity->units();
  }
  expected(column, "memory, such as 16Gi, or a whole number of MiB");
  return std::nullopt;
}

std::optional<bool> Cells::truth(std::string_view column) {
  const std::string_view cell = text(column);
  if (cell.empty()) return std::nullopt;
  if (cell == "true" || cell == "1") return true;
  if (cell == "false" || cell == "0") return false;
  expected(column, "true or false");
  return std::nullopt;
}

}  // namespace tutti::trace
