#include "cli/input/version.h"

namespace tutti::cli {

std::string version() { return TUTTI_VERSION; }

}  // namespace tutti::cli
