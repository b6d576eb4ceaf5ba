// Where a command reads and writes. main hands in the process's own; tests hand in strings.
#pragma once

#include <istream>
#include <ostream>

#include "terminal/layout.h"
#include "terminal/progress.h"

namespace tutti::terminal {

struct Streams {
  std::istream& in;
  std::ostream& out;         // data
  std::ostream& err;         // everything else
  Layout layout = {};        // of `out`
  Stopwatch stopwatch = {};  // set iff `err` is a terminal, which then shows progress
};

}  // namespace tutti::terminal
