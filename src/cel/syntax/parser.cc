// Precedence climbing. A fault moves the reading position to the end of the tokens, so every loop
// and every expectation that follows ends by itself.
#include "cel/syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "cel/syntax/lexer.h"
#include "cel/syntax/literal.h"
#include "cel/syntax/macros.h"
#include "cel/syntax/tree_builder.h"
#include "cel/value/number_text.h"
#include "cel/value/utf8.h"

namespace tutti::cel {
namespace {

struct BinaryOperator {
  std::string_view mark;
  std::string_view function;
  int precedence;
};
constexpr std::array kBinaryOperators = {
    BinaryOperator{"<", "_<_", 1},   BinaryOperator{"<=", "_<=_", 1},
    BinaryOperator{">", "_>_", 1},   BinaryOperator{">=", "_>=_", 1},
    BinaryOperator{"==", "_==_", 1}, BinaryOperator{"!=", "_!=_", 1},
    BinaryOperator{"in", "@in", 1},  BinaryOperator{"+", "_+_", 2},
    BinaryOperator{"-", "_-_", 2},   BinaryOperator{"*", "_*_", 3},
    BinaryOperator{"/", "_/_", 3},   BinaryOperator{"%", "_%_", 3},
};

constexpr std::array<std::string_view, 17> kReserved = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};

class Parser {
 public:
  Parser(std::string_view source, const SyntaxOptions& options)
      : tree_(source), options_(&options) {}

  std::variant<Ast, SourceFault> run() {
    // Tokens are views of the tree's own copy of the source.
    if (auto fault = read_tokens(tree_.ast().source(), tokens_)) return std::move(*fault);
    tree_.ast().root = expression();
    if (peek().kind != TokenKind::end) fail_here("an operator or the end");
    if (tree_.failed()) return std::move(tree_.fault());
    return std::move(tree_.ast());
  }

 private:
  // --- tokens -------------------------------------------------------------------------------

