#include "cel/syntax/parser.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::cel {
namespace {

// The tree as nested calls.
std::string shown(const Ast& ast, NodeId id) {
  const Node& node = ast.node(id);
  std::string text = std::string(node.name);
  switch (node.kind) {
    case NodeKind::constant:
      return node.value.is(Kind::integer) ? std::to_string(node.value.as_integer()) : "constant";
    case NodeKind::logical_and:
      text = "and";
      break;
    case NodeKind::logical_or:
      text = "or";
      break;
    case NodeKind::conditional:
      text = "if";
      break;
    case NodeKind::index:
      text = node.optional ? "[?]" : "[]";
      break;
    case NodeKind::select:
      text = (node.test ? "has ." : node.optional ? ".?" : ".") + text;
      break;
    case NodeKind::list:
      text = "list";
      break;
    case NodeKind::loop:
      text = "loop " + text;
      break;
    default:
      break;
  }
  if (node.children.empty()) return text;
  text += "(";
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    text += (i > 0 ? " " : "") + shown(ast, node.children[i]);
  }
  return text + ")";
}

std::string tree(std::string_view source) {
  const auto parsed = parse(source, {});
  if (const auto* fault = std::get_if<SourceFault>(&parsed)) return fault->text();
  const Ast& ast = *std::get_if<Ast>(&parsed);
  return shown(ast, ast.root);
}

TEST(CelParser, bindsOperatorsByPrecedence) {
  EXPECT_EQ(tree("1 + 2 * 3 - 4"), "_-_(_+_(1 _*_(2 3)) 4)");
  EXPECT_EQ(tree("a || b && c || d"), "or(a and(b c) d)");
  EXPECT_EQ(tree("a == 1 && b in c"), "and(_==_(a 1) @in(b c))");
  EXPECT_EQ(tree("a ? b : c ? d : e"), "if(a b if(c d e))");
  EXPECT_EQ(tree("!a.b[0]"), "!_([](.b(a) 0))");
}

TEST(CelParser, givesTheLastMinusToTheNumber) {
  EXPECT_EQ(tree("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(tree("1 - -1"), "_-_(1 -1)");
  EXPECT_EQ(tree("--1"), "-_(-1)");
  EXPECT_EQ(tree("--a"), "a");
  EXPECT_EQ(tree("!!!a"), "!_(a)");
}

TEST(CelParser, expandsMacros) {
  EXPECT_EQ(tree("has(a.b)"), "has .b(a)");
  EXPECT_EQ(tree("a.all(x, x)"), "loop x(a x)");
  EXPECT_EQ(tree("a.all(x, y, z, w)"), "all(a x y z w)");
  EXPECT_EQ(tree("a.?b[?0]"), "[?](.?b(a) 0)");
}

TEST(CelParser, saysWhatIsWrongAndWhere) {
  EXPECT_EQ(tree(""), "line 1, column 1: expected an expression, the expression ends");
  EXPECT_EQ(tree("a b"), "line 1, column 3: expected an operator or the end, found 'b'");
  EXPECT_EQ(tree("f(1"), "line 1, column 4: expected ')', the expression ends");
  EXPECT_EQ(tree("a.1"), "line 1, column 2: expected an operator or the end, found '.1'");
  EXPECT_EQ(tree("'abc"), "line 1, column 1: the string literal is not closed");
  EXPECT_EQ(tree("'\\z'"), "line 1, column 1: the literal has an invalid escape '\\z'");
  EXPECT_EQ(tree("for"), "line 1, column 1: 'for' is a reserved word");
  EXPECT_EQ(tree("9223372036854775808"), "line 1, column 1: the number is too large for 64 bits");
  EXPECT_EQ(tree("has(a)"), "line 1, column 5: has() takes a field selection: has(a.b)");
  EXPECT_EQ(tree("a.all(1, x)"), "line 1, column 7: the macro's variable must be a simple name");
  EXPECT_EQ(tree("A{b: 1}"), "line 1, column 2: message literals are not supported");
  EXPECT_EQ(tree("'ä' + §"), "line 1, column 7: unexpected '§'");
  EXPECT_EQ(tree("\xff"), "line 1, column 1: the expression is not UTF-8");
}

}  // namespace
}  // namespace tutti::cel
