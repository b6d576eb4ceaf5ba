// Text to tokens.
#pragma once

#include "base/std.h"
#include "cel/syntax/token.h"
#include "cel/value/fault.h"

namespace tutti::cel {

// Appends the tokens of `source`, the last one being `end`; or says what is not a token and where.
// The tokens are views of the source.
std::optional<SourceFault> read_tokens(std::string_view source, std::vector<Token>& tokens);

}  // namespace tutti::cel
