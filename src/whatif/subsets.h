// Which of some things have to be changed, where whatever works also works with more of them.
#pragma once

#include "base/std.h"

namespace tutti::whatif {

// As few of them as work. Requires that all of them do. The first are left out first, large parts
// before single ones; after `tries` questions whoever is left is the answer, and more than needed.
template <typename Item, typename Works>
std::vector<Item> as_few_as_work(std::vector<Item> items, std::size_t tries, const Works& works) {
  const auto offset = [](std::size_t at) { return static_cast<std::ptrdiff_t>(at); };
  for (std::size_t part = items.size() / 2; part > 0; part /= 2) {
    for (std::size_t at = 0; at + part <= items.size() && part < items.size();) {
      if (tries-- == 0) return items;
      std::vector<Item> fewer = items;
      fewer.erase(fewer.begin() + offset(at), fewer.begin() + offset(at + part));
      if (works(fewer)) {
        items = std::move(fewer);
      } else {
        at += part;
      }
    }
  }
  return items;
}

// Calls `found` with sets that work, right after asking about each. Where there are few, everyone
// who suffices alone; where nobody does, or there are many, one set as small as can be. Nothing
// more is asked when all of them together do not work.
template <typename Item, typename Works, typename Found>
void for_each_sufficient(const std::vector<Item>& items, std::size_t few, std::size_t tries,
                         const Works& works, const Found& found) {
  if (items.empty() || !works(items)) return;
  if (items.size() == 1) return found(items);
  bool alone = false;
  for (std::size_t i = 0; i < items.size() && items.size() <= few; ++i) {
    const std::vector<Item> one = {items[i]};
    if (!works(one)) continue;
    alone = true;
    found(one);
  }
  if (!alone) found(as_few_as_work(items, tries, works));
}

}  // namespace tutti::whatif
