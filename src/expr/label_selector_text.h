// Label selectors as kubectl users write them: "app=web,tier!=cache,zone in (a,b),!draft,owner".
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "model/selector.h"

namespace tutti::expr {

// Conditions joined by commas: a  !a  a=b  a==b  a!=b  a in (x,y)  a notin (x)  a>5  a<5. Blanks
// between words do not count; empty text selects everything; "()" lists one empty value.
//
// Equalities become match_labels, sorted by key; a second value for a key becomes an `in`, so that
// "a=b,a=c" still matches nothing. Keys and values obey the naming rules.
Result<model::LabelSelector> parse_label_selector(std::string_view text);

// Text that parses back to the same selector, if that selector is valid and its match_labels
// sorted.
std::string label_selector_text(const model::LabelSelector& selector);

}  // namespace tutti::expr
