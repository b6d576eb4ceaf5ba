// Field selectors of list and watch: "metadata.name=x,status.phase!=Running". Which fields a kind
// offers is the caller's knowledge; this file reads the text and compares.
#pragma once

#include <algorithm>

#include "base/result.h"
#include "base/std.h"
#include "expr/label_selector.h"

namespace tutti::expr {

struct FieldTerm {
  std::string field;
  bool equal = true;  // false: "!="
  std::string value;
  bool operator==(const FieldTerm&) const = default;
};

// Terms are ANDed; no terms match everything.
struct FieldSelector {
  std::vector<FieldTerm> terms;
  bool operator==(const FieldSelector&) const = default;
};

// Terms field=value, field==value or field!=value joined by commas. In values, ',', '=' and '\' are
// written behind a '\'. Empty terms are skipped, blanks are not.
Result<FieldSelector> parse_field_selector(std::string_view text);

// A field the object leaves out compares as the empty string.
template <LabelLookup Lookup>
bool matches(const FieldSelector& selector, const Lookup& find) {
  return std::all_of(selector.terms.begin(), selector.terms.end(), [&](const FieldTerm& term) {
    const std::optional<std::string_view> value = find(term.field);
    return (value.value_or(std::string_view()) == term.value) == term.equal;
  });
}

}  // namespace tutti::expr
