// Which functions an expression may call.
#pragma once

#include "base/std.h"

namespace tutti::cel {

// Libraries beyond the standard one, which is always there. Their contents are those of cel-go's
// and Kubernetes' libraries of the same names.
enum class Library : std::uint32_t {
  strings = 1U << 0U,
  lists = 1U << 1U,
  sets = 1U << 2U,
  regex = 1U << 3U,
  quantity = 1U << 4U,
  semver = 1U << 5U,
  optional = 1U << 6U,       // optional types with their syntax and macros
  bindings = 1U << 7U,       // cel.bind
  two_variables = 1U << 8U,  // all/exists/existsOne(i, v, …), transformList, transformMap…
  network = 1U << 9U,        // ip, cidr
  includes = 1U << 10U,      // x.includes(y), for list attributes
};
inline constexpr std::uint32_t kAllLibraries = (1U << 11U) - 1;

}  // namespace tutti::cel
