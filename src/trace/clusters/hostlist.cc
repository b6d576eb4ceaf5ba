#include "trace/clusters/hostlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tutti::trace {
namespace {

constexpr std::size_t kHostsMax = 1'000'000;

// The parts between commas that are in no brackets; nothing if brackets do not match.
std::optional<std::vector<std::string_view>> split_outside(std::string_view list) {
  std::vector<std::string_view> parts;
  bool inside = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') {
      if (inside) return std::nullopt;
      inside = true;
    } else if (i < list.size() && list[i] == ']') {
      if (!inside) return std::nullopt;
      inside = false;
    } else if (i == list.size() || (list[i] == ',' && !inside)) {
      if (i > begin) parts.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (inside) return std::nullopt;
  return parts;
}

std::optional<std::size_t> number_in(std::string_view text) {
  constexpr std::size_t kDigitsMax = 9;
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, value);
  if (text.empty() || text.size() > kDigitsMax || problem != std::errc{} || last != end) {
    return std::nullopt;
  }
  return value;
}

// "01-03": as wide as its first number is written.
bool add_range(std::string_view range, std::vector<std::string>& into) {
  const std::size_t dash = std::min(range.find('-'), range.size());
  const std::string_view first = range.substr(0, dash);
  const auto from = number_in(first);
  const auto to = dash == range.size() ? from : number_in(range.substr(dash + 1));
  if (!from || !to || *to < *from || *to - *from + into.size() >= kHostsMax) return false;
  for (std::size_t i = *from; i <= *to; ++i) {
    into.push_back(fmt::format("{:0{}}", i, first.size()));
  }
  return true;
}

bool add_hosts(std::string_view pattern, std::vector<std::string>& into) {
  std::vector<std::string> made = {""};
  while (!pattern.empty()) {
    const std::size_t opens = std::min(pattern.find('['), pattern.size());
    for (std::string& host : made) host += pattern.substr(0, opens);
    pattern.remove_prefix(opens);
    if (pattern.empty()) break;
    const std::size_t closes = pattern.find(']');
    std::vector<std::string> numbers;
    for (std::string_view rest = pattern.substr(1, closes - 1); !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      if (!add_range(rest.substr(0, end), numbers)) return false;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    pattern.remove_prefix(closes + 1);
    if (numbers.empty() || made.size() > kHostsMax / numbers.size()) return false;
    std::vector<std::string> product;
    for (const std::string& host : made) {
      for (const std::string& number : numbers) product.push_back(host + number);
    }
    made = std::move(product);
  }
  if (into.size() + made.size() > kHostsMax) return false;
  std::ranges::move(made, std::back_inserter(into));
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> expand_hosts(std::string_view list) {
  const auto parts = split_outside(list);
  if (!parts || parts->empty()) return std::nullopt;
  std::vector<std::string> hosts;
  for (const std::string_view part : *parts) {
    if (!add_hosts(part, hosts)) return std::nullopt;
  }
  return hosts;
}

}  // namespace tutti::trace
