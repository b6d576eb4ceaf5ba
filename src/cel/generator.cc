#include "cel/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cel/machine.h"
#include "cel/value/time_text.h"

namespace tutti::cel {
namespace {

// What one expression may spend on values computed in advance.
constexpr std::uint64_t kFoldCostMax = 10'000;
constexpr std::size_t kFoldMemoryMax = 256U << 10U;

struct OperatorCode {
  std::string_view name;
  Op op;
};
constexpr std::array kOperators = {
    OperatorCode{"!_", Op::logical_not}, OperatorCode{"-_", Op::negate},
    OperatorCode{"_==_", Op::equal},     OperatorCode{"_!=_", Op::not_equal},
    OperatorCode{"_<_", Op::less},       OperatorCode{"_<=_", Op::less_equal},
    OperatorCode{"_>_", Op::greater},    OperatorCode{"_>=_", Op::greater_equal},
    OperatorCode{"_+_", Op::add},        OperatorCode{"_-_", Op::subtract},
    OperatorCode{"_*_", Op::multiply},   OperatorCode{"_/_", Op::divide},
    OperatorCode{"_%_", Op::modulo},     OperatorCode{"@in", Op::in},
};

std::optional<Op> operator_op(std::string_view name) {
  for (const OperatorCode& each : kOperators) {
    if (each.name == name) return each.op;
  }
  return std::nullopt;
}

class Generator {
 public:
  Generator(Ast ast, Checked checked, const Environment& environment)
      : ast_(std::move(ast)), checked_(std::move(checked)), environment_(&environment) {
    code_->folded.reset(kFoldMemoryMax);
  }

  std::variant<std::shared_ptr<const Code>, SourceFault> run() {
    code_->libraries = environment_->libraries;
    code_->slot_count = checked_.slot_count;
    code_->result = checked_.result;
    code_->worst_cost = checked_.worst_cost;
    if (environment_->check_literals) check_literals();
    find_constants();
    emit_node(ast_.root);
    if (fault_) return std::move(*fault_);
    code_->texts = std::move(ast_.texts);
    return std::shared_ptr<const Code>(std::move(code_));
  }

 private:
  // --- emitting -----------------------------------------------------------------------------

  std::uint32_t here() const { return static_cast<std::uint32_t>(code_->instructions.size()); }

  std::uint32_t emit(Op op, const Node& node, std::uint32_t a = 0, std::uint32_t b = 0,
                     std::uint32_t c = 0) {
    code_->instructions.push_back({op, false, a, b, c, node.offset});
    return here() - 1;
  }

  Instruction& at(std::uint32_t index) { return code_->instructions[index]; }

  std::uint32_t constant(const Value& value) {
    code_->constants.push_back(value);
    return static_cast<std::uint32_t>(code_->constants.size() - 1);
  }

  // Keeps count of how high the stack can be.
  void grow(std::size_t values = 1) {
    height_ += values;
    code_->stack_max = std::max(code_->stack_max, height_);
  }
  void shrink(std::size_t values = 1) { height_ -= values; }

  // --- constants ----------------------------------------------------------------------------

  // Whether a node's value is the same in every evaluation. Children come before their parents.
  void find_constants() {
    constant_.resize(ast_.nodes.size());
    for (NodeId id = 0; id < ast_.nodes.size(); ++id) {
      const Node& node = ast_.nodes[id];
      const auto& children = node.children;
      const auto begin = children.begin() + (is_namespaced(id) ? 1 : 0);
      const bool all =
          std::all_of(begin, children.end(), [&](NodeId each) { return constant_[each]; });
      constant_[id] = all && is_foldable(id, node);
    }
  }

  bool is_namespaced(NodeId id) const {
    return checked_.meanings[id].kind == Meaning::Kind::namespaced;
  }

  bool is_foldable(NodeId id, const Node& node) const {
    switch (node.kind) {
      case NodeKind::constant:
      case NodeKind::index:
      case NodeKind::list:
      case NodeKind::map:
        return true;
      case NodeKind::call:
        return checked_.meanings[id].kind != Meaning::Kind::missing;
      default:
        return checked_.meanings[id].kind == Meaning::Kind::type_name;
    }
  }

  // Replaces the instructions since `begin` by their value, if they have one within the limits.
  void fold(NodeId id, std::uint32_t begin) {
    MachineMemory memory;
    Context context(code_->folded, kFoldCostMax);
    memory.prepare(*code_);
    const Value value = cel::run(*code_, {}, context, memory, begin, here());
    if (value.is_fault()) return;  // found again, and reported, when it is evaluated
    const std::uint32_t index = constant(value);
    code_->instructions.resize(begin);
    emit(Op::push, ast_.node(id), index);
  }

