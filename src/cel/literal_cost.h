// What it costs to make a list or a map, told before a run (cost.h) and charged in it (machine.h).
#pragma once

#include "base/std.h"

namespace tutti::cel {

inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;

}  // namespace tutti::cel
