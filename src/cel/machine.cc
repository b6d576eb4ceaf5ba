#include "cel/machine.h"

#include <algorithm>
#include <array>

#include "cel/access.h"
#include "cel/functions/arithmetic.h"
#include "cel/literal_cost.h"
#include "cel/value/equality.h"

namespace tutti::cel {
namespace {

class Machine {
 public:
  Machine(const Code& code, std::span<const Value> activation, Context& context,
          MachineMemory& memory)
      : code_(&code), activation_(activation), context_(&context), memory_(&memory) {}

  Value run(std::size_t begin, std::size_t end) {
    const Instruction* instructions = code_->instructions.data();
    top_ = memory_->stack.data();  // the first value goes one above
    for (at_ = begin; at_ < end;) {
      const Instruction& each = instructions[at_++];
      context_->offset = each.offset;
      step(each);
      if (context_->stopped()) [[unlikely]]
        return Value::fault(context_->stop_fault());
    }
    return *top_;
  }

 private:
  // --- the stack ----------------------------------------------------------------------------

  void push(const Value& value) { *++top_ = value; }
  Value pop() { return *top_--; }
  void charge(std::uint64_t cost = 1) { context_->charge(cost); }

  // Replaces the operand by what `compute` makes of it; a fault stays.
  template <typename Compute>
  void unary(Compute compute) {
    charge();
    if (!top_->is_fault()) *top_ = compute(*top_);
  }

  template <typename Compute>
  void binary(Compute compute) {
    charge();
    const Value right = pop();
    if (top_->is_fault()) return;
    *top_ = right.is_fault() ? right : compute(*top_, right);
  }

  Value no_overload(std::string_view name, const Value& a, const Value& b) {
    const std::array<Value, 2> both = {a, b};
    return context_->no_such_overload(name, both);
  }

  // A fault, or the fault of not being what was wanted.
  Value fault_of(const Value& value, std::string_view function) {
    return value.is_fault() ? value : context_->no_such_overload(function, {&value, 1});
  }

  // --- instructions -------------------------------------------------------------------------

