#include "expr/field_selector.h"

#include <fmt/format.h>

#include <utility>

namespace tutti::expr {
namespace {

Error malformed(std::string message) { return {Error::Code::malformed, std::move(message)}; }

// Where the first unescaped character out of `wanted` stands, or the end.
std::size_t find_unescaped(std::string_view text, std::string_view wanted) {
  std::size_t at = 0;
  while (at < text.size() && wanted.find(text[at]) == std::string_view::npos) {
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::min(at, text.size());
}

Result<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=') return malformed("value has an '=' without a '\\' before it");
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || std::string_view(",=\\").find(text[i]) == std::string_view::npos) {
        return malformed("value has a '\\' that escapes nothing");
      }
    }
    plain += text[i];
  }
  return plain;
}

// Takes "=", "==" or "!=" off the front; empty when there is none.
std::string_view take_operator(std::string_view& text) {
  for (const std::string_view op : {"==", "!=", "="}) {
    if (!text.starts_with(op)) continue;
    text.remove_prefix(op.size());
    return op;
  }
  return {};
}

Result<FieldTerm> parse_term(std::string_view text) {
  const std::size_t end_of_field = find_unescaped(text, "=!");
  const std::string_view field = text.substr(0, end_of_field);
  std::string_view rest = text.substr(end_of_field);
  const std::string_view op = take_operator(rest);
  if (op.empty()) return malformed(fmt::format("term '{}' lacks '=' or '!='", text));
  if (field.empty()) return malformed(fmt::format("term '{}' names no field", text));
  auto value = unescaped(rest);
  if (!value.ok()) return std::move(value).error().within(fmt::format("term '{}'", text));
  return FieldTerm{std::string(field), op != "!=", *std::move(value)};
}

}  // namespace

Result<FieldSelector> parse_field_selector(std::string_view text) {
  FieldSelector selector;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = find_unescaped(rest, ",");
    if (end > 0) {
      auto term = parse_term(rest.substr(0, end));
      if (!term.ok()) {
        return std::move(term).error().within(fmt::format("field selector '{}'", text));
      }
      selector.terms.push_back(*std::move(term));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return selector;
}

}  // namespace tutti::expr
