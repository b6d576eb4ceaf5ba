// Text inside HTML: names of objects are whatever their makers wrote.
#pragma once

#include "base/std.h"

namespace tutti::capacity {

// Fit for element content and quoted attributes; control characters are written out.
std::string escaped(std::string_view text);

}  // namespace tutti::capacity
