// Numbers as text, the way Go prints and reads them.
#pragma once

#include "base/std.h"

namespace tutti::cel {

// The shortest digits that read back equal; with an exponent below 1e-4 and from 1e6 on
// ("123.456", "1e+06"). NaN, +Inf, -Inf.
std::string real_text(double value);
// Writes the digits of real_text(), never with an exponent.
std::string plain_real_text(double value);
// Whole text: decimal with optional sign, fraction and exponent; NaN, Inf, Infinity in any case.
std::optional<double> parse_real(std::string_view text);

}  // namespace tutti::cel
