// A plan for people, and as a document.
#pragma once

#include <ostream>

#include "base/std.h"
#include "session/plan.h"
#include "terminal/layout.h"

namespace tutti::cli {

std::string plan_text(const session::Plan& plan, const terminal::Layout& layout);
void write_plan(const session::Plan& plan, session::Format format, std::ostream& out);

}  // namespace tutti::cli
