// Comparison: what another configuration would have made of the same input.
#pragma once

#include "base/std.h"
#include "expect/check.h"
#include "terminal/layout.h"

namespace tutti::cli {

// Workloads and lone pods that stand otherwise, and totals. The names are those of the
// configurations.
std::string comparison_text(const expect::Scene& before, const expect::Scene& after,
                            std::string_view before_name, std::string_view after_name,
                            const terminal::Layout& layout);

}  // namespace tutti::cli