  void step(const Instruction& each) {
    switch (each.op) {
      case Op::push:
        return push(code_->constants[each.a]);
      case Op::variable:
        return variable(each.a);
      case Op::local:
        charge();
        return push(memory_->locals[each.a]);
      case Op::store_local:
        memory_->locals[each.a] = pop();
        return;
      case Op::raise:
        return push(context_->fail("{}", code_->constants[each.a].as_text()));
      case Op::select:
        return unary([&](const Value& operand) {
          return select_field(*context_, operand, code_->constants[each.a]);
        });
      case Op::select_optional:
        return unary([&](const Value& operand) {
          return select_optional_field(*context_, operand, code_->constants[each.a]);
        });
      case Op::has:
        return unary([&](const Value& operand) {
          return has_field(*context_, operand, code_->constants[each.a]);
        });
      case Op::index:
        return binary([&](const Value& a, const Value& b) { return index_value(*context_, a, b); });
      case Op::index_optional:
        return binary(
            [&](const Value& a, const Value& b) { return index_optional_value(*context_, a, b); });
      case Op::jump:
        at_ = each.a;
        return;
      case Op::jump_if_false:
        if (top_->is_false()) at_ = each.a;
        return;
      case Op::jump_if_true:
        if (top_->is_true()) at_ = each.a;
        return;
      case Op::branch:
        return branch(each);
      case Op::logical_and:
        return logical(false, "_&&_");
      case Op::logical_or:
        return logical(true, "_||_");
      case Op::logical_not:
        return unary([&](const Value& a) {
          return a.is(Kind::boolean) ? Value::boolean(!a.as_boolean()) : fault_of(a, "!_");
        });
      case Op::negate:
        return unary([&](const Value& a) { return negate(*context_, a); });
      case Op::equal:
        return equality(true);
      case Op::not_equal:
        return equality(false);
      case Op::less:
        return ordering("_<_", [](std::partial_ordering order) { return order < 0; });
      case Op::less_equal:
        return ordering("_<=_", [](std::partial_ordering order) { return order <= 0; });
      case Op::greater:
        return ordering("_>_", [](std::partial_ordering order) { return order > 0; });
      case Op::greater_equal:
        return ordering("_>=_", [](std::partial_ordering order) { return order >= 0; });
      case Op::add:
        return arithmetic(add);
      case Op::subtract:
        return arithmetic(subtract);
      case Op::multiply:
        return arithmetic(multiply);
      case Op::divide:
        return arithmetic(divide);
      case Op::modulo:
        return arithmetic(modulo);
      case Op::in:
        return arithmetic(is_in);
      case Op::list:
        return make_list(each);
      case Op::map:
        return make_map(each);
      case Op::call:
        return call(each);
      case Op::matches:
        return unary([&](const Value& text) {
          return matches_compiled(*context_, text, code_->regexes[each.a]);
        });
      case Op::loop_begin:
        return loop_begin(each);
      case Op::loop_next:
        return loop_next(each);
      case Op::loop_test:
        return loop_test(each);
      case Op::step_all:
        return step_logical(each, false);
      case Op::step_exists:
        return step_logical(each, true);
      case Op::step_one:
        return step_one(each);
      case Op::step_append:
        return step_append(each);
      case Op::step_put:
        return step_put(each);
      case Op::step_merge:
        return step_merge(each);
      case Op::loop_end:
        return loop_end(each);
      case Op::optional_open:
        return optional_open(each);
      case Op::optional_wrap:
        return unary([&](const Value& value) { return context_->make_optional(value); });
      case Op::optional_or:
        return optional_or(each, false);
      case Op::optional_or_value:
        return optional_or(each, true);
      case Op::optional_check:
        if (!top_->is(Kind::optional)) *top_ = fault_of(*top_, "or");
        return;
    }
  }

  void variable(std::uint32_t index) {
    charge();
    const Value value = index < activation_.size() ? activation_[index] : Value();
    push(value.is_absent()
             ? context_->fault(Fault::Code::unbound, "a variable of the expression has no value")
             : value);
  }

  void branch(const Instruction& each) {
    const Value condition = pop();
    if (condition.is_true()) return;
    if (condition.is_false()) {
      at_ = each.a;
      return;
    }
    push(fault_of(condition, "_?_:_"));
    at_ = each.b;
  }

  // The value that decides wins over a fault on either side.
  Value decided(const Value& a, const Value& b, bool deciding, std::string_view name) {
    const auto decides = [deciding](const Value& value) {
      return value.is(Kind::boolean) && value.as_boolean() == deciding;
    };
    if (decides(a) || decides(b)) return Value::boolean(deciding);
    if (a.is(Kind::boolean) && b.is(Kind::boolean)) return Value::boolean(!deciding);
    if (a.is_fault()) return a;
    return b.is_fault() ? b : no_overload(name, a, b);
  }

  void logical(bool deciding, std::string_view name) {
    charge();
    const Value right = pop();
    *top_ = decided(*top_, right, deciding, name);
  }

  void equality(bool wanted) {
    const Value right = pop();
    if (top_->is_fault()) return;
    *top_ = right.is_fault() ? right : Value::boolean(equal(*context_, *top_, right) == wanted);
  }

  template <typename Test>
  void ordering(std::string_view name, Test test) {
    binary([&](const Value& a, const Value& b) {
      const auto order = compare(a, b);
      if (a.is(Kind::string)) charge(a.as_text().size() / 10);
      return order ? Value::boolean(test(*order)) : no_overload(name, a, b);
    });
  }

  void arithmetic(Value (*compute)(Context&, const Value&, const Value&)) {
    binary([&](const Value& a, const Value& b) { return compute(*context_, a, b); });
  }

