// What text for people is laid out for.
#pragma once

#include "base/std.h"

namespace tutti::terminal {

struct Layout {
  bool colour = false;      // the output is a terminal that knows colours, and nobody said NO_COLOR
  std::size_t columns = 0;  // of the terminal, or COLUMNS; 0: as wide as it gets
};

// Characters of UTF-8 text: bytes that do not continue one.
std::size_t width_of(std::string_view text);

// The text in lines of at most `columns` characters, broken at spaces, each behind `indent` spaces
// and ended by a line feed. A word that is longer stands alone. 0 columns: one line.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

// Lines of prose, broken at spaces to fit: what does not fit goes on below where the text of the
// line began, behind its label ("summary  …"), list mark ("  - …") or indent. Lines indented by six
// or more are left whole: they are commands to paste. 0 columns: the page as it is.
std::string folded(std::string_view page, std::size_t columns);

// The text in at most `width` characters: what is cut out of its middle becomes "…".
std::string elided(std::string_view text, std::size_t width);

}  // namespace tutti::terminal
