// What goes wrong with an expression: before it runs (SourceFault) and while it runs (Fault).
#pragma once

#include "base/std.h"

namespace tutti::cel {

// A place in an expression. Lines and columns count from 1, columns in characters.
struct Position {
  std::uint32_t offset = 0;  // bytes
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// The position of byte `offset` of `source`.
Position position_of(std::string_view source, std::size_t offset);

// The line of `source` that holds the position, and under it a caret: two lines for people.
std::string marked_line(std::string_view source, const Position& at);

struct SourceFault {
  enum class Code : std::uint8_t { syntax, type, literal, limit };
  Code code = Code::syntax;
  Position at;
  std::string message;

  // "line 1, column 7: undeclared reference to 'devcie'"
  std::string text() const;
};

// Lives in the scratch memory of the evaluation that met it.
struct Fault {
  enum class Code : std::uint8_t {
    failed,        // no such key, no such overload, overflow, …
    unbound,       // the activation has no value for a variable
    cost_limit,    // Budget::cost_max
    memory_limit,  // Budget::memory_max
  };
  Code code = Code::failed;
  Position at;
  std::string_view message;

  // "no such key: model (line 1, column 30)"
  std::string text() const;
};

}  // namespace tutti::cel
