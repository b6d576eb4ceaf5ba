// Writes a tree as JSON text.
#pragma once

#include "base/std.h"
#include "wire/member_order.h"
#include "wire/value.h"

namespace tutti::wire {

struct JsonStyle {
  std::size_t indent = 0;  // spaces per level; 0 writes everything on one line without spaces
  KeyOrder keys = KeyOrder::as_is;
};

// How kubectl prints with -o json, but for the end of line.
inline constexpr JsonStyle kKubectlJson{.indent = 4, .keys = KeyOrder::sorted};

// Without a line end after the last bracket. Reading it back gives an equal tree.
std::string to_json(const Value& value, JsonStyle style = {});

// Appends `text` in quotes, with escapes only where JSON requires them.
void append_json_string(std::string& out, std::string_view text);

}  // namespace tutti::wire
