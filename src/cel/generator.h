// A checked tree to code. What does not depend on variables is computed here, once.
#pragma once

#include <variant>

#include "base/std.h"
#include "cel/cel.h"
#include "cel/checker.h"
#include "cel/code.h"

namespace tutti::cel {

// Takes the tree's texts over. Faults are those of literals: a constant that is no timestamp,
// duration or regular expression where one is wanted.
std::variant<std::shared_ptr<const Code>, SourceFault> generate(Ast ast, Checked checked,
                                                                const Environment& environment);

}  // namespace tutti::cel
