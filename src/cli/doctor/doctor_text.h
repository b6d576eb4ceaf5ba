// What `tutti doctor` found, for people.
#pragma once

#include "base/std.h"
#include "doctor/finding.h"
#include "terminal/layout.h"

namespace tutti::cli {

// A line for every finding with its object, below it what is wrong and what cures it; then how many
// there are.
std::string doctor_text(std::span<const doctor::Finding> findings, const terminal::Layout& layout);

}  // namespace tutti::cli
