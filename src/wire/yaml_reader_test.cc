#include "wire/yaml_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/json_writer.h"
#include "wire/test_documents.h"

namespace tutti::wire {
namespace {

const auto kRead = [](std::string_view text, const DocumentSink& sink) {
  return read_yaml(text, sink);
};

std::string json_of(std::string_view yaml) { return to_json(only_document(kRead, yaml).root()); }
std::string yaml_error(std::string_view yaml) { return collect(kRead, yaml).error; }

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(YamlReader, readsPlainScalarsAsKubectlDoes) {
  struct Case {
    const char* yaml;
    const char* json;
  };
  const std::vector<Case> cases = {
      {"[y, Y, yes, Yes, YES, on, On, ON]", "[true,true,true,true,true,true,true,true]"},
      {"[true, True, TRUE, tRUE, yEs]", R"([true,true,true,"tRUE","yEs"])"},
      {"[n, N, no, No, NO, off, Off, OFF]", "[false,false,false,false,false,false,false,false]"},
      {"[false, False, FALSE]", "[false,false,false]"},
      {"[~, null, Null, NULL, nULL]", R"([null,null,null,null,"nULL"])"},
      {"a:", R"({"a":null})"},
      {"[0, 7, -7, +7, 00]", "[0,7,-7,7,0]"},
      {"[0x1F, -0x1f, 0o17, 017, -017, 0b101, -0b101]", "[31,-31,15,15,-15,5,-5]"},
      {"[1_000, 0x_ff, _1]", R"([1000,255,"_1"])"},
      {"[08, 0x, 0b2, 0o8, 0xfg]", R"([8,"0x","0b2","0o8","0xfg"])"},
      {"[0-1, 00-1, 0+1, 0-1.5, 1-2]", R"(["0-1","00-1","0+1","0-1.5","1-2"])"},
      {"[9223372036854775807, -9223372036854775808]", "[9223372036854775807,-9223372036854775808]"},
      {"[9223372036854775808, 0xFFFFFFFFFFFFFFFF]", "[9223372036854775808,18446744073709551615]"},
      {"[123456789012345678901234567890]", "[123456789012345678901234567890]"},
      {"[1.50, .5, 5., +1.5, -0.0, 1e3, 1E-3, 1.]", "[1.50,0.5,5,1.5,-0.0,1e3,1E-3,1]"},
      {"[1e, ., -, +-5, 1.2.3, 1e2.5, --1]", R"(["1e",".","-","+-5","1.2.3","1e2.5","--1"])"},
      {"[7e12345, 1e-9999, 0e123456789]", R"(["7e12345",1e-9999,"0e123456789"])"},
      {"[2024-01-02, 2024-01-02T03:04:05Z, 12:30:45]",
       R"(["2024-01-02","2024-01-02T03:04:05Z","12:30:45"])"},
      {"['yes', \"1\", 'null', '']", R"(["yes","1","null",""])"},
      {"[!!str yes, !!str 1, ! 12, !mine 5]", R"(["yes","1","12","5"])"},
      {"[!!int '5', !!float 1.5, !!bool 'on', !!null '']", "[5,1.5,true,null]"},
      {"[100m, 1Gi, 1.5Gi, nginx:1.25, a/b]", R"(["100m","1Gi","1.5Gi","nginx:1.25","a/b"])"},
      {"|\n  a\n  b\n", R"("a\nb\n")"},
      {">\n  a\n  b\n", R"("a b\n")"},
      {"\"\\u00e9\\x41\\0\"", "\"éA\\u0000\""},
  };
  for (const auto& [yaml, json] : cases) {
    SCOPED_TRACE(yaml);
    EXPECT_EQ(json_of(yaml), json);
  }
}

TEST(YamlReader, turnsScalarKeysIntoTheirJsonText) {
  EXPECT_EQ(json_of("1: a\n0x10: b\nyes: c\n1.50: d\n'no': e\n"),
            R"({"1":"a","16":"b","true":"c","1.50":"d","no":"e"})");
}

TEST(YamlReader, expandsAliasesAndMergeKeys) {
  struct Case {
    const char* yaml;
    const char* json;
  };
  const std::vector<Case> cases = {
      {"a: &x [1, 2]\nb: *x\n", R"({"a":[1,2],"b":[1,2]})"},
      {"a: &x 1\nb: &x 2\nc: *x\n", R"({"a":1,"b":2,"c":2})"},
      {"&k key: v\nother: *k\n", R"({"key":"v","other":"key"})"},
      {"a: &k name\n*k : v\n", R"({"a":"name","name":"v"})"},
      {"base: &b {x: 1, w: 2}\nd: {<<: *b, w: 3, z: 4}\n",
       R"({"base":{"x":1,"w":2},"d":{"w":3,"z":4,"x":1}})"},
      {"[&a {x: 1}, &b {x: 2, w: 2}, {<<: [*a, *b]}]", R"([{"x":1},{"x":2,"w":2},{"x":1,"w":2}])"},
      {"{<<: {x: 1}}", R"({"x":1})"},
      {"{'<<': {x: 1}}", R"({"<<":{"x":1}})"},
  };
  for (const auto& [yaml, json] : cases) {
    SCOPED_TRACE(yaml);
    EXPECT_EQ(json_of(yaml), json);
  }
}

TEST(YamlReader, readsEveryDocumentAndSkipsEmptyOnes) {
  const ReadOutcome outcome =
      collect(kRead, "# head\n---\na: 1\n---\n---\n# nothing\n---\nb: 2\n...\n---\nnull\n");
  EXPECT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.documents.size(), 2U);
  EXPECT_EQ(to_json(outcome.documents[0].root()), R"({"a":1})");
  EXPECT_EQ(to_json(outcome.documents[1].root()), R"({"b":2})");
  EXPECT_EQ(outcome.documents[1].root().line(), 8U);
}

TEST(YamlReader, readsNothingFromNoText) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF"}) {
    SCOPED_TRACE(text);
    const ReadOutcome outcome = collect(kRead, text);
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.documents.empty());
  }
}

