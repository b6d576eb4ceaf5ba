// A plan for people, and as a document.
#pragma once

#include <ostream>

#include "base/std.h"
#include "session/plan.h"
#include "terminal/layout.h"

namespace tutti::cli {

// A line for each answer; pods about which the same is said share one, unless every pod is wanted:
// then places are listed pod by pod, too.
std::string plan_text(const session::Plan& plan, bool every_pod, const terminal::Layout& layout);
void write_plan(const session::Plan& plan, session::Format format, std::ostream& out);

}  // namespace tutti::cli
