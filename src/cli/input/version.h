// Which Tutti this is.
#pragma once

#include <string>

namespace tutti::cli {

std::string version();

}  // namespace tutti::cli
