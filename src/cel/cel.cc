#include "cel/cel.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "cel/checker.h"
#include "cel/code.h"
#include "cel/cost.h"
#include "cel/generator.h"
#include "cel/machine.h"
#include "cel/syntax/parser.h"

namespace tutti::cel {

std::size_t Environment::declare(std::string name, Type type, Bounds::Ptr bounds) {
  variables_.push_back({std::move(name), std::move(type), std::move(bounds)});
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

std::uint64_t Program::worst_cost() const { return code_->worst_cost; }

namespace {

SourceFault too_costly(const Ast& ast, const WorstCost& worst, std::uint64_t limit) {
  const bool bounded = worst.cost != std::numeric_limits<std::uint64_t>::max();
  return {SourceFault::Code::limit, position_of(ast.source(), ast.node(worst.culprit).offset),
          fmt::format("too complex: estimated cost {} exceeds the limit of {}",
                      bounded ? fmt::to_string(worst.cost) : std::string("without bound"), limit)};
}

}  // namespace

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
  if (environment.worst_cost_max && environment.check_types) {
    auto& names = *std::get_if<Checked>(&checked);
    const WorstCost worst = worst_cost(ast, names, environment, *environment.worst_cost_max);
    if (worst.cost > *environment.worst_cost_max) {
      return too_costly(ast, worst, *environment.worst_cost_max);
    }
    names.worst_cost = worst.cost;
  }
  auto code = generate(std::move(ast), std::move(*std::get_if<Checked>(&checked)), environment);
  if (auto* fault = std::get_if<SourceFault>(&code)) return std::move(*fault);
  return Program(std::move(*std::get_if<std::shared_ptr<const Code>>(&code)));
}

}  // namespace tutti::cel
