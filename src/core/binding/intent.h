// Intents: what a successor must know about gangs in the middle of being bound.
//
// A gang is bound pod by pod. If the scheduler dies between two of these calls, its successor finds
// some members on nodes and cannot tell whether we left them there, or whether the gang was whole
// once and lost the others. So before the first member of an incomplete gang is bound, its PodGroup
// gets the condition tutti.dev/Binding=True, and False again when the gang is complete or holds
// nothing. A successor first tries to complete gangs whose condition is True, and takes back the
// members bound since then where that is impossible.
#pragma once

#include "base/std.h"
#include "base/time.h"

namespace tutti::core {

inline constexpr std::string_view kBindingCondition = "tutti.dev/Binding";

// Reason of the DisruptionTarget condition of members that are taken back.
inline constexpr std::string_view kIncompleteReason = "IncompleteGang";

// The condition's time is the scheduler's, the time at which a pod was bound the API server's.
// Members bound this little before the intent count as bound after it.
inline constexpr Millis kClockTolerance = std::chrono::seconds(5);

}  // namespace tutti::core
