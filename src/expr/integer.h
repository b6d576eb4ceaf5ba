// Base-10 int64 text as label comparisons read it: an optional sign, digits, nothing else.
#pragma once

#include <charconv>

#include "base/std.h"

namespace tutti::expr {

inline std::optional<std::int64_t> parse_int64(std::string_view text) {
  // from_chars knows '-' but not '+'; Kubernetes accepts both.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace tutti::expr
