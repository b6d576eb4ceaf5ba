// Ways as commands that can be pasted into a shell.
#pragma once

#include "base/std.h"
#include "explain/verdict/way.h"

namespace tutti::explain {

// One line each, in the order in which they are to be run; none where no command does it: waiting,
// or changes of more objects than a person pastes commands for.
std::vector<std::string> commands_of(const Way& way);

}  // namespace tutti::explain
