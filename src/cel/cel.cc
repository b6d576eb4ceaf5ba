#include "cel/cel.h"

#include <utility>

#include "cel/checker.h"
#include "cel/code.h"
#include "cel/generator.h"
#include "cel/machine.h"
#include "cel/syntax/parser.h"

namespace tutti::cel {

std::size_t Environment::declare(std::string name, Type type) {
  variables_.push_back({std::move(name), std::move(type)});
  return variables_.size() - 1;
}

void Environment::declare_object(std::string name, std::vector<Field> fields) {
  objects_.push_back({std::move(name), std::move(fields)});
}

struct Scratch::State {
  Storage storage;
  MachineMemory memory;
  Fault fault;
};

Scratch::Scratch() : state_(std::make_unique<State>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

Program::Program(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

Outcome Program::evaluate(std::span<const Value> activation, Scratch& scratch,
                          const Budget& budget) const {
  Scratch::State& state = *scratch.state_;
  state.storage.reset(budget.memory_max);
  state.memory.prepare(*code_);
  Context context(state.storage, budget.cost_max);
  const Value value = run(*code_, activation, context, state.memory, 0, code_->instructions.size());
  if (!value.is_fault()) return {value, nullptr, context.cost()};
  state.fault = value.as_fault();
  state.fault.at = position_of(source(), state.fault.at.offset);
  return {{}, &state.fault, context.cost()};
}

const std::string& Program::source() const { return code_->texts.front(); }

const Type& Program::result_type() const { return code_->result; }

Compilation compile(std::string_view expression, const Environment& environment) {
  const auto has = [&environment](Library library) {
    return (environment.libraries & in(library)) != 0;
  };
  auto parsed = parse(expression, {.bytes_max = environment.expression_bytes_max,
                                   .nesting_max = environment.nesting_max,
                                   .optional_syntax = has(Library::optional),
                                   .bind = has(Library::bindings),
                                   .two_variables = has(Library::two_variables),
                                   .sort_by = has(Library::lists)});
  if (auto* fault = std::get_if<SourceFault>(&parsed)) return std::move(*fault);
  auto& ast = *std::get_if<Ast>(&parsed);
  auto checked = check(ast, environment);
  if (auto* fault = std::get_if<SourceFault>(&checked)) return std::move(*fault);
  auto code = generate(std::move(ast), std::move(*std::get_if<Checked>(&checked)), environment);
  if (auto* fault = std::get_if<SourceFault>(&code)) return std::move(*fault);
  return Program(std::move(*std::get_if<std::shared_ptr<const Code>>(&code)));
}

}  // namespace tutti::cel
