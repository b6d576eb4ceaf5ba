// What every page looks like and the little it does. Both stand in the page itself: it is one file
// that opens anywhere and asks nothing of a network.
#pragma once

#include "base/std.h"

namespace tutti::capacity {

// The style sheet, for light and for dark screens.
extern const std::string_view kStyle;
// The script: lights up a holder's devices on the map, and filters the queue. The page says the
// same without it.
extern const std::string_view kScript;

}  // namespace tutti::capacity
