// Text from outside, made fit to show to people.
#pragma once

#include "base/std.h"

namespace tutti {

// The text with control characters written out (\n, \t, \x1b, \u009b): it stays on its line and
// moves no terminal.
std::string printable(std::string_view text);
// Does what printable() does, except that lines still end: for messages of several lines.
std::string printable_lines(std::string_view text);

// The text inside HTML or XML, as content or as a quoted attribute. Names of objects are whatever
// their makers wrote; control characters are written out.
std::string markup_text(std::string_view text);

// How C and YAML spell a control character that has a letter: \n, \r, \t. Empty: it has none.
std::string_view letter_escape(std::uint32_t character);

// The longest beginning of at most so many bytes that ends between UTF-8 characters.
std::string_view beginning(std::string_view text, std::size_t bytes_max);

// At most about `bytes_max` bytes of the text, "… (10485760 bytes)" in place of the rest. Cuts
// between UTF-8 characters.
std::string shortened(std::string_view text, std::size_t bytes_max);

// Both, for what a message says of input, which may be of any length and hold anything.
std::string brief_line(std::string_view text);

// One problem per line, the first twenty of them and how many more there are.
std::string problem_list(std::span<const std::string> problems);

// The one of `known` that a person most likely meant by `word`: the first at the least number of
// single-letter edits, at most two. Empty when none is that near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known);

// Whether people count `a` before `b`: numbers in names by their value, r2 before r10.
bool comes_before(std::string_view a, std::string_view b);

}  // namespace tutti
