// Makes nodes and keeps the tree within its limits.
#pragma once

#include "base/std.h"
#include "cel/syntax/ast.h"
#include "cel/value/fault.h"

namespace tutti::cel {

class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view source) { ast_.texts.emplace_back(source); }

  // Every node stands on those before it; what is too deep is a fault.
  NodeId add(Node node);
  NodeId call(std::string_view name, std::uint32_t offset, std::vector<NodeId> arguments);
  NodeId identifier(std::string_view name, std::uint32_t offset);
  std::string_view keep(std::string text);

  // The first fault is the one that counts.
  void fail(SourceFault::Code code, std::size_t offset, std::string message);
  bool failed() const { return fault_.has_value(); }
  SourceFault& fault() { return *fault_; }

  Node& node(NodeId id) { return ast_.nodes[id]; }
  Ast& ast() { return ast_; }

 private:
  static constexpr std::uint32_t kDepthMax = 1000;

  Ast ast_;
  std::optional<SourceFault> fault_;
};

}  // namespace tutti::cel
