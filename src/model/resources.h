// Named amounts: requests, limits, capacity, allocatable.
#pragma once

#include "base/quantity.h"
#include "base/std.h"

namespace tutti::model {

// Sorted by name, names unique.
using ResourceList = std::vector<std::pair<std::string, Quantity>>;
const Quantity* find(const ResourceList& list, std::string_view name);

}  // namespace tutti::model
