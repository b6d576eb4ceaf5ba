#include "core/matching/toleration.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "expr/integer.h"

namespace tutti::core {
namespace {

std::optional<std::int64_t> plain_integer(const std::string& text) {
  const auto value = expr::parse_int64(text);
  if (!value || std::to_string(*value) != text) return std::nullopt;
  return value;
}

bool value_matches(const model::Toleration& toleration, const std::string& taint) {
  using Operator = model::Toleration::Operator;
  if (toleration.op == Operator::exists) return true;
  if (toleration.op == Operator::equal) return toleration.value == taint;
  const auto bound = plain_integer(toleration.value);
  const auto value = plain_integer(taint);
  if (!bound || !value) return false;
  return toleration.op == Operator::lt ? *value < *bound : *value > *bound;
}

}  // namespace

bool tolerates(const model::Toleration& toleration, const model::Taint& taint) {
  return (toleration.effect.empty() || toleration.effect == taint.effect) &&
         (toleration.key.empty() || toleration.key == taint.key) &&
         value_matches(toleration, taint.value);
}

bool tolerates(std::span<const model::Toleration> tolerations, const model::Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const model::Toleration& toleration) {
    return tolerates(toleration, taint);
  });
}

}  // namespace tutti::core
