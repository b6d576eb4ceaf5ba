// A compiled expression: instructions for a stack machine, with everything they point to.
//
//   a.b == 1 && f(x)        load a; select b; push 1; equal; jump_if_false END; load x; call f; and
//                           END:
//   r.all(v, p)             r; loop_begin END; NEXT: loop_next EXIT; p; step_all EXIT; jump NEXT
//                           EXIT: loop_end; END:
//
// Every expression leaves exactly one value on the stack. A fault is a value like others: strict
// instructions pass the first one on, logical ones absorb it.
#pragma once

#include <deque>

#include "base/std.h"
#include "cel/functions/regex.h"
#include "cel/functions/table.h"
#include "cel/syntax/ast.h"
#include "cel/value/context.h"
#include "cel/value/type.h"
#include "cel/value/value.h"

namespace tutti::cel {

// What an instruction does with its operands a, b, c and with the values on top of the stack.
enum class Op : std::uint8_t {
  push,         // a: constant
  variable,     // a
  local,        // a: slot
  store_local,  // a: slot; takes the top
  raise,        // a: constant, the message
  select,       // a: constant, the key
  select_optional,
  has,  // a: constant, the key
  index,
  index_optional,
  jump,           // a: target
  jump_if_false,  // a: target; keeps the top
  jump_if_true,
  branch,       // a: target if false, b: target if neither true nor false; takes the top
  logical_and,  // of the two on top
  logical_or,
  logical_not,
  negate,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  in,
  list,        // a: count; flags in b: index of the optional marks + 1, or 0
  map,         // a: count of pairs; b as above
  call,        // a: group, b: argument count
  matches,     // a: regex
  loop_begin,  // a: loop, b: END; takes the range
  loop_next,   // a: loop, b: EXIT, c: slot of the variables
  loop_test,   // a: loop, b: NEXT, c: EXIT; takes the filter's answer
  step_all,    // a: loop, b: EXIT; takes the body's value
  step_exists,
  step_one,
  step_append,
  step_put,  // c: slot of the key
  step_merge,
  loop_end,       // a: loop; pushes the result
  optional_open,  // a: slot, b: END; takes an optional: binds what it holds, or none is the result
  optional_wrap,
  optional_or,        // a: END; keeps an optional that holds something, else takes it
  optional_or_value,  // a: END
  optional_check,     // the top must be an optional
};

struct Instruction {
  Op op;
  bool two_variables = false;  // of loop_next
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t offset = 0;  // in the expression
};

// Everything an evaluation needs; never written to after generation.
struct Code {
  std::deque<std::string> texts;  // the first is the source
  std::vector<Instruction> instructions;
  std::vector<Value> constants;
  std::vector<const FunctionGroup*> groups;
  std::vector<Regex> regexes;
  std::vector<std::vector<bool>> marks;  // which elements of a literal are optional
  std::vector<LoopKind> loops;           // nested ones differ, others may share
  std::size_t slot_count = 0;
  std::size_t stack_max = 0;
  std::uint32_t libraries = 0;
  Type result = Type::dyn();
  std::uint64_t worst_cost = 0;
  Storage folded;  // what constants computed in advance point to
};

}  // namespace tutti::cel