  // timestamp("yesterday") can only be a mistake. Regular expressions are seen when they are
  // compiled.
  void check_literals() {
    for (const Node& node : ast_.nodes) {
      if (node.kind != NodeKind::call || node.member || node.children.size() != 1) continue;
      const Value& text = ast_.node(node.children[0]).value;
      if (!text.is(Kind::string)) continue;
      if (node.name == "timestamp" && !parse_timestamp(text.as_text())) {
        fail(node, "the text is not a timestamp as 2006-01-02T15:04:05Z");
      } else if (node.name == "duration" && !parse_duration_nanos(text.as_text())) {
        fail(node, "the text is not a duration as 1h30m");
      }
    }
  }

  void fail(const Node& node, std::string message) {
    if (fault_) return;
    fault_ = SourceFault{SourceFault::Code::literal, position_of(ast_.source(), node.offset),
                         std::move(message)};
  }

  // --- nodes --------------------------------------------------------------------------------

  void emit_node(NodeId id) {
    const Node& node = ast_.node(id);
    const bool outermost = constant_[id] && !folding_ && node.kind != NodeKind::constant;
    const std::uint32_t begin = here();
    if (outermost) folding_ = true;
    emit_by_meaning(id, node);
    if (!outermost) return;
    folding_ = false;
    fold(id, begin);
  }

  void emit_by_meaning(NodeId id, const Node& node) {
    const Meaning& meaning = checked_.meanings[id];
    switch (meaning.kind) {
      case Meaning::Kind::variable:
        emit(Op::variable, node, meaning.index);
        return grow();
      case Meaning::Kind::local:
        emit(Op::local, node, meaning.index);
        return grow();
      case Meaning::Kind::type_name:
        emit(Op::push, node, constant(Value::type(keep(meaning.text))));
        return grow();
      case Meaning::Kind::missing:
        emit(Op::raise, node, constant(Value::string(keep(meaning.text))));
        return grow();
      default:
        return emit_by_kind(id, node);
    }
  }

  std::string_view keep(const std::string& text) { return ast_.texts.emplace_back(text); }

  void emit_by_kind(NodeId id, const Node& node) {
    switch (node.kind) {
      case NodeKind::constant:
        emit(Op::push, node, constant(node.value));
        return grow();
      case NodeKind::select:
        return emit_select(node);
      case NodeKind::index:
        return emit_index(node);
      case NodeKind::call:
        return emit_call(id, node);
      case NodeKind::list:
        return emit_literal(Op::list, node);
      case NodeKind::map:
        return emit_literal(Op::map, node);
      case NodeKind::logical_and:
        return emit_logical(node, Op::jump_if_false, Op::logical_and);
      case NodeKind::logical_or:
        return emit_logical(node, Op::jump_if_true, Op::logical_or);
      case NodeKind::conditional:
        return emit_conditional(node);
      case NodeKind::loop:
        return emit_loop(id, node);
      case NodeKind::bind:
        return emit_bind(id, node);
      case NodeKind::optional_map:
        return emit_optional_map(id, node);
      case NodeKind::identifier:
        break;
    }
    TUTTI_UNREACHABLE("an identifier without a meaning");
  }

  void emit_select(const Node& node) {
    emit_node(node.children[0]);
    const Op op = node.test ? Op::has : node.optional ? Op::select_optional : Op::select;
    emit(op, node, constant(Value::string(node.name)));
  }

  void emit_index(const Node& node) {
    emit_node(node.children[0]);
    emit_node(node.children[1]);
    emit(node.optional ? Op::index_optional : Op::index, node);
    shrink();
  }

  void emit_literal(Op op, const Node& node) {
    for (const NodeId child : node.children) emit_node(child);
    std::uint32_t marks = 0;
    if (std::find(node.flags.begin(), node.flags.end(), true) != node.flags.end()) {
      code_->marks.push_back(node.flags);
      marks = static_cast<std::uint32_t>(code_->marks.size());
    }
    emit(op, node, static_cast<std::uint32_t>(node.flags.size()), marks);
    shrink(node.children.size());
    grow();
  }

  // --- calls --------------------------------------------------------------------------------

  void emit_call(NodeId id, const Node& node) {
    const Meaning& meaning = checked_.meanings[id];
    std::span<const NodeId> arguments = node.children;
    if (meaning.kind == Meaning::Kind::namespaced) arguments = arguments.subspan(1);
    if (const auto op = operator_op(node.name); op && !node.member) {
      emit_arguments(arguments);
      emit(*op, node);
    } else if (is_lazy_optional(node, arguments.size())) {
      return emit_lazy_optional(node);
    } else if (const auto regex = constant_regex(node, arguments)) {
      emit_node(arguments[0]);
      emit(Op::matches, node, *regex);
      return;
    } else {
      emit_arguments(arguments);
      code_->groups.push_back(meaning.group);
      emit(Op::call, node, static_cast<std::uint32_t>(code_->groups.size() - 1),
           static_cast<std::uint32_t>(arguments.size()));
    }
    shrink(arguments.size());
    grow();
  }

