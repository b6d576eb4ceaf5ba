// Tokens to a tree, macros included.
#pragma once

#include <variant>

#include "base/std.h"
#include "cel/syntax/ast.h"
#include "cel/value/fault.h"

namespace tutti::cel {

struct SyntaxOptions {
  std::size_t bytes_max = 10 * 1024;
  std::size_t nesting_max = 250;  // of brackets, operators and conditions within each other
  bool optional_syntax = true;    // a.?b, m[?k], [?x], optMap, optFlatMap
  bool bind = true;               // cel.bind
  bool two_variables = true;
  bool sort_by = true;  // list.sortBy(v, key)
};

std::variant<Ast, SourceFault> parse(std::string_view source, const SyntaxOptions& options);

}  // namespace tutti::cel
