// What evicting others would do for a waiting pod or group, in words.
#pragma once

#include <cstdint>
#include <string>

#include "core/preemption_report.h"
#include "explain/verdict.h"

namespace tutti::explain {

// Empty when there is nobody it could concern.
Preemption describe(const core::PreemptionReport& report);

// "12.5 device seconds".
std::string cost_text(std::int64_t cost);

}  // namespace tutti::explain
