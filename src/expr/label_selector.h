// Does a label set satisfy a selector? Semantics of Kubernetes: conditions are ANDed, an empty
// selector matches everything, and not_in and does_not_exist accept an object without the key.
//
// Labels come through a lookup, so a caller with interned or columnar labels needs no copy.
#pragma once

#include <algorithm>
#include <type_traits>

#include "base/std.h"
#include "model/object.h"
#include "model/selector.h"

namespace tutti::expr {

// From a key to its value, empty when the object has no such label.
template <typename Lookup>
concept LabelLookup =
    std::is_invocable_r_v<std::optional<std::string_view>, Lookup, std::string_view>;

// Whether a label of this value (empty: the key is absent) satisfies the requirement. gt and lt
// compare base-10 int64; what does not parse, and a requirement without exactly one bound, does not
// match.
bool accepts(const model::Requirement& requirement, std::optional<std::string_view> value);

template <LabelLookup Lookup>
bool matches(const model::Requirement& requirement, const Lookup& find) {
  return accepts(requirement, find(requirement.key));
}

template <LabelLookup Lookup>
bool matches(const model::LabelSelector& selector, const Lookup& find) {
  const auto has = [&](const auto& pair) {
    const std::optional<std::string_view> value = find(pair.first);
    return value && *value == pair.second;
  };
  const auto met = [&](const auto& requirement) { return matches(requirement, find); };
  return std::all_of(selector.match_labels.begin(), selector.match_labels.end(), has) &&
         std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(), met);
}

bool matches(const model::Requirement& requirement, const model::Labels& labels);
bool matches(const model::LabelSelector& selector, const model::Labels& labels);

}  // namespace tutti::expr
