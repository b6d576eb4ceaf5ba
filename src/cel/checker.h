// Names and types: what every name of the tree refers to, and whether the pieces fit.
#pragma once

#include <variant>

#include "base/std.h"
#include "cel/cel.h"
#include "cel/functions/table.h"
#include "cel/syntax/ast.h"
#include "cel/value/fault.h"
#include "cel/value/type.h"

namespace tutti::cel {

// What a name or call turned out to be.
struct Meaning {
  enum class Kind : std::uint8_t {
    itself,      // a selection, an operator, anything that is not a name
    variable,    // index: of the environment
    local,       // index: the slot of a macro's variable
    type_name,   // text
    function,    // group; a receiver is an argument
    namespaced,  // group; the receiver only named where it is: strings.quote(x)
    missing,     // text: what to say when it is evaluated, if types are not checked
  };
  Kind kind = Kind::itself;
  std::uint32_t index = 0;
  const FunctionGroup* group = nullptr;
  std::string text;
};

struct Checked {
  std::vector<Meaning> meanings;     // per node
  std::vector<std::uint32_t> slots;  // per loop, bind or optional_map: of its (first) variable
  std::vector<Type> types;           // per node
  std::size_t slot_count = 0;
  Type result = Type::dyn();
  std::uint64_t worst_cost = 0;  // if somebody asked
};

std::variant<Checked, SourceFault> check(const Ast& ast, const Environment& environment);

}  // namespace tutti::cel