  void emit_arguments(std::span<const NodeId> arguments) {
    for (const NodeId each : arguments) emit_node(each);
  }

  static bool is_lazy_optional(const Node& node, std::size_t arguments) {
    return node.member && arguments == 2 && (node.name == "or" || node.name == "orValue");
  }

  void emit_lazy_optional(const Node& node) {
    emit_node(node.children[0]);
    const bool value = node.name == "orValue";
    const std::uint32_t test = emit(value ? Op::optional_or_value : Op::optional_or, node);
    shrink();
    emit_node(node.children[1]);
    if (!value) emit(Op::optional_check, node);
    at(test).a = here();
  }

  // Compiles the constant pattern of matches() once; nothing where there is no such pattern.
  std::optional<std::uint32_t> constant_regex(const Node& node, std::span<const NodeId> arguments) {
    if (node.name != "matches" || arguments.size() != 2) return std::nullopt;
    const Node& pattern = ast_.node(arguments[1]);
    if (pattern.kind != NodeKind::constant || !pattern.value.is(Kind::string)) return std::nullopt;
    auto regex = Regex::compile(pattern.value.as_text());
    if (!regex.ok()) {
      if (environment_->check_literals) fail(pattern, regex.error().message);
      return std::nullopt;
    }
    code_->regexes.push_back(*std::move(regex));
    return static_cast<std::uint32_t>(code_->regexes.size() - 1);
  }

  // --- logic --------------------------------------------------------------------------------

  void emit_logical(const Node& node, Op decided, Op combine) {
    emit_node(node.children[0]);
    std::vector<std::uint32_t> jumps;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      jumps.push_back(emit(decided, node));
      emit_node(node.children[i]);
      emit(combine, node);
      shrink();
    }
    for (const std::uint32_t jump : jumps) at(jump).a = here();
  }

  void emit_conditional(const Node& node) {
    emit_node(node.children[0]);
    const std::uint32_t branch = emit(Op::branch, node);
    shrink();
    emit_node(node.children[1]);
    shrink();
    const std::uint32_t jump = emit(Op::jump, node);
    at(branch).a = here();
    emit_node(node.children[2]);
    at(jump).a = here();
    at(branch).b = here();
  }

  // --- macros -------------------------------------------------------------------------------

  static Op step_op(LoopKind kind) {
    switch (kind) {
      case LoopKind::all:
        return Op::step_all;
      case LoopKind::exists:
        return Op::step_exists;
      case LoopKind::exists_one:
        return Op::step_one;
      case LoopKind::to_list:
        return Op::step_append;
      case LoopKind::to_map:
        return Op::step_put;
      case LoopKind::merged_to_map:
        return Op::step_merge;
    }
    TUTTI_UNREACHABLE("a loop of no kind");
  }

  void emit_loop(NodeId id, const Node& node) {
    emit_node(node.children[0]);
    const auto loop = static_cast<std::uint32_t>(code_->loops.size());
    code_->loops.push_back(node.loop);
    const std::uint32_t slot = checked_.slots[id];
    const std::uint32_t begin = emit(Op::loop_begin, node, loop);
    shrink();
    const std::uint32_t next = emit(Op::loop_next, node, loop, 0, slot);
    at(next).two_variables = !node.second_name.empty();
    std::optional<std::uint32_t> test;
    if (node.filtered) {
      emit_node(node.children[1]);
      test = emit(Op::loop_test, node, loop, next);
      shrink();
    }
    emit_node(node.children.back());
    const std::uint32_t step = emit(step_op(node.loop), node, loop, 0, slot);
    shrink();
    emit(Op::jump, node, next);
    at(next).b = here();
    at(step).b = here();
    if (test) at(*test).c = here();
    emit(Op::loop_end, node, loop);
    grow();
    at(begin).b = here();
  }

  void emit_bind(NodeId id, const Node& node) {
    emit_node(node.children[0]);
    emit(Op::store_local, node, checked_.slots[id]);
    shrink();
    emit_node(node.children[1]);
  }

  void emit_optional_map(NodeId id, const Node& node) {
    emit_node(node.children[0]);
    const std::uint32_t open = emit(Op::optional_open, node, checked_.slots[id]);
    shrink();
    emit_node(node.children[1]);
    emit(node.flat ? Op::optional_check : Op::optional_wrap, node);
    at(open).b = here();
  }

  Ast ast_;
  Checked checked_;
  const Environment* environment_;
  std::shared_ptr<Code> code_ = std::make_shared<Code>();
  std::vector<bool> constant_;
  bool folding_ = false;
  std::size_t height_ = 0;
  std::optional<SourceFault> fault_;
};

}  // namespace

std::variant<std::shared_ptr<const Code>, SourceFault> generate(Ast ast, Checked checked,
                                                                const Environment& environment) {
  return Generator(std::move(ast), std::move(checked), environment).run();
}

}  // namespace tutti::cel
