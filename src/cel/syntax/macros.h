// Calls that are no functions: has(), x.all(v, …), cel.bind() and their like become nodes that name
// their variables.
#pragma once

#include "base/std.h"
#include "cel/syntax/parser.h"
#include "cel/syntax/tree_builder.h"

namespace tutti::cel {

// The node that stands for the call, or nothing if it is an ordinary one. A macro with a wrong
// argument is a fault of the tree.
std::optional<NodeId> expand_macro(TreeBuilder& tree, const Node& call,
                                   const SyntaxOptions& options);

}  // namespace tutti::cel
