// What an unquoted YAML scalar means, by YAML 1.1 as kubectl reads it: `yes`, `off` and `y` are
// booleans, `0x1F`, `017`, `0b11` and `1_000` integers, dates are strings.
//
// The reader asks to know the value, the writer to know which strings need quotes.
#pragma once

#include "base/std.h"

namespace tutti::wire {

struct PlainScalar {
  enum class Kind : std::uint8_t { null, boolean, integer, number, not_finite, string };
  Kind kind = Kind::string;
  bool boolean = false;
  std::int64_t integer = 0;
  std::string number = {};  // a JSON number literal, for what is no int64
};

PlainScalar resolve_plain(std::string_view text);

}  // namespace tutti::wire
