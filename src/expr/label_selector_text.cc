#include "expr/label_selector_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "expr/label_selector_rules.h"

namespace tutti::expr {
namespace {

using Operator = model::Requirement::Operator;

struct Token {
  enum class Kind { word, comma, open, close, equal, not_equal, negation, greater, less, end };
  Kind kind = Kind::end;
  std::string_view text;
};
using Kind = Token::Kind;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kNotInWords = " \t\r\n=!(),<>";

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  Token next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    if (rest_.empty()) return {Kind::end, "end of text"};
    for (const auto& symbol : kSymbols) {
      if (rest_.starts_with(symbol.text)) return take(symbol.kind, symbol.text.size());
    }
    return take(Kind::word, std::min(rest_.find_first_of(kNotInWords), rest_.size()));
  }

 private:
  // Longer ones first.
  static constexpr Token kSymbols[] = {
      {Kind::equal, "=="},   {Kind::not_equal, "!="}, {Kind::equal, "="},
      {Kind::negation, "!"}, {Kind::comma, ","},      {Kind::open, "("},
      {Kind::close, ")"},    {Kind::greater, ">"},    {Kind::less, "<"},
  };

  Token take(Kind kind, std::size_t size) {
    const Token token{kind, rest_.substr(0, size)};
    rest_.remove_prefix(size);
    return token;
  }

  std::string_view rest_;
};

// Recursive descent over one token of lookahead. "in" and "notin" are words like others except
// right after a key, so they may also name keys and values.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text), token_(lexer_.next()) {}

  Result<model::LabelSelector> selector() {
    if (at(Kind::end)) return model::LabelSelector{};
    do {
      TUTTI_TRY(condition());
    } while (accept(Kind::comma));
    if (!at(Kind::end)) return expected("',' or the end");
    return std::move(selector_);
  }

 private:
  bool at(Kind kind) const { return token_.kind == kind; }
  bool accept(Kind kind) {
    if (!at(kind)) return false;
    token_ = lexer_.next();
    return true;
  }
  bool accept_word(std::string_view word) {
    return at(Kind::word) && token_.text == word && accept(Kind::word);
  }
  std::string word_or_empty() {
    const Token token = token_;
    return accept(Kind::word) ? std::string(token.text) : std::string();
  }

  Status condition() {
    const bool negated = accept(Kind::negation);
    if (!at(Kind::word)) return expected("a label key");
    std::string key = word_or_empty();
    if (negated) return require({std::move(key), Operator::does_not_exist, {}});
    if (at(Kind::comma) || at(Kind::end)) return require({std::move(key), Operator::exists, {}});
    if (accept(Kind::equal)) return require_equal(std::move(key), word_or_empty());
    if (accept(Kind::not_equal)) {
      return require({std::move(key), Operator::not_in, {word_or_empty()}});
    }
    if (accept(Kind::greater)) return require({std::move(key), Operator::gt, {word_or_empty()}});
    if (accept(Kind::less)) return require({std::move(key), Operator::lt, {word_or_empty()}});
    if (accept_word("in")) return require_listed(std::move(key), Operator::in);
    if (accept_word("notin")) return require_listed(std::move(key), Operator::not_in);
    return expected("an operator");
  }

  Status require_listed(std::string key, Operator op) {
    if (!accept(Kind::open)) return expected("'('");
    std::vector<std::string> values;
    do {
      values.push_back(word_or_empty());
    } while (accept(Kind::comma));
    if (!accept(Kind::close)) return expected("',' or ')'");
    return require({std::move(key), op, std::move(values)});
  }

  Status require_equal(std::string key, std::string value) {
    model::Requirement requirement{std::move(key), Operator::in, {std::move(value)}};
    auto& labels = selector_.match_labels;
    const auto spot =
        std::lower_bound(labels.begin(), labels.end(), requirement.key,
                         [](const auto& pair, const auto& wanted) { return pair.first < wanted; });
    if (spot != labels.end() && spot->first == requirement.key) {
      return require(std::move(requirement));
    }
    TUTTI_TRY(checked(requirement));
    labels.emplace(spot, requirement.key, requirement.values.front());
    return ok_status();
  }

  Status require(model::Requirement requirement) {
    TUTTI_TRY(checked(requirement));
    selector_.match_expressions.push_back(std::move(requirement));
    return ok_status();
  }

  static Status checked(const model::Requirement& requirement) {
    const auto problem = requirement_problem(requirement, OrderOperators::allowed);
    if (!problem) return ok_status();
    return Error{Error::Code::malformed, fmt::format("'{}': {}", requirement.key, *problem)};
  }

  Error expected(std::string_view what) const {
    return {Error::Code::malformed, fmt::format("expected {} but found '{}'", what, token_.text)};
  }

  Lexer lexer_;
  Token token_;
  model::LabelSelector selector_;
};

std::string requirement_text(const model::Requirement& requirement) {
  const std::string& key = requirement.key;
  const std::string values = fmt::format("{}", fmt::join(requirement.values, ","));
  switch (requirement.op) {
    case Operator::in:
      return fmt::format("{} in ({})", key, values);
    case Operator::not_in:
      return fmt::format("{} notin ({})", key, values);
    case Operator::exists:
      return key;
    case Operator::does_not_exist:
      return "!" + key;
    case Operator::gt:
      return fmt::format("{}>{}", key, values);
    case Operator::lt:
      return fmt::format("{}<{}", key, values);
  }
  TUTTI_UNREACHABLE("a requirement has an operator that does not exist");
}

}  // namespace

Result<model::LabelSelector> parse_label_selector(std::string_view text) {
  auto parsed = Parser(text).selector();
  if (parsed.ok()) return parsed;
  return std::move(parsed).error().within(fmt::format("label selector '{}'", text));
}

std::string label_selector_text(const model::LabelSelector& selector) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector.match_labels) parts.push_back(key + "=" + value);
  for (const auto& requirement : selector.match_expressions) {
    parts.push_back(requirement_text(requirement));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace tutti::expr
