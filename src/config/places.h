// Places: the placements that people name in a word, as profiles of the scheduler. Literature
// compares them; `tutti simulate` takes them by these names.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"

namespace tutti::config {

// "default", "first-fit", "best-fit" …
std::span<const std::string_view> place_names();
// Whether its scores look at single GPUs, so that these must be counted in thousandths. This and
// what follows require a name of a place.
bool looks_at_devices(std::string_view place);
bool expects_typical_pods(std::string_view place);

// What a placement may need to know.
struct PlaceContext {
  std::uint64_t seed = 0;  // of what it draws
  std::vector<core::TypicalPod> typical_pods;
  std::int64_t all_pods = 0;  // that the typical ones were chosen from
};
core::ProfileConfig place_profile(std::string_view place, bool preempts, PlaceContext context);

}  // namespace tutti::config
