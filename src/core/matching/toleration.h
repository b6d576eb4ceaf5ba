// Which taints a pod puts up with.
#pragma once

#include "base/std.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::core {

inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";
inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";

// Effect empty or equal, key empty or equal, and the value as the operator says. Lt and Gt compare
// the taint's value with the toleration's as int64; text that is not a plainly written integer
// ("007", "+1", "1e3") does not match.
bool tolerates(const model::Toleration& toleration, const model::Taint& taint);
bool tolerates(std::span<const model::Toleration> tolerations, const model::Taint& taint);

}  // namespace tutti::core
