// The arithmetic operators. Overflow and division by zero are faults; so are operands that have no
// such operator.
#pragma once

#include "cel/value/context.h"
#include "cel/value/value.h"

namespace tutti::cel {

Value add(Context& context, const Value& a, const Value& b);  // also joins texts and lists
Value subtract(Context& context, const Value& a, const Value& b);
Value multiply(Context& context, const Value& a, const Value& b);
Value divide(Context& context, const Value& a, const Value& b);
Value modulo(Context& context, const Value& a, const Value& b);
Value negate(Context& context, const Value& a);

}  // namespace tutti::cel
