// Slots of a table whose ids are given out again.
#pragma once

#include "base/check.h"
#include "base/std.h"

namespace tutti::core {

// A vacant slot, or a new one at the end of `slots`.
template <typename Slots, typename IdType>
IdType take_slot(Slots& slots, std::vector<IdType>& vacant) {
  if (!vacant.empty()) {
    const IdType id = vacant.back();
    vacant.pop_back();
    TUTTI_CHECK(id.index < slots.size(), "a vacant slot beyond the table");
    return id;
  }
  slots.emplace_back();
  return IdType{static_cast<std::uint32_t>(slots.size() - 1)};
}

}  // namespace tutti::core
