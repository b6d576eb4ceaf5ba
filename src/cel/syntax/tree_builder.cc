#include "cel/syntax/tree_builder.h"

#include <algorithm>

namespace tutti::cel {

NodeId TreeBuilder::add(Node node) {
  for (const NodeId child : node.children) {
    node.depth = std::max(node.depth, ast_.nodes[child].depth + 1);
  }
  if (node.depth > kDepthMax) {
    fail(SourceFault::Code::limit, node.offset, "the expression is nested too deeply");
  }
  ast_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(ast_.nodes.size() - 1);
}

NodeId TreeBuilder::call(std::string_view name, std::uint32_t offset,
                         std::vector<NodeId> arguments) {
  Node node;
  node.kind = NodeKind::call;
  node.name = name;
  node.offset = offset;
  node.children = std::move(arguments);
  return add(std::move(node));
}

NodeId TreeBuilder::identifier(std::string_view name, std::uint32_t offset) {
  Node node;
  node.kind = NodeKind::identifier;
  node.name = name;
  node.offset = offset;
  return add(std::move(node));
}

std::string_view TreeBuilder::keep(std::string text) {
  return ast_.texts.emplace_back(std::move(text));
}

void TreeBuilder::fail(SourceFault::Code code, std::size_t offset, std::string message) {
  if (!fault_) fault_ = SourceFault{code, position_of(ast_.source(), offset), std::move(message)};
}

std::string qualified_name(const Ast& ast, NodeId id) {
  const Node& node = ast.node(id);
  if (node.kind == NodeKind::identifier) return (node.global ? "." : "") + std::string(node.name);
  if (node.kind != NodeKind::select || node.optional || node.test) return {};
  const std::string operand = qualified_name(ast, node.children[0]);
  return operand.empty() ? std::string() : operand + "." + std::string(node.name);
}

}  // namespace tutti::cel
