// What evicting others would do for a waiting pod or group, in words.
#pragma once

#include "base/std.h"
#include "core/victims/preemption_report.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

// Empty when there is nobody it could concern.
Preemption describe(const core::PreemptionReport& report);

// What units have in common that are refused for this reason: "of the same priority".
std::string_view refused_units(std::string_view reason);

// "32 GPU hours", "12.5 device minutes and 3 core hours".
std::string lost_text(const core::LostWork& lost);

}  // namespace tutti::explain
