#include "controllers/job/indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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
  for (std::int32_t index = *first; index <= *last && index < end; ++index) out.insert(index);
}

}  // namespace

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
  for (auto at = indexes.begin(); at != indexes.end();) {
    const std::int32_t first = *at;
    std::int32_t last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) last = *at;
    if (!text.empty()) text += ',';
    text += fmt::to_string(first);
    // Two neighbours need no dash.
    if (last != first) text += fmt::format("{}{}", last == first + 1 ? ',' : '-', last);
  }
  return text;
}

}  // namespace tutti::controllers
