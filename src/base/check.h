// TUTTI_CHECK: for "we were wrong". On in release builds; prints the broken assumption and stops,
// so that a scheduler that lost track of reality never goes on deciding.
#pragma once

#include "base/std.h"

namespace tutti {

[[noreturn]] void check_failed(std::string_view condition, std::string_view file, int line,
                               std::string_view message);

}  // namespace tutti

#define TUTTI_CHECK(condition, ...)                                                         \
  do {                                                                                      \
    if (!(condition)) [[unlikely]] {                                                        \
      ::tutti::check_failed(#condition, __FILE__, __LINE__, std::string_view{__VA_ARGS__}); \
    }                                                                                       \
  } while (false)

// For the place after a switch over every enumerator; the compiler knows that it does not return.
#define TUTTI_UNREACHABLE(message) \
  ::tutti::check_failed("this line unreachable", __FILE__, __LINE__, message)
