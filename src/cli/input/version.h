// Which Tutti this is.
#pragma once

#include "base/std.h"

namespace tutti::cli {

std::string version();

}  // namespace tutti::cli