  const Token& peek() const { return tokens_[at_]; }
  Token take() {
    const Token token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool accept(std::string_view mark) {
    if (!peek().is(mark)) return false;
    take();
    return true;
  }
  void expect(std::string_view mark) {
    if (!accept(mark)) fail_here(fmt::format("'{}'", mark));
  }

  void fail(SourceFault::Code code, std::size_t offset, std::string message) {
    tree_.fail(code, offset, std::move(message));
    at_ = tokens_.size() - 1;
  }
  void fail_here(std::string_view expected) {
    const Token& token = peek();
    const std::string found = token.kind == TokenKind::end
                                  ? "the expression ends"
                                  : fmt::format("found '{}'", brief_line(token.text));
    fail(SourceFault::Code::syntax, token.offset, fmt::format("expected {}, {}", expected, found));
  }

  // --- operators ----------------------------------------------------------------------------

  NodeId expression() {
    if (++nesting_ > options_->nesting_max) {
      fail(SourceFault::Code::limit, peek().offset,
           fmt::format("the expression is nested more than {} levels deep", options_->nesting_max));
    }
    NodeId result = logical("||", NodeKind::logical_or);
    if (peek().is("?")) {
      const std::uint32_t offset = take().offset;
      const NodeId then = logical("||", NodeKind::logical_or);
      expect(":");
      result = add(NodeKind::conditional, offset, {result, then, expression()});
    }
    --nesting_;
    return result;
  }

  NodeId add(NodeKind kind, std::uint32_t offset, std::vector<NodeId> children) {
    Node node;
    node.kind = kind;
    node.offset = offset;
    node.children = std::move(children);
    return tree_.add(std::move(node));
  }

  // a && b && c is one node: long chains are common and stay flat.
  NodeId logical(std::string_view mark, NodeKind kind) {
    const auto operand = [&] {
      return kind == NodeKind::logical_or ? logical("&&", NodeKind::logical_and) : binary(1);
    };
    std::vector<NodeId> operands = {operand()};
    const std::uint32_t offset = peek().offset;
    while (accept(mark)) operands.push_back(operand());
    return operands.size() == 1 ? operands[0] : add(kind, offset, std::move(operands));
  }

  const BinaryOperator* binary_operator(int precedence) const {
    const auto* found = std::find_if(
        kBinaryOperators.begin(), kBinaryOperators.end(),
        [&](const auto& each) { return each.precedence == precedence && peek().is(each.mark); });
    return found == kBinaryOperators.end() ? nullptr : found;
  }

  NodeId binary(int precedence) {
    if (precedence > 3) return unary();
    NodeId left = binary(precedence + 1);
    while (const BinaryOperator* which = binary_operator(precedence)) {
      const std::uint32_t offset = take().offset;
      left = tree_.call(which->function, offset, {left, binary(precedence + 1)});
      if (tree_.failed()) at_ = tokens_.size() - 1;
    }
    return left;
  }

  // A pair of the same sign has no effect. The last minus before a number belongs to it, so that
  // the least integer can be written.
  NodeId unary() {
    const std::string_view mark = peek().is("!") ? "!" : "-";
    const std::uint32_t offset = peek().offset;
    std::size_t count = 0;
    while (accept(mark)) ++count;
    const bool number = peek().kind == TokenKind::integer || peek().kind == TokenKind::real;
    const bool negative = mark == "-" && count > 0 && number;
    if (negative) --count;
    const bool other_sign = count > 0 && (peek().is("!") || peek().is("-"));
    const NodeId operand = other_sign ? nested_unary() : member(negative);
    return count % 2 == 0 ? operand : tree_.call(mark == "!" ? "!_" : "-_", offset, {operand});
  }

  NodeId nested_unary() {
    if (++nesting_ > options_->nesting_max) fail_here("an operand");
    const NodeId operand = unary();
    --nesting_;
    return operand;
  }

  // --- members ------------------------------------------------------------------------------

  NodeId member(bool negative) {
    NodeId operand = primary(negative);
    while (true) {
      if (peek().is(".")) {
        operand = selection(operand);
      } else if (peek().is("[")) {
        operand = subscript(operand);
      } else if (peek().is("{") && !qualified_name(tree_.ast(), operand).empty()) {
        fail(SourceFault::Code::syntax, peek().offset, "message literals are not supported");
      } else {
        return operand;
      }
      if (tree_.failed()) at_ = tokens_.size() - 1;
    }
  }

  bool optional_mark() {
    if (!peek().is("?")) return false;
    if (!options_->optional_syntax) fail_here("no optional syntax");
    take();
    return true;
  }

  NodeId selection(NodeId operand) {
    const std::uint32_t dot = take().offset;
    const bool optional = optional_mark();
    const Token name = peek();
    if (name.kind != TokenKind::identifier && name.kind != TokenKind::quoted_identifier) {
      fail_here("a field name");
      return operand;
    }
    take();
    const bool plain = name.kind == TokenKind::identifier;
    if (plain && !optional && peek().is("(")) return call(name, {operand}, true);
    Node node;
    node.kind = NodeKind::select;
    node.optional = optional;
    node.offset = dot;
    node.name = name.text;
    node.children = {operand};
    return tree_.add(std::move(node));
  }

  NodeId subscript(NodeId operand) {
    Node node;
    node.kind = NodeKind::index;
    node.offset = take().offset;
    node.optional = optional_mark();
    node.children = {operand, expression()};
    expect("]");
    return tree_.add(std::move(node));
  }

  // With the opening bracket ahead. `arguments` holds the receiver of a member call.
  NodeId call(const Token& name, std::vector<NodeId> arguments, bool is_member) {
    expect("(");
    if (!peek().is(")")) {
      do {
        arguments.push_back(expression());
      } while (accept(","));
    }
    expect(")");
    Node node;
    node.kind = NodeKind::call;
    node.member = is_member;
    node.name = name.text;
    node.offset = name.offset;
    node.children = std::move(arguments);
    if (tree_.failed()) return tree_.add(std::move(node));
    const auto expanded = expand_macro(tree_, node, *options_);
    if (tree_.failed()) at_ = tokens_.size() - 1;
    return expanded ? *expanded : tree_.add(std::move(node));
  }

  // --- primaries ----------------------------------------------------------------------------

  NodeId primary(bool negative) {
    const Token token = take();
    switch (token.kind) {
      case TokenKind::identifier:
        return name(token, false);
      case TokenKind::integer:
      case TokenKind::unsigned_integer:
        return integer(token, negative);
      case TokenKind::real:
        return real(token, negative);
      case TokenKind::string:
      case TokenKind::bytes:
        return text(token);
      default:
        break;
    }
    if (token.is("true") || token.is("false")) {
      return constant(token, Value::boolean(token.is("true")));
    }
    if (token.is("null")) return constant(token, Value::null());
    if (token.is("(")) {
      const NodeId inner = expression();
      expect(")");
      return inner;
    }
    if (token.is("[")) return list(token);
    if (token.is("{")) return map(token);
    if (token.is(".") && peek().kind == TokenKind::identifier) return name(take(), true);
    if (token.kind != TokenKind::end) --at_;
    fail_here("an expression");
    return tree_.add({});
  }

  NodeId constant(const Token& token, Value value) {
    Node node;
    node.offset = token.offset;
    node.value = value;
    return tree_.add(std::move(node));
  }

  NodeId name(const Token& token, bool global) {
    if (std::find(kReserved.begin(), kReserved.end(), token.text) != kReserved.end()) {
      fail(SourceFault::Code::syntax, token.offset,
           fmt::format("'{}' is a reserved word", token.text));
    }
    if (!peek().is("(")) {
      const NodeId id = tree_.identifier(token.text, token.offset);
      tree_.node(id).global = global;
      return id;
    }
    const NodeId id = call(token, {}, false);
    if (tree_.node(id).kind == NodeKind::call) tree_.node(id).global = global;
    return id;
  }

  NodeId integer(const Token& token, bool negative) {
    const bool is_unsigned = token.kind == TokenKind::unsigned_integer;
    std::string digits(token.text);
    const bool hexadecimal = digits.size() > 2 && (digits[1] | 0x20) == 'x';
    if (hexadecimal) digits.erase(0, 2);
    if (negative) digits.insert(0, "-");
    std::int64_t value = 0;
    std::uint64_t unsigned_value = 0;
    const char* end = digits.data() + digits.size();
    const int base = hexadecimal ? 16 : 10;
    const auto error = is_unsigned ? std::from_chars(digits.data(), end, unsigned_value, base).ec
                                   : std::from_chars(digits.data(), end, value, base).ec;
    if (error != std::errc()) {
      fail(SourceFault::Code::syntax, token.offset, "the number is too large for 64 bits");
    }
    return constant(token,
                    is_unsigned ? Value::unsigned_integer(unsigned_value) : Value::integer(value));
  }

  NodeId real(const Token& token, bool negative) {
    const auto value = parse_real(token.text);
    if (!value) fail(SourceFault::Code::syntax, token.offset, "the number is too large");
    const double magnitude = value.value_or(0);
    return constant(token, Value::real(negative ? -magnitude : magnitude));
  }

  NodeId text(const Token& token) {
    auto content = unquoted(token.text);
    if (!content.ok()) {
      fail(SourceFault::Code::syntax, token.offset, std::move(content).error().message);
      return tree_.add({});
    }
    const std::string_view kept = tree_.keep(*std::move(content));
    return constant(token,
                    token.kind == TokenKind::bytes ? Value::bytes(kept) : Value::string(kept));
  }

  NodeId list(const Token& open) {
    Node node;
    node.kind = NodeKind::list;
    node.offset = open.offset;
    while (!peek().is("]") && peek().kind != TokenKind::end) {
      node.flags.push_back(optional_mark());
      node.children.push_back(expression());
      if (!accept(",")) break;
    }
    expect("]");
    return tree_.add(std::move(node));
  }

  NodeId map(const Token& open) {
    Node node;
    node.kind = NodeKind::map;
    node.offset = open.offset;
    while (!peek().is("}") && peek().kind != TokenKind::end) {
      node.flags.push_back(optional_mark());
      node.children.push_back(expression());
      expect(":");
      node.children.push_back(expression());
      if (!accept(",")) break;
    }
    expect("}");
    return tree_.add(std::move(node));
  }

  TreeBuilder tree_;
  const SyntaxOptions* options_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
};

SourceFault too_long(std::string_view source, std::size_t bytes_max) {
  return {SourceFault::Code::limit, position_of(source, bytes_max),
          fmt::format("the expression has {} bytes, at most {}", source.size(), bytes_max)};
}

}  // namespace

std::variant<Ast, SourceFault> parse(std::string_view source, const SyntaxOptions& options) {
  if (source.size() > options.bytes_max) return too_long(source, options.bytes_max);
  if (!is_utf8(source)) {
    return SourceFault{SourceFault::Code::syntax, {}, "the expression is not UTF-8"};
  }
  return Parser(source, options).run();
}

}  // namespace tutti::cel
