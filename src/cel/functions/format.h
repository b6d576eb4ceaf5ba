// "%s has %d".format([name, count])
#pragma once

#include "base/std.h"
#include "cel/value/context.h"
#include "cel/value/value.h"

namespace tutti::cel {

// Clauses: %s %d %f %e %b %o %x %X %%, with a precision for %f and %e ("%.3f").
Value format_text(Context& context, std::string_view format, const List& arguments);

}  // namespace tutti::cel
