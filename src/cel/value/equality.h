// Equality and order of values.
#pragma once

#include <compare>

#include "base/std.h"
#include "cel/value/context.h"
#include "cel/value/value.h"

namespace tutti::cel {

// Numbers compare by value whatever their type, NaN equals nothing, and values of different kinds
// are not equal. Deep comparison costs one per element; when that is too much the context is
// stopped and the answer means nothing.
bool equal(Context& context, const Value& a, const Value& b);

// Nothing when the two have no order; unordered when one is NaN.
std::optional<std::partial_ordering> compare(const Value& a, const Value& b);

}  // namespace tutti::cel
