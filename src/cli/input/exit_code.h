// What the process says to its caller.
#pragma once

#include "base/result.h"
#include "base/std.h"

namespace tutti::cli {

enum class ExitCode : int {
  done = 0,        // a pending group is a result, not a failure
  failed = 1,      // could not do its work: I/O, unreachable, internal
  bad_input = 2,   // usage or input; nothing was changed
  unexpected = 3,  // --expect did not hold
};

// What the caller asked for makes no sense; the message says what would.
inline Error misuse(std::string message) { return {Error::Code::invalid, std::move(message)}; }

inline ExitCode exit_code_for(const Error& error) {
  const bool world = error.code == Error::Code::io || error.code == Error::Code::unavailable;
  return world ? ExitCode::failed : ExitCode::bad_input;
}

}  // namespace tutti::cli
