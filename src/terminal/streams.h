// Where a command reads and writes. main hands in the process's own; tests hand in strings.
#pragma once

#include <functional>
#include <istream>
#include <ostream>

#include "terminal/layout.h"
#include "terminal/progress.h"

namespace tutti::terminal {

// Ctrl-C, for commands that have something to show of what they did until then.
struct Interrupts {
  std::function<void()> listen;  // from now on the first one does not end the process
  std::function<bool()> came;
};

struct Streams {
  std::istream& in;
  std::ostream& out;           // data
  std::ostream& err;           // everything else
  Layout layout = {};          // of `out`
  Stopwatch stopwatch = {};    // set iff `err` is a terminal, which then shows progress
  Interrupts interrupts = {};  // empty: there are none
};

}  // namespace tutti::terminal
