// Changing sorted labels and annotations.
#pragma once

#include <algorithm>

#include "base/std.h"
#include "model/object.h"

namespace tutti::controllers {

inline void set_label(model::Labels& labels, std::string_view key, std::string value) {
  auto& list = labels.edit();
  const auto at = std::ranges::lower_bound(
      list, key, {}, [](const auto& label) -> std::string_view { return label.first; });
  if (at != list.end() && at->first == key) {
    at->second = std::move(value);
  } else {
    list.emplace(at, std::string(key), std::move(value));
  }
}

}  // namespace tutti::controllers
