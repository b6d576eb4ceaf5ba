// One walk over the tree. The first thing that is wrong is kept; the walk goes on with dyn in its
// place and its later findings are dropped. Without type checks the same walk finds out what names
// mean, and leaves what it does not know to the evaluation.
#include "cel/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "cel/names.h"
#include "cel/unifier.h"

namespace tutti::cel {
namespace {

// list[int], map[key], and the same inside of an optional.
const std::vector<Overload>& index_overloads() {
  static const std::vector<Overload> kOverloads = [] {
    const Type a = Type::parameter("A");
    const Type b = Type::parameter("B");
    const auto overload = [](Type operand, Type index, Type result) {
      Overload made;
      made.parameters = {std::move(operand), std::move(index)};
      made.result = std::move(result);
      return made;
    };
    return std::vector<Overload>{
        overload(Type::list(a), Type::integer(), a),
        overload(Type::map(a, b), a, b),
        overload(Type::optional(Type::list(a)), Type::integer(), Type::optional(a)),
        overload(Type::optional(Type::map(a, b)), a, Type::optional(b)),
    };
  }();
  return kOverloads;
}

bool is_numeric(const Type& type) { return type.is("int") || type.is("uint") || type.is("double"); }

bool is_ordering(std::string_view name) {
  return name == "_<_" || name == "_<=_" || name == "_>_" || name == "_>=_";
}

bool has_order(const Type& type) {
  return is_numeric(type) || type.is("bool") || type.is("string") || type.is("bytes") ||
         type == Type::timestamp() || type == Type::duration();
}

Type optional_of(const Type& type) { return type.is_optional() ? type : Type::optional(type); }

class Checker {
 public:
  Checker(const Ast& ast, const Environment& environment)
      : ast_(&ast), environment_(&environment), names_(environment) {
    checked_.meanings.resize(ast.nodes.size());
    checked_.slots.resize(ast.nodes.size());
    checked_.types.resize(ast.nodes.size(), Type::dyn());
  }

  std::variant<Checked, SourceFault> run() {
    const Type type = visit(ast_->root);
    checked_.result = environment_->check_types ? types_.resolved_or_dyn(type) : Type::dyn();
    if (types_.exhausted()) return too_complex();
    if (fault_) return std::move(*fault_);
    for (Type& each : checked_.types) each = types_.resolved_or_dyn(each);
    if (types_.exhausted()) return too_complex();
    return std::move(checked_);
  }

 private:
  // --- faults -------------------------------------------------------------------------------

  static SourceFault too_complex() {
    return {SourceFault::Code::limit, {}, "the expression's types are too complex"};
  }

  Type fail(const Node& node, std::string message) {
    if (!fault_ && environment_->check_types) {
      fault_ = SourceFault{SourceFault::Code::type, position_of(ast_->source(), node.offset),
                           std::move(message)};
    }
    return Type::dyn();
  }

  std::string shown(const Type& type) { return types_.resolved_or_dyn(type).text(); }

  Type no_overload(const Node& node, std::string_view name, std::span<const Type> arguments,
                   bool member) {
    std::string list;
    for (std::size_t i = member ? 1 : 0; i < arguments.size(); ++i) {
      list += (list.empty() ? "" : ", ") + shown(arguments[i]);
    }
    const std::string receiver = member ? shown(arguments[0]) + "." : "";
    return fail(node, fmt::format("found no matching overload for '{}' applied to '{}({})'", name,
                                  receiver, list));
  }

  Type missing(NodeId id, std::string message) {
    Meaning& meaning = checked_.meanings[id];
    meaning.kind = Meaning::Kind::missing;
    meaning.text = message;
    return fail(ast_->node(id), std::move(message));
  }

  // --- the walk -----------------------------------------------------------------------------

  Type visit(NodeId id) {
    Type type = type_of(id);
    checked_.types[id] = type;
    return type;
  }

  Type type_of(NodeId id) {
    const Node& node = ast_->node(id);
    switch (node.kind) {
      case NodeKind::constant:
        return constant_type(node.value);
      case NodeKind::identifier:
        return identifier(id, node);
      case NodeKind::select:
        return select(id, node);
      case NodeKind::index:
        return index(node);
      case NodeKind::call:
        return call(id, node);
      case NodeKind::list:
        return list(id, node);
      case NodeKind::map:
        return map(node);
      case NodeKind::logical_and:
      case NodeKind::logical_or:
        return logical(node);
      case NodeKind::conditional:
        return conditional(node);
      case NodeKind::loop:
        return loop(id, node);
      case NodeKind::bind:
        return bind(id, node);
      case NodeKind::optional_map:
        return optional_map(id, node);
    }
    TUTTI_UNREACHABLE("a node of no kind");
  }

