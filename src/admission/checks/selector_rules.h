// Rules of selectors, wherever an object carries one.
//
// The rules are those of expr/label_selector_rules.h, which stops at the first problem of a text it
// reads; here every problem is reported at its own path and with its value.
#pragma once

#include "admission/checks/findings.h"
#include "base/std.h"
#include "model/pod.h"
#include "model/selector.h"

namespace tutti::admission {

// Label selectors know In, NotIn, Exists and DoesNotExist.
void check_selector(const model::LabelSelector& selector, const Path& path, Findings& findings);
// Nothing when absent.
void check_selector(const std::optional<model::LabelSelector>& selector, const Path& path,
                    Findings& findings);

// Node selectors know Gt and Lt besides; their fields know metadata.name only.
void check_node_term(const model::NodeSelectorTerm& term, const Path& path, Findings& findings);
// Alternatives of which one must match: there must be one. `list` names them below `path`.
void check_node_terms(const std::vector<model::NodeSelectorTerm>& terms, std::string_view list,
                      const Path& path, Findings& findings);

}  // namespace tutti::admission
