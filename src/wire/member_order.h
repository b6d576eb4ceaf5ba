// The order in which the writers write an object's members.
#pragma once

#include <algorithm>

#include "base/std.h"
#include "wire/value.h"

namespace tutti::wire {

enum class KeyOrder {
  as_is,
  sorted,  // by byte, as kubectl prints
};

// Requires an object.
inline std::vector<const Member*> ordered_members(const Value& object, KeyOrder order) {
  std::vector<const Member*> members;
  members.reserve(object.members().size());
  for (const Member& member : object.members()) members.push_back(&member);
  if (order == KeyOrder::sorted) {
    std::ranges::sort(members, {}, [](const Member* member) { return member->key; });
  }
  return members;
}

}  // namespace tutti::wire
