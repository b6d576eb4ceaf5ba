// An expression as a tree. Macros are already expanded into nodes of their own.
#pragma once

#include <deque>

#include "base/std.h"
#include "cel/value/value.h"

namespace tutti::cel {

using NodeId = std::uint32_t;

enum class NodeKind : std::uint8_t {
  constant,     // value
  identifier,   // name; `global` for .name
  select,       // children[0].name; `optional` for .?name, `test` inside has()
  index,        // children[0][children[1]]; `optional` for [?…]
  call,         // name(children…); `member`: children[0] is the receiver. Operators too: "_+_"
  list,         // children; flags says which are optional
  map,          // key, value, key, value…; flags says which pairs are optional
  logical_and,  // two children or more
  logical_or,
  conditional,   // condition, then, else
  loop,          // a macro over a list or map, see LoopKind
  bind,          // cel.bind(name, children[0], children[1])
  optional_map,  // children[0].optMap(name, children[1]); `flat` for optFlatMap
};

// Children of a loop: range, filter if `filtered`, body.
enum class LoopKind : std::uint8_t {
  all,
  exists,
  exists_one,
  to_list,       // map, filter, transformList
  to_map,        // transformMap
  merged_to_map  // transformMapEntry
};

// One node. Which of its members mean something depends on the kind; see NodeKind.
struct Node {
  NodeKind kind = NodeKind::constant;
  LoopKind loop = LoopKind::all;
  bool global = false;
  bool optional = false;
  bool test = false;
  bool member = false;
  bool flat = false;
  bool filtered = false;
  std::uint32_t offset = 0;  // of what names it: the operator, the dot, the function
  std::uint32_t depth = 1;   // of the tree below
  std::string_view name;     // of a loop: the first variable
  std::string_view second_name;
  Value value;
  std::vector<NodeId> children;
  std::vector<bool> flags;
};

// A tree; nodes refer to each other by their places in `nodes`.
struct Ast {
  std::vector<Node> nodes;
  std::deque<std::string> texts;  // what names and constants point to; the first is the source
  NodeId root = 0;

  const std::string& source() const { return texts.front(); }
  const Node& node(NodeId id) const { return nodes[id]; }
};

// The qualified name "a.b.c" that a chain of selections spells; empty if it is something else.
std::string qualified_name(const Ast& ast, NodeId id);

}  // namespace tutti::cel
