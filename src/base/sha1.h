// SHA-1, for names that other programs make of it. No defence against anybody.
#pragma once

#include "base/std.h"

namespace tutti {

// Forty lower-case hexadecimal digits.
std::string sha1_hex(std::string_view text);

}  // namespace tutti
