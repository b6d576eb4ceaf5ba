// The report as one HTML page that needs nothing beside it: a map of the nodes coloured by who
// holds what, devices, what still fits, and the queue with reasons.
#pragma once

#include "base/std.h"
#include "capacity/page/map.h"
#include "capacity/report.h"

namespace tutti::capacity {

std::string page(const Report& report, const Map& map);

// The pictures, for page() only.
std::string map_section(const Map& map);

// Holders that have a colour of their own; the others share one.
inline constexpr std::size_t kColours = 20;

}  // namespace tutti::capacity
