// What filters say about nodes, counted, in the form kubectl users know.
#pragma once

#include "base/std.h"
#include "core/framework/attempt.h"

namespace tutti::core {

// What a message says when the search neither found a placement nor ruled it out.
inline constexpr std::string_view kBudgetEnded = " (the search budget ended before a proof)";

// "0/5 nodes are available: 3 Insufficient cpu, 2 node(s) were unschedulable."
std::string fit_message(const Diagnosis& diagnosis);
// What NodeResourcesFit says of a node that has too little of this: "Insufficient cpu".
std::string shortage_text(std::string_view resource);
// What is said of a pod whose placement could not be written.
std::string binding_failed_text(std::string_view why);

}  // namespace tutti::core
