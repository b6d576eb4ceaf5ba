#include "explain/findings/only_node.h"

#include <algorithm>

namespace tutti::explain {
namespace {

bool names_one(const model::Requirement& field) {
  return field.key == "metadata.name" && field.op == model::Requirement::Operator::in &&
         field.values.size() == 1;
}

}  // namespace

std::string_view only_node_of(const model::PodSpec& spec) {
  const auto& terms = spec.node_affinity.required;
  if (!terms) return {};
  std::string_view named;
  for (const model::NodeSelectorTerm& term : *terms) {
    const auto at = std::ranges::find_if(term.match_fields, names_one);
    if (at == term.match_fields.end()) return {};
    if (!named.empty() && named != at->values.front()) return {};
    named = at->values.front();
  }
  return named;
}

}  // namespace tutti::explain
