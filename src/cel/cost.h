// What an expression can cost at worst, told before it runs: the figure by which an API server
// refuses expressions.
//
// The walk adds up what every piece costs, with the largest sizes that texts, lists and maps can
// have: literals know theirs, declared values have Bounds, results of functions follow from their
// arguments. What has no bound costs without bound.
#pragma once

#include "base/std.h"
#include "cel/cel.h"
#include "cel/checker.h"
#include "cel/syntax/ast.h"

namespace tutti::cel {

struct WorstCost {
  std::uint64_t cost = 0;  // the largest number stands for "without bound"
  // The innermost piece that alone costs more than asked about; the root if none does.
  NodeId culprit = 0;
};

// Requires types that were checked.
WorstCost worst_cost(const Ast& ast, const Checked& checked, const Environment& environment,
                     std::uint64_t limit);

}  // namespace tutti::cel
