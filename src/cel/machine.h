// Runs code.
#pragma once

#include "base/std.h"
#include "cel/code.h"
#include "cel/value/containers.h"
#include "cel/value/context.h"
#include "cel/value/value.h"

namespace tutti::cel {

// A macro at work. The accumulator is what loop_end pushes, except where a builder makes it.
struct LoopState {
  Value range;
  std::size_t size = 0;
  std::size_t next = 0;
  Value result;  // or the fault that ended the loop
  std::size_t count = 0;
  ListBuilder list;
  MapBuilder map;
};

// Kept between runs, so that it need not be made anew.
struct MachineMemory {
  std::vector<Value> stack;
  std::vector<Value> locals;
  std::vector<LoopState> loops;

  void prepare(const Code& code);
};

// The value of the instructions [begin, end), perhaps a fault. When the context is stopped by a
// limit, that limit's fault.
Value run(const Code& code, std::span<const Value> activation, Context& context,
          MachineMemory& memory, std::size_t begin, std::size_t end);

}  // namespace tutti::cel
