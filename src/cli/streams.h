// Where a command reads and writes. main hands in the process's own; tests hand in strings.
#pragma once

#include <istream>
#include <ostream>

namespace tutti::cli {

struct Streams {
  std::istream& in;
  std::ostream& out;    // data
  std::ostream& err;    // everything else
  bool colour = false;  // of `out`: it is a terminal and nobody said NO_COLOR
};

}  // namespace tutti::cli
