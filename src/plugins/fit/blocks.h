// Walking node columns block by block, leaving out blocks that hold no node of interest.
#pragma once

#include <algorithm>

#include "base/bitset.h"
#include "base/std.h"
#include "plugins/fit/column_math.h"

namespace tutti::plugins {

// Calls fn(begin, count) for every block of kBlock slots with at least one member of `nodes`.
template <typename Fn>
void for_each_block(const Bitset& nodes, Fn&& fn) {
  constexpr std::size_t kWords = kBlock / Bitset::kWordBits;
  const auto words = nodes.words();
  for (std::size_t begin = 0; begin < nodes.size(); begin += kBlock) {
    const std::size_t first = begin / Bitset::kWordBits;
    const auto block = words.subspan(first, std::min(kWords, words.size() - first));
    if (std::ranges::all_of(block, [](Bitset::Word word) { return word == 0; })) continue;
    fn(begin, std::min(kBlock, nodes.size() - begin));
  }
}

}  // namespace tutti::plugins
