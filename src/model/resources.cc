#include "model/resources.h"

#include <algorithm>

namespace tutti::model {

const Quantity* find(const ResourceList& list, std::string_view name) {
  const auto at = std::ranges::lower_bound(
      list, name, {}, [](const auto& entry) -> std::string_view { return entry.first; });
  return at != list.end() && at->first == name ? &at->second : nullptr;
}

}  // namespace tutti::model
