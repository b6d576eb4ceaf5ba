#include "expr/label_selector.h"

#include <functional>

#include "base/check.h"
#include "expr/integer.h"

namespace tutti::expr {
namespace {

bool lists(const model::Requirement& requirement, std::string_view value) {
  return std::find(requirement.values.begin(), requirement.values.end(), value) !=
         requirement.values.end();
}

template <typename Order>
bool compares(const model::Requirement& requirement, std::optional<std::string_view> value,
              Order order) {
  if (!value || requirement.values.size() != 1) return false;
  const auto left = parse_int64(*value);
  const auto right = parse_int64(requirement.values.front());
  return left && right && order(*left, *right);
}

auto lookup_in(const model::Labels& labels) {
  return [&labels](std::string_view key) -> std::optional<std::string_view> {
    if (const std::string* value = model::find(labels, key)) return *value;
    return std::nullopt;
  };
}

}  // namespace

bool accepts(const model::Requirement& requirement, std::optional<std::string_view> value) {
  using Operator = model::Requirement::Operator;
  switch (requirement.op) {
    case Operator::in:
      return value && lists(requirement, *value);
    case Operator::not_in:
      return !value || !lists(requirement, *value);
    case Operator::exists:
      return value.has_value();
    case Operator::does_not_exist:
      return !value.has_value();
    case Operator::gt:
      return compares(requirement, value, std::greater<>());
    case Operator::lt:
      return compares(requirement, value, std::less<>());
  }
  TUTTI_UNREACHABLE("a requirement has an operator that does not exist");
}

bool matches(const model::Requirement& requirement, const model::Labels& labels) {
  return matches(requirement, lookup_in(labels));
}

bool matches(const model::LabelSelector& selector, const model::Labels& labels) {
  return matches(selector, lookup_in(labels));
}

}  // namespace tutti::expr