  void call(const Instruction& each) {
    charge();
    const std::size_t count = each.b;
    Value* arguments = top_ + 1 - count;
    const Value* fault =
        std::find_if(arguments, arguments + count, [](const Value& v) { return v.is_fault(); });
    const Value result =
        fault != arguments + count
            ? *fault
            : code_->groups[each.a]->call(*context_, {arguments, count}, code_->libraries);
    top_ -= count;
    push(result);
  }

  // --- literals -----------------------------------------------------------------------------

  // What an element adds: itself, or what its optional holds; absent if nothing.
  Value contribution(const Instruction& each, std::size_t index, const Value& value) {
    if (each.b == 0 || !code_->marks[each.b - 1][index] || value.is_fault()) return value;
    if (!value.is(Kind::optional)) return fault_of(value, "?");
    return value.as_optional() == nullptr ? Value() : *value.as_optional();
  }

  void make_list(const Instruction& each) {
    charge(kListCost);
    Value* elements = top_ + 1 - each.a;
    ListBuilder list;
    Value result;
    for (std::size_t i = 0; i < each.a && result.is_absent(); ++i) {
      const Value element = contribution(each, i, elements[i]);
      if (element.is_fault()) {
        result = element;
      } else if (!element.is_absent() && !list.append(context_->arena(), element)) {
        result = context_->out_of_memory();
      }
    }
    top_ = elements - 1;
    push(result.is_absent() ? list.finish(*context_) : result);
  }

  // Absent when the entry was put, or the fault that stands in its way.
  Value put(MapBuilder& map, const Value& key, const Value& value) {
    if (key.is_fault()) return key;
    if (value.is_fault()) return value;
    if (!is_key(key)) return context_->fail("unsupported key type: {}", type_name(key));
    switch (map.put(context_->arena(), key, value)) {
      case MapBuilder::Put::done:
        return {};
      case MapBuilder::Put::repeated:
        return context_->fail("repeated key in a map");
      case MapBuilder::Put::out_of_memory:
        break;
    }
    return context_->out_of_memory();
  }

  void make_map(const Instruction& each) {
    charge(kMapCost);
    Value* entries = top_ + 1 - 2 * each.a;
    MapBuilder map;
    Value result;
    for (std::size_t i = 0; i < each.a && result.is_absent(); ++i) {
      const Value value = contribution(each, i, entries[2 * i + 1]);
      if (!value.is_absent()) result = put(map, entries[2 * i], value);
    }
    top_ = entries - 1;
    push(result.is_absent() ? map.finish(*context_) : result);
  }

  // --- macros -------------------------------------------------------------------------------

  LoopState& loop_of(const Instruction& each) { return memory_->loops[each.a]; }

  void loop_begin(const Instruction& each) {
    const Value range = pop();
    if (!range.is(Kind::list) && !range.is(Kind::map)) {
      push(fault_of(range, "a macro"));
      at_ = each.b;
      return;
    }
    LoopState& loop = loop_of(each);
    loop = LoopState{};
    loop.range = range;
    loop.size = range.is(Kind::list) ? range.as_list().size() : range.as_map().size();
    const LoopKind kind = code_->loops[each.a];
    if (kind == LoopKind::all) loop.result = Value::boolean(true);
    if (kind == LoopKind::exists) loop.result = Value::boolean(false);
  }

  void loop_next(const Instruction& each) {
    charge();
    LoopState& loop = loop_of(each);
    if (loop.next == loop.size) {
      at_ = each.b;
      return;
    }
    const std::size_t index = loop.next++;
    Value* variables = &memory_->locals[each.c];
    const bool list = loop.range.is(Kind::list);
    if (!each.two_variables) {
      variables[0] = list ? loop.range.as_list().at(index) : loop.range.as_map().key(index);
      return;
    }
    variables[0] =
        list ? Value::integer(static_cast<std::int64_t>(index)) : loop.range.as_map().key(index);
    variables[1] = list ? loop.range.as_list().at(index) : loop.range.as_map().value(index);
  }

