// Text as it appears inside one line of a log, whatever it contains.
#pragma once

#include "base/std.h"

namespace tutti::telemetry {

// Appends `text` as the inside of a JSON string: quotes and backslashes escaped, and every
// character that ends a line or moves a terminal (C0, DEL, C1, the Unicode line separators) written
// as \n, \t, \r or \u00XX. What is not UTF-8 becomes U+FFFD.
void append_escaped(std::string& out, std::string_view text);

// Appends what append_escaped() would, in quotes.
void append_quoted(std::string& out, std::string_view text);

// Whether append_escaped would change the text.
bool needs_escapes(std::string_view text);

}  // namespace tutti::telemetry
