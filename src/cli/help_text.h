// The help of a command as it is printed: within the width of the terminal.
#pragma once

#include "base/std.h"

namespace tutti::cli {

// Descriptions go on below where they began, prose at its margin, and what an example shows stands
// below the example where both are too wide. Blank lines stand alone. 0 columns: as for a usual
// terminal.
std::string help_text(std::string_view page, std::size_t columns);

}  // namespace tutti::cli
