// What the text of a literal stands for.
#pragma once

#include "base/result.h"
#include "base/std.h"

namespace tutti::cel {

// `literal` with its prefix (r, b) and quotes. Escapes of a string stand for code points, those of
// bytes for bytes; raw literals have none. The result of a string is UTF-8.
Result<std::string> unquoted(std::string_view literal);

}  // namespace tutti::cel
