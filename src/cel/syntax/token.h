// The smallest pieces of an expression.
#pragma once

#include "base/std.h"

namespace tutti::cel {

enum class TokenKind : std::uint8_t {
  end,
  identifier,
  quoted_identifier,  // `content-type`, the text without the quotes
  integer,
  unsigned_integer,  // without the u
  real,
  string,  // the whole literal with prefix and quotes
  bytes,
  punctuation,  // operators and brackets; the text says which
  keyword,      // true, false, null, in
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t offset = 0;
  std::string_view text;

  bool is(std::string_view punctuation_or_keyword) const {
    return (kind == TokenKind::punctuation || kind == TokenKind::keyword) &&
           text == punctuation_or_keyword;
  }
};

}  // namespace tutti::cel
