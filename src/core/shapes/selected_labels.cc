#include "core/shapes/selected_labels.h"

#include "core/shapes/shape.h"

namespace tutti::core {

void SelectedLabels::add(const model::LabelSelector& selector) {
  add(selector.match_labels);
  for (const auto& requirement : selector.match_expressions) {
    auto& known = values_[requirement.key];
    known.listed.insert(requirement.values.begin(), requirement.values.end());
  }
}

void SelectedLabels::add(const Pairs& wanted) {
  for (const auto& [key, value] : wanted) values_[key].listed.insert(value);
}

void SelectedLabels::add_whole(const std::string& key) { values_[key].whole = true; }

void SelectedLabels::add(const SelectedLabels& other) {
  for (const auto& [key, more] : other.values_) {
    auto& known = values_[key];
    known.whole = known.whole || more.whole;
    known.listed.insert(more.listed.begin(), more.listed.end());
  }
}

SelectedLabels::Pairs SelectedLabels::seen_of(const Pairs& labels) const {
  Pairs seen;
  for (const auto& [key, value] : labels) {
    const auto at = values_.find(key);
    if (at == values_.end()) continue;
    const bool told = at->second.whole || at->second.listed.contains(value);
    seen.emplace_back(key, told ? value : kOther);
  }
  return seen;
}

SelectedLabels selected_by_affinity(const PodShape& shape) {
  SelectedLabels selected;
  const auto add = [&](const model::PodAffinityTerm& term) {
    if (term.selector) selected.add(*term.selector);
  };
  for (const auto* affinity : {&shape.spec->affinity, &shape.spec->anti_affinity}) {
    for (const auto& term : affinity->required) add(term);
    for (const auto& weighted : affinity->preferred) add(weighted.term);
  }
  return selected;
}

SelectedLabels selected_by(const PodShape& shape) {
  SelectedLabels selected = selected_by_affinity(shape);
  for (const auto& constraint : shape.spec->spread) {
    if (constraint.selector) selected.add(*constraint.selector);
    for (const auto& key : constraint.match_label_keys) selected.add_whole(key);
  }
  return selected;
}

}  // namespace tutti::core
