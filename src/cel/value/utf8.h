// UTF-8 as CEL strings need it: counted and cut by code point.
#pragma once

#include "base/std.h"

namespace tutti::cel {

// Whether the text is well-formed: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

// Requires well-formed text, as does everything below.
std::size_t code_point_count(std::string_view text);

// The byte at which code point `index` begins; text.size() if there are fewer.
std::size_t code_point_offset(std::string_view text, std::size_t index);

// Takes the first code point off a text that is not empty.
std::uint32_t take_code_point(std::string_view& text);

// Whether the number is a code point that UTF-8 may encode.
bool is_code_point(std::uint32_t code);
void append_code_point(std::string& text, std::uint32_t code);

// Unicode's White_Space property.
bool is_white_space(std::uint32_t code);

}  // namespace tutti::cel
