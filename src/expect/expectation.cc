#include "expect/expectation.h"

#include <fmt/format.h>

#include <charconv>

namespace tutti::expect {

bool Count::accepts(std::int64_t actual) const {
  switch (relation) {
    case Relation::equal:
      return actual == value;
    case Relation::at_least:
      return actual >= value;
    case Relation::at_most:
      return actual <= value;
  }
  return false;
}

std::string Count::text() const {
  switch (relation) {
    case Relation::equal:
      break;
    case Relation::at_least:
      return fmt::format("at least {}", value);
    case Relation::at_most:
      return fmt::format("at most {}", value);
  }
  return fmt::to_string(value);
}

std::string QueuePriority::text() const { return fmt::format("{}:{}", queue, priority); }

std::optional<QueuePriority> parse_queue_priority(std::string_view text) {
  const std::size_t colon = text.find(':');
  QueuePriority out{.queue = std::string(text.substr(0, colon))};
  if (out.queue.empty()) return std::nullopt;
  if (colon == std::string_view::npos) return out;
  const std::string_view digits = text.substr(colon + 1);
  const char* const last = digits.data() + digits.size();
  const auto [end, problem] = std::from_chars(digits.data(), last, out.priority);
  if (problem != std::errc{} || end != last) return std::nullopt;
  return out;
}

}  // namespace tutti::expect