  void end_loop(const Instruction& each, std::uint32_t exit, const Value& result) {
    loop_of(each).result = result;
    at_ = exit;
  }

  void loop_test(const Instruction& each) {
    const Value answer = pop();
    if (answer.is_true()) return;
    if (answer.is_false()) {
      at_ = each.b;
      return;
    }
    end_loop(each, each.c, fault_of(answer, "_?_:_"));
  }

  // Faults wait: a later element may decide.
  void step_logical(const Instruction& each, bool deciding) {
    LoopState& loop = loop_of(each);
    loop.result = decided(loop.result, pop(), deciding, deciding ? "_||_" : "_&&_");
    if (loop.result.is(Kind::boolean) && loop.result.as_boolean() == deciding) at_ = each.b;
  }

  void step_one(const Instruction& each) {
    const Value answer = pop();
    if (!answer.is(Kind::boolean)) return end_loop(each, each.b, fault_of(answer, "exists_one"));
    if (answer.as_boolean()) ++loop_of(each).count;
  }

  void step_append(const Instruction& each) {
    const Value value = pop();
    if (value.is_fault()) return end_loop(each, each.b, value);
    if (!loop_of(each).list.append(context_->arena(), value)) {
      end_loop(each, each.b, context_->out_of_memory());
    }
  }

  void step_put(const Instruction& each) {
    const Value value = pop();
    const Value fault = put(loop_of(each).map, memory_->locals[each.c], value);
    if (fault.is_fault()) end_loop(each, each.b, fault);
  }

  void step_merge(const Instruction& each) {
    const Value value = pop();
    if (!value.is(Kind::map)) return end_loop(each, each.b, fault_of(value, "transformMapEntry"));
    const Map& entries = value.as_map();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      charge();
      const Value fault = put(loop_of(each).map, entries.key(i), entries.value(i));
      if (fault.is_fault()) return end_loop(each, each.b, fault);
    }
  }

  void loop_end(const Instruction& each) {
    LoopState& loop = loop_of(each);
    if (!loop.result.is_absent()) return push(loop.result);
    switch (code_->loops[each.a]) {
      case LoopKind::exists_one:
        return push(Value::boolean(loop.count == 1));
      case LoopKind::to_list:
        return push(loop.list.finish(*context_));
      default:
        return push(loop.map.finish(*context_));
    }
  }

  // --- optionals ----------------------------------------------------------------------------

  void optional_open(const Instruction& each) {
    const Value optional = pop();
    if (optional.is(Kind::optional) && optional.as_optional() != nullptr) {
      memory_->locals[each.a] = *optional.as_optional();
      return;
    }
    push(optional.is(Kind::optional) ? optional : fault_of(optional, "optMap"));
    at_ = each.b;
  }

  void optional_or(const Instruction& each, bool value) {
    const Value optional = pop();
    if (optional.is(Kind::optional) && optional.as_optional() == nullptr) return;
    if (!optional.is(Kind::optional)) {
      push(fault_of(optional, value ? "orValue" : "or"));
    } else {
      push(value ? *optional.as_optional() : optional);
    }
    at_ = each.a;
  }

  const Code* code_;
  std::span<const Value> activation_;
  Context* context_;
  MachineMemory* memory_;
  Value* top_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace

void MachineMemory::prepare(const Code& code) {
  // One more than needed: the machine's first position lies before its first value.
  if (stack.size() < code.stack_max + 1) stack.resize(code.stack_max + 1);
  if (locals.size() < code.slot_count) locals.resize(code.slot_count);
  if (loops.size() < code.loops.size()) loops.resize(code.loops.size());
}

Value run(const Code& code, std::span<const Value> activation, Context& context,
          MachineMemory& memory, std::size_t begin, std::size_t end) {
  return Machine(code, activation, context, memory).run(begin, end);
}

}  // namespace tutti::cel