  static Type constant_type(const Value& value) {
    return value.is_absent() ? Type::dyn() : Type::named(kind_name(value.kind()));
  }

  void expect_bool(NodeId id, const Type& type) {
    if (!types_.assignable(type, Type::boolean())) {
      fail(ast_->node(id), fmt::format("expected bool, found {}", shown(type)));
    }
  }

  // --- names --------------------------------------------------------------------------------

  // A chain of selections may spell a qualified variable or type. The longest one counts; a macro's
  // variable at its beginning hides all of them.
  std::optional<Type> qualified(NodeId id) {
    const std::string name = qualified_name(*ast_, id);
    if (name.empty()) return std::nullopt;
    const std::string first = name.substr(0, name.find('.', 1));
    if (!name.starts_with('.') && names_.find_local(first) != nullptr) return std::nullopt;
    Meaning& meaning = checked_.meanings[id];
    if (const auto variable = names_.find_variable(name)) {
      meaning.kind = Meaning::Kind::variable;
      meaning.index = static_cast<std::uint32_t>(*variable);
      return environment_->variables()[*variable].type;
    }
    if (const auto type = names_.find_type(name)) {
      meaning.kind = Meaning::Kind::type_name;
      meaning.text = type->name();
      return Type::type_of(*type);
    }
    return std::nullopt;
  }

  Type identifier(NodeId id, const Node& node) {
    const Local* local = node.global ? nullptr : names_.find_local(node.name);
    if (local != nullptr) {
      checked_.meanings[id].kind = Meaning::Kind::local;
      checked_.meanings[id].index = local->slot;
      return local->type;
    }
    if (auto type = qualified(id)) return *std::move(type);
    return missing(id, fmt::format("undeclared reference to '{}'", brief_line(node.name)));
  }

  Type select(NodeId id, const Node& node) {
    if (!node.test && !node.optional) {
      if (auto type = qualified(id)) return *std::move(type);
    }
    const Type operand = types_.resolved(visit(node.children[0]));
    const bool inside_optional = operand.is_optional();
    const Type field = field_type(node, inside_optional ? operand.parameters()[0] : operand);
    if (node.test) return Type::boolean();
    return node.optional || inside_optional ? optional_of(field) : field;
  }

  Type field_type(const Node& node, const Type& operand) {
    switch (operand.kind()) {
      case Type::Kind::dyn:
      case Type::Kind::any:
        return Type::dyn();
      case Type::Kind::parameter:
        types_.assignable(Type::dyn(), operand);
        return Type::dyn();
      case Type::Kind::map:
        if (types_.assignable(Type::string(), operand.parameters()[0])) {
          return operand.parameters()[1];
        }
        break;
      case Type::Kind::named:
        if (const auto* object = names_.find_object(operand.name())) {
          return object_field(node, *object);
        }
        break;
      default:
        break;
    }
    return fail(node, fmt::format("type '{}' does not support field selection", shown(operand)));
  }

