// Annotations of pods and groups that say what an eviction would cost them.
#pragma once

#include "base/std.h"

namespace tutti::core {

inline constexpr std::string_view kCheckpointedAt = "tutti.dev/checkpointed-at";
inline constexpr std::string_view kRestartCost = "tutti.dev/restart-cost";
inline constexpr std::string_view kCheckpointGrace = "tutti.dev/checkpoint-grace";
inline constexpr std::string_view kMinRuntime = "tutti.dev/min-runtime";
inline constexpr std::string_view kRunsForAnnotation = "tutti.dev/runs-for";
inline constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

}  // namespace tutti::core