TEST(YamlReader, forgetsAnchorsBetweenDocuments) {
  EXPECT_EQ(yaml_error("a: &x 1\n---\nb: *x\n"), "line 3: alias *x names no anchor before it");
}

TEST(YamlReader, knowsTheLineOfEveryValueAndKey) {
  const Document document = only_document(kRead, "a: 1\nb:\n  c:\n  - x\n  - y\n");
  const Value& b = *document.root().find("b");
  EXPECT_EQ(document.root().members()[1].line, 2U);
  EXPECT_EQ(b.line(), 3U);
  EXPECT_EQ(b.members()[0].line, 3U);
  EXPECT_EQ(b.find("c")->items()[1].line(), 5U);
}

TEST(YamlReader, explainsWhatIsWrongAndWhere) {
  struct Case {
    const char* yaml;
    const char* error;
  };
  const std::vector<Case> cases = {
      {"a:\n\tb: 1\n", "line 2: a tab is used for indentation; YAML indents with spaces only"},
      {"a: 1\nb: 2\na: 3\n", "line 3: key \"a\" is already set on line 1"},
      {"1: a\n'1': b\n", "line 2: key \"1\" is already set on line 1"},
      {"a: [1, 2\nb: 3\n",
       "line 2: did not find expected ',' or ']' while parsing a flow sequence that begins on line "
       "1"},
      {"a: b: c\n",
       "line 1: mapping values are not allowed in this context; check the indentation, and quote a "
       "value that contains \": \""},
      {"a: 'b\n",
       "line 2: found unexpected end of stream while scanning a quoted scalar that begins on line "
       "1; is a quote not closed?"},
      {"a: 1\n  b: 2\n",
       "line 2: mapping values are not allowed in this context; check the indentation, and quote a "
       "value that contains \": \""},
      {"a: .inf\n", "line 1: .inf has no JSON form; quote it if it is text"},
      {"a: !!int x\n", "line 1: \"x\" does not fit its tag !!int"},
      {"a: !!binary aGk=\n", "line 1: !!binary is not supported"},
      {"? [a]\n: b\n", "line 1: a mapping key must be a scalar, not a list or a mapping"},
      {"~: b\n", "line 1: a mapping key must not be null"},
      {"a: &x [1, *x]\n", "line 1: alias *x stands inside the value it names"},
      {"<<: 5\n", "line 1: \"<<\" merges a mapping or a sequence of mappings, not an integer"},
      {"a: 1\nb: \xff\n", "line 2: not UTF-8 (invalid leading UTF-8 octet)"},
      {"a: 1\nb: \x01\n",
       "line 2: control character U+0001 is not allowed; write it as an escape in double quotes"},
      {"a: @x\n",
       "line 1: found character that cannot start any token while scanning for the next token; "
       "quote a value that begins with @ or `"},
  };
  for (const auto& [yaml, error] : cases) {
    SCOPED_TRACE(yaml);
    EXPECT_EQ(yaml_error(yaml), error);
  }
}