  Type object_field(const Node& node, const Environment::Object& object) {
    for (const Environment::Field& field : object.fields) {
      if (field.name == node.name) return field.type;
    }
    std::vector<std::string_view> known;
    for (const Environment::Field& field : object.fields) known.push_back(field.name);
    const std::string_view near = nearest_word(node.name, known);
    return fail(node, fmt::format("undefined field '{}'{}", brief_line(node.name),
                                  near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }

  // --- calls --------------------------------------------------------------------------------

  std::vector<Type> visit_all(std::span<const NodeId> ids) {
    std::vector<Type> types;
    for (const NodeId id : ids) types.push_back(visit(id));
    return types;
  }

  Type index(const Node& node) {
    std::vector<Type> arguments = visit_all(node.children);
    const auto result = resolve(index_overloads(), arguments);
    if (!result) return no_overload(node, "_[_]", arguments, false);
    return node.optional ? optional_of(types_.resolved(*result)) : *result;
  }

  Type call(NodeId id, const Node& node) {
    Meaning& meaning = checked_.meanings[id];
    std::span<const NodeId> arguments = node.children;
    meaning.kind = Meaning::Kind::function;
    meaning.group = nullptr;
    if (node.member) {
      meaning.group = namespaced_function(node);
      if (meaning.group != nullptr) {
        meaning.kind = Meaning::Kind::namespaced;
        arguments = arguments.subspan(1);
      }
    }
    if (meaning.group == nullptr) {
      meaning.group = find_function(node.name, node.member, environment_->libraries);
    }
    const FunctionGroup* group = meaning.group;
    const std::vector<Type> types = call_arguments(node, arguments);
    if (is_ordering(node.name)) return ordering(node, types);
    if (group == nullptr) {
      return missing(id, fmt::format("undeclared reference to '{}'", brief_line(node.name)));
    }
    if (is_numeric_equality(node, types)) return Type::boolean();
    const auto result = resolve(group->overloads, types);
    return result ? *result : no_overload(node, group->name, types, group->member);
  }

  // What format() fills in may be of any types.
  std::vector<Type> call_arguments(const Node& node, std::span<const NodeId> arguments) {
    if (node.member && node.name == "format" && !arguments.empty()) mixed_ = arguments.back();
    return visit_all(arguments);
  }

  const FunctionGroup* namespaced_function(const Node& node) {
    std::string space = qualified_name(*ast_, node.children[0]);
    if (space.empty()) return nullptr;
    if (space.starts_with('.')) space.erase(0, 1);
    if (names_.find_local(space.substr(0, space.find('.'))) != nullptr) return nullptr;
    return find_function(space + "." + std::string(node.name), false, environment_->libraries);
  }

  Type ordering(const Node& node, std::span<const Type> types) {
    const Type left = types_.resolved(types[0]);
    const Type right = types_.resolved(types[1]);
    if (is_numeric(left) && is_numeric(right)) return Type::boolean();
    const auto unknown = [](const Type& type) {
      return type.is_dynamic() || type.kind() == Type::Kind::parameter;
    };
    const bool fits = unknown(left)    ? unknown(right) || has_order(right)
                      : unknown(right) ? has_order(left)
                                       : left == right && has_order(left);
    return fits ? Type::boolean() : no_overload(node, node.name, types, false);
  }

  bool is_numeric_equality(const Node& node, std::span<const Type> types) {
    return (node.name == "_==_" || node.name == "_!=_") && is_numeric(types_.resolved(types[0])) &&
           is_numeric(types_.resolved(types[1]));
  }

  // The result of the overloads that fit; dyn if several do and they disagree.
  std::optional<Type> resolve(std::span<const Overload> overloads, std::span<const Type> types) {
    std::optional<Type> result;
    for (const Overload& overload : overloads) {
      if ((overload.library & (environment_->libraries | kStandard)) == 0) continue;
      if (overload.parameters.size() != types.size()) continue;
      Unifier::Renaming renaming;
      std::vector<Type> parameters;
      for (const Type& each : overload.parameters) {
        parameters.push_back(types_.renamed(each, renaming));
      }
      if (!types_.assignable(types, parameters)) continue;
      Type found = types_.resolved(types_.renamed(overload.result, renaming));
      if (!result) {
        result = std::move(found);
      } else if (*result != found) {
        result = Type::dyn();
      }
    }
    return result;
  }

  // --- literals -----------------------------------------------------------------------------

  Type joined(const Node& node, const std::optional<Type>& before, const Type& type, bool mixed) {
    if (!before) return type;
    if (types_.assignable(*before, type)) return Unifier::more_general(*before, type);
    if (mixed) return Type::dyn();
    return fail(node, fmt::format("expected type '{}' but found '{}': the elements of a literal "
                                  "must be of one type",
                                  shown(*before), shown(type)));
  }

  // What an element marked with '?' adds if it is there.
  Type unwrapped(NodeId id, const Type& type) {
    const Type content = types_.fresh();
    if (!types_.assignable(type, Type::optional(content))) {
      return fail(ast_->node(id), fmt::format("expected an optional, found {}", shown(type)));
    }
    return types_.resolved(content);
  }

  Type list(NodeId id, const Node& node) {
    const bool mixed = !environment_->homogeneous_literals || mixed_ == id;
    std::optional<Type> element;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const NodeId child = node.children[i];
      Type type = visit(child);
      if (node.flags[i]) type = unwrapped(child, type);
      element = joined(ast_->node(child), element, type, mixed);
    }
    return Type::list(types_.resolved(element ? *element : types_.fresh()));
  }

  Type map(const Node& node) {
    const bool mixed = !environment_->homogeneous_literals;
    std::optional<Type> key;
    std::optional<Type> value;
    for (std::size_t i = 0; i < node.flags.size(); ++i) {
      const NodeId key_node = node.children[2 * i];
      const NodeId value_node = node.children[2 * i + 1];
      key = joined(ast_->node(key_node), key, visit(key_node), mixed);
      Type type = visit(value_node);
      if (node.flags[i]) type = unwrapped(value_node, type);
      value = joined(ast_->node(value_node), value, type, mixed);
    }
    return Type::map(types_.resolved(key ? *key : types_.fresh()),
                     types_.resolved(value ? *value : types_.fresh()));
  }

  // --- logic --------------------------------------------------------------------------------

  Type logical(const Node& node) {
    for (const NodeId child : node.children) expect_bool(child, visit(child));
    return Type::boolean();
  }

  Type conditional(const Node& node) {
    expect_bool(node.children[0], visit(node.children[0]));
    const std::array<Type, 2> branches = {visit(node.children[1]), visit(node.children[2])};
    const Type result = types_.fresh();
    const std::array<Type, 2> both = {result, result};
    if (!types_.assignable(branches, both)) {
      return fail(node, fmt::format("the branches have different types: {} and {}",
                                    shown(branches[0]), shown(branches[1])));
    }
    return types_.resolved(result);
  }

  // --- macros -------------------------------------------------------------------------------

  std::uint32_t new_slots(NodeId id, std::uint32_t count) {
    const auto slot = static_cast<std::uint32_t>(checked_.slot_count);
    checked_.slots[id] = slot;
    checked_.slot_count += count;
    return slot;
  }

  Type loop(NodeId id, const Node& node) {
    const Type range = types_.resolved(visit(node.children[0]));
    const auto [first, second] = loop_variables(node, range);
    const std::uint32_t slot = new_slots(id, node.second_name.empty() ? 1 : 2);
    names_.push({node.name, first, slot});
    if (!node.second_name.empty()) names_.push({node.second_name, second, slot + 1});
    if (node.filtered) expect_bool(node.children[1], visit(node.children[1]));
    const NodeId body_id = node.children.back();
    const Type body = visit(body_id);
    if (!node.second_name.empty()) names_.pop();
    names_.pop();
    return loop_result(node, first, body_id, body);
  }

  // The types of the macro's variables: the element or key, or both index and element.
  std::pair<Type, Type> loop_variables(const Node& node, const Type& range) {
    const bool two = !node.second_name.empty();
    switch (range.kind()) {
      case Type::Kind::list:
        if (two) return {Type::integer(), range.parameters()[0]};
        return {range.parameters()[0], Type::dyn()};
      case Type::Kind::map:
        return {range.parameters()[0], range.parameters()[1]};
      case Type::Kind::dyn:
        break;
      case Type::Kind::parameter:
        types_.assignable(Type::dyn(), range);
        break;
      default:
        fail(ast_->node(node.children[0]),
             fmt::format("expression of type '{}' cannot be range of a comprehension (must be "
                         "list, map, or dynamic)",
                         shown(range)));
    }
    return {Type::dyn(), Type::dyn()};
  }

  Type loop_result(const Node& node, const Type& key, NodeId body_id, const Type& body) {
    switch (node.loop) {
      case LoopKind::all:
      case LoopKind::exists:
      case LoopKind::exists_one:
        expect_bool(body_id, body);
        return Type::boolean();
      case LoopKind::to_list:
        return Type::list(types_.resolved(body));
      case LoopKind::to_map:
        return Type::map(types_.resolved(key), types_.resolved(body));
      case LoopKind::merged_to_map:
        break;
    }
    const Type map = Type::map(types_.fresh(), types_.fresh());
    if (!types_.assignable(body, map)) {
      return fail(ast_->node(body_id), fmt::format("expected a map, found {}", shown(body)));
    }
    return types_.resolved(map);
  }

  Type bind(NodeId id, const Node& node) {
    const Type value = types_.resolved(visit(node.children[0]));
    names_.push({node.name, value, new_slots(id, 1)});
    Type body = visit(node.children[1]);
    names_.pop();
    return body;
  }

  Type optional_map(NodeId id, const Node& node) {
    const Type content = types_.fresh();
    const Type operand = visit(node.children[0]);
    if (!types_.assignable(operand, Type::optional(content))) {
      fail(node, fmt::format("expected an optional, found {}", shown(operand)));
    }
    names_.push({node.name, types_.resolved(content), new_slots(id, 1)});
    const Type body = visit(node.children[1]);
    names_.pop();
    if (!node.flat) return Type::optional(types_.resolved(body));
    const Type result = Type::optional(types_.fresh());
    if (!types_.assignable(body, result)) {
      return fail(node, fmt::format("optFlatMap: expected an optional, found {}", shown(body)));
    }
    return types_.resolved(result);
  }

  const Ast* ast_;
  const Environment* environment_;
  Names names_;
  Unifier types_;
  Checked checked_;
  std::optional<SourceFault> fault_;
  std::optional<NodeId> mixed_;  // a list literal whose elements need not be of one type
};

}  // namespace

std::variant<Checked, SourceFault> check(const Ast& ast, const Environment& environment) {
  return Checker(ast, environment).run();
}

}  // namespace tutti::cel
