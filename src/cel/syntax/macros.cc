#include "cel/syntax/macros.h"

#include <array>

namespace tutti::cel {
namespace {

// One form of a macro over a list or map. Arguments: variables, filter, body; `filter` itself has
// no body and gives the elements.
struct LoopMacro {
  std::string_view name;
  std::size_t arguments;
  std::size_t variables;
  bool filtered;
  bool body;
  LoopKind kind;
};
constexpr std::array kLoopMacros = {
    LoopMacro{"all", 2, 1, false, true, LoopKind::all},
    LoopMacro{"exists", 2, 1, false, true, LoopKind::exists},
    LoopMacro{"exists_one", 2, 1, false, true, LoopKind::exists_one},
    LoopMacro{"existsOne", 2, 1, false, true, LoopKind::exists_one},
    LoopMacro{"map", 2, 1, false, true, LoopKind::to_list},
    LoopMacro{"map", 3, 1, true, true, LoopKind::to_list},
    LoopMacro{"filter", 2, 1, true, false, LoopKind::to_list},
    LoopMacro{"all", 3, 2, false, true, LoopKind::all},
    LoopMacro{"exists", 3, 2, false, true, LoopKind::exists},
    LoopMacro{"existsOne", 3, 2, false, true, LoopKind::exists_one},
    LoopMacro{"transformList", 3, 2, false, true, LoopKind::to_list},
    LoopMacro{"transformList", 4, 2, true, true, LoopKind::to_list},
    LoopMacro{"transformMap", 3, 2, false, true, LoopKind::to_map},
    LoopMacro{"transformMap", 4, 2, true, true, LoopKind::to_map},
    LoopMacro{"transformMapEntry", 3, 2, false, true, LoopKind::merged_to_map},
    LoopMacro{"transformMapEntry", 4, 2, true, true, LoopKind::merged_to_map},
};

// The name that an argument declares; a fault if it is no plain identifier.
std::string_view variable_name(TreeBuilder& tree, NodeId argument) {
  const Node& node = tree.node(argument);
  if (node.kind != NodeKind::identifier || node.global) {
    tree.fail(SourceFault::Code::syntax, node.offset, "the macro's variable must be a simple name");
    return {};
  }
  return node.name;
}

NodeId expand_loop(TreeBuilder& tree, const Node& call, const LoopMacro& macro) {
  const auto argument = [&call](std::size_t index) { return call.children[1 + index]; };
  Node loop;
  loop.kind = NodeKind::loop;
  loop.loop = macro.kind;
  loop.offset = call.offset;
  loop.filtered = macro.filtered;
  loop.name = variable_name(tree, argument(0));
  if (macro.variables == 2) {
    loop.second_name = variable_name(tree, argument(1));
    if (loop.name == loop.second_name) {
      tree.fail(SourceFault::Code::syntax, tree.node(argument(1)).offset,
                "the macro's two variables must have different names");
    }
  }
  loop.children.push_back(call.children[0]);
  for (std::size_t i = macro.variables; i < macro.arguments; ++i) {
    loop.children.push_back(argument(i));
  }
  if (!macro.body) loop.children.push_back(tree.identifier(loop.name, call.offset));
  return tree.add(std::move(loop));
}

// list.sortBy(v, key) sorts the list by the list of its keys.
NodeId expand_sort_by(TreeBuilder& tree, const Node& call) {
  Node keys;
  keys.kind = NodeKind::loop;
  keys.loop = LoopKind::to_list;
  keys.offset = call.offset;
  keys.name = variable_name(tree, call.children[1]);
  keys.children = {call.children[0], call.children[2]};
  Node sort;
  sort.kind = NodeKind::call;
  sort.member = true;
  sort.name = "@sortByKeys";
  sort.offset = call.offset;
  sort.children = {call.children[0], tree.add(std::move(keys))};
  return tree.add(std::move(sort));
}

std::optional<NodeId> expand_member(TreeBuilder& tree, const Node& call,
                                    const SyntaxOptions& options) {
  const std::size_t arguments = call.children.size() - 1;
  for (const LoopMacro& macro : kLoopMacros) {
    if (macro.name != call.name || macro.arguments != arguments) continue;
    if (macro.variables == 2 && !options.two_variables) continue;
    return expand_loop(tree, call, macro);
  }
  if (options.sort_by && call.name == "sortBy" && arguments == 2) {
    return expand_sort_by(tree, call);
  }
  const bool flat = call.name == "optFlatMap";
  if (options.optional_syntax && arguments == 2 && (flat || call.name == "optMap")) {
    Node node;
    node.kind = NodeKind::optional_map;
    node.flat = flat;
    node.offset = call.offset;
    node.name = variable_name(tree, call.children[1]);
    node.children = {call.children[0], call.children[2]};
    return tree.add(std::move(node));
  }
  const Node& receiver = tree.node(call.children[0]);
  const bool is_cel = receiver.kind == NodeKind::identifier && receiver.name == "cel";
  if (options.bind && is_cel && call.name == "bind" && arguments == 3) {
    Node node;
    node.kind = NodeKind::bind;
    node.offset = call.offset;
    node.name = variable_name(tree, call.children[1]);
    node.children = {call.children[2], call.children[3]};
    return tree.add(std::move(node));
  }
  return std::nullopt;
}

NodeId expand_has(TreeBuilder& tree, const Node& call) {
  Node select = tree.node(call.children[0]);
  if (select.kind != NodeKind::select || select.optional || select.test) {
    tree.fail(SourceFault::Code::syntax, select.offset, "has() takes a field selection: has(a.b)");
  }
  select.test = true;
  return tree.add(std::move(select));
}

}  // namespace

std::optional<NodeId> expand_macro(TreeBuilder& tree, const Node& call,
                                   const SyntaxOptions& options) {
  if (call.member) return expand_member(tree, call, options);
  if (call.name == "has" && call.children.size() == 1) return expand_has(tree, call);
  return std::nullopt;
}

}  // namespace tutti::cel
