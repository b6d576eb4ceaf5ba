// Selection, indexing and membership.
#pragma once

#include "cel/value/context.h"
#include "cel/value/value.h"

namespace tutti::cel {

// operand.key; of an optional, what that would give, in an optional.
Value select_field(Context& context, const Value& operand, const Value& key);
// operand.?key
Value select_optional_field(Context& context, const Value& operand, const Value& key);
// has(operand.key)
Value has_field(Context& context, const Value& operand, const Value& key);
// operand[index]
Value index_value(Context& context, const Value& operand, const Value& index);
// operand[?index]
Value index_optional_value(Context& context, const Value& operand, const Value& index);
// element in container
Value is_in(Context& context, const Value& element, const Value& container);

}  // namespace tutti::cel