TEST(YamlReader, findsARepeatedKeyAmongMany) {
  std::string yaml;
  for (int i = 0; i < 100; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(yaml_error(yaml), "");
  EXPECT_EQ(yaml_error(yaml + "k41: 2\n"), "line 101: key \"k41\" is already set on line 42");
}

TEST(YamlReader, countsLinesFromTheGivenOne) {
  const Status status = read_yaml(
      "a: 1\na: 2\n", [](Document&&) { return ok_status(); }, 41);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "line 42: key \"a\" is already set on line 41");
}

TEST(YamlReader, stopsWhenTheSinkRefuses) {
  int seen = 0;
  const Status status = read_yaml("a: 1\n---\nb: 2\n", [&seen](Document&&) -> Status {
    ++seen;
    return Error{.code = Error::Code::conflict, .message = "enough"};
  });
  EXPECT_EQ(seen, 1);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "enough");
}

TEST(YamlReader, nestsToTheLimitAndNoDeeper) {
  const std::string deepest = repeated("[", kMaxDepth) + repeated("]", kMaxDepth);
  EXPECT_EQ(yaml_error(deepest), "");
  EXPECT_EQ(yaml_error("[" + deepest + "]"), "line 1: nested deeper than 100 levels");
}

TEST(YamlReader, refusesAFloodOfBracketsAtOnce) {
  EXPECT_EQ(yaml_error(std::string(100'000'000, '[')), "line 1: nested deeper than 100 levels");
  EXPECT_EQ(yaml_error(repeated("- ", 1'000'000)), "line 1: nested deeper than 100 levels");
  EXPECT_EQ(yaml_error(repeated("? ", 1'000'000)),
            "line 1: a mapping key must be a scalar, not a list or a mapping");
}

TEST(YamlReader, boundsDepthThatAliasesBuild) {
  std::string yaml = "a0: &a0 [1]\n";
  for (int i = 1; i <= 200; ++i) {
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  EXPECT_EQ(yaml_error(yaml), "line 100: nested deeper than 100 levels by alias *a98");
}

TEST(YamlReader, refusesABillionLaughs) {
  std::string yaml = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias +
            repeated(", " + alias, 8) + "]\n";
  }
  EXPECT_EQ(yaml_error(yaml), "line 7: the document's aliases expand to more than 64 MiB");
}

TEST(YamlReader, refusesAnOversizedDocumentButNotALargeStream) {
  const std::string piece = "a: " + std::string(kMaxDocumentBytes / 2, 'x') + "\n---\n";
  EXPECT_EQ(yaml_error(piece + piece + piece), "");
  EXPECT_EQ(yaml_error("---\na: " + std::string(kMaxDocumentBytes + 100'000, 'x') + "\n"),
            "line 1: the document that begins here exceeds 64 MiB");
}

}  // namespace
}  // namespace tutti::wire
