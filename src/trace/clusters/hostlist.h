// Slurm's lists of hosts.
#pragma once

#include "base/std.h"

namespace tutti::trace {

// "n[01-03,07],gpu5" is n01 n02 n03 n07 gpu5; several brackets in one name are their product.
// Nothing if it is no such list, or one of more than a million names.
std::optional<std::vector<std::string>> expand_hosts(std::string_view list);

}  // namespace tutti::trace
