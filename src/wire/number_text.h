// The text of numbers: what JSON calls one, and whether a double can hold it.
#pragma once

#include "base/std.h"

namespace tutti::wire {

// Whether `text` is exactly one number of JSON's grammar.
bool is_json_number(std::string_view text);

// The integer that `literal` denotes, if it is written as one (no point, no exponent) and fits.
std::optional<std::int64_t> integer_of(std::string_view literal);

// The nearest double; empty when the magnitude is too large for one, or the exponent has more than
// eight digits. Too small becomes zero.
// Requires is_json_number(literal).
std::optional<double> double_of(std::string_view literal);

}  // namespace tutti::wire
