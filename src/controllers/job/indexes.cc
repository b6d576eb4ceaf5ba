#include "controllers/job/indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace tutti::controllers {
namespace {

std::optional<std::int32_t> parse_index(std::string_view text) {
  std::int32_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stopped != text.data() + text.size() || value < 0) return {};
  return value;
}

void add_range(std::string_view range, std::int32_t end, Indexes& out) {
  const std::size_t dash = range.find('-');
  const auto first = parse_index(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_index(range.substr(dash + 1));
  if (!first || !last) return;
  const std::int32_t highest = std::min(*last, end - 1);
  if (*first <= highest) out.insert(*first, highest);
}

std::size_t length(std::int32_t first, std::int32_t last) {
  return static_cast<std::size_t>(std::int64_t{last} - first + 1);
}

}  // namespace

// Swallows the ranges that touch the new one.
void Indexes::insert(std::int32_t first, std::int32_t last) {
  auto at = ranges_.upper_bound(first);
  if (at != ranges_.begin() && std::int64_t{std::prev(at)->second} + 1 >= first) --at;
  while (at != ranges_.end() && at->first <= std::int64_t{last} + 1) {
    first = std::min(first, at->first);
    last = std::max(last, at->second);
    size_ -= length(at->first, at->second);
    at = ranges_.erase(at);
  }
  ranges_.emplace_hint(at, first, last);
  size_ += length(first, last);
}

void Indexes::insert(const Indexes& others) {
  for (const auto& [first, last] : others.ranges_) insert(first, last);
}

std::int32_t Indexes::first_missing(std::int32_t from) const {
  const auto after = ranges_.upper_bound(from);
  if (after == ranges_.begin()) return from;
  const std::int32_t last = std::prev(after)->second;
  return last < from ? from : last + 1;
}

Indexes parse_indexes(std::string_view text, std::int32_t end) {
  Indexes out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add_range(text.substr(0, comma), end, out);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

std::string format_indexes(const Indexes& indexes) {
  std::string text;
  for (const auto& [first, last] : indexes.ranges()) {
    if (!text.empty()) text += ',';
    text += fmt::to_string(first);
    // Two neighbours need no dash.
    if (last != first) text += fmt::format("{}{}", last == first + 1 ? ',' : '-', last);
  }
  return text;
}

}  // namespace tutti::controllers
