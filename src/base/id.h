// Id: a dense id. Each kind of id names a slot of one table and cannot be mixed with another's.
#pragma once

#include <compare>
#include <functional>

#include "base/std.h"

namespace tutti {

// The index of nothing.
inline constexpr std::uint32_t kNoIndex = 0xffffffffU;

// `Tag` is a type that nobody defines: it only tells ids of different tables apart.
template <typename Tag>
struct Id {
  std::uint32_t index = kNoIndex;
  constexpr bool valid() const { return index != kNoIndex; }
  auto operator<=>(const Id&) const = default;
};

}  // namespace tutti

template <typename Tag>
struct std::hash<tutti::Id<Tag>> {
  std::size_t operator()(tutti::Id<Tag> id) const noexcept { return id.index; }
};
