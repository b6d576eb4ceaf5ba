// Writes a tree as block-style YAML, laid out as kubectl does: two spaces per level, lists not
// indented under their key, quotes only where the text would read back as something else.
#pragma once

#include "base/std.h"
#include "wire/member_order.h"
#include "wire/value.h"

namespace tutti::wire {

// Ends with a line end and has no "---". Reading it back gives an equal tree.
std::string to_yaml(const Value& value, KeyOrder keys = KeyOrder::as_is);

}  // namespace tutti::wire
