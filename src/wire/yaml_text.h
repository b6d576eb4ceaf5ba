// How a string is spelled in YAML: bare, quoted, or as a literal block.
#pragma once

#include "base/std.h"

namespace tutti::wire {

// Appends `text` on one line, bare if that reads back as this very string, else quoted.
void append_yaml_string(std::string& out, std::string_view text);

// Whether `text` has several lines and a literal block can hold it exactly.
bool fits_literal_block(std::string_view text);

// Appends "|" and the lines, each after `indent` spaces, of which `step` are more than the
// parent's. Ends with a line end. Requires fits_literal_block(text).
void append_literal_block(std::string& out, std::string_view text, std::size_t indent,
                          std::size_t step);

}  // namespace tutti::wire
