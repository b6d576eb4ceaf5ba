// How deep a tree of groups may be, of templates and of objects alike.
#pragma once

#include "base/std.h"

namespace tutti::admission {

// Counting the PodGroup at the bottom.
inline constexpr std::size_t kGroupLevelsMax = 4;
inline constexpr std::size_t kCompositeLevelsMax = kGroupLevelsMax - 1;

}  // namespace tutti::admission
