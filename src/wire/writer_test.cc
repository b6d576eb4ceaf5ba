// Both writers: exact text where layout matters, and that everything reads back.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/test_documents.h"
#include "wire/yaml_reader.h"
#include "wire/yaml_writer.h"

namespace tutti::wire {
namespace {

const auto kReadYaml = [](std::string_view text, const DocumentSink& sink) {
  return read_yaml(text, sink);
};

std::string yaml_of(std::string_view json, KeyOrder keys = KeyOrder::as_is) {
  return to_yaml(only_document(read_json, json).root(), keys);
}

TEST(JsonWriter, indentsAsKubectlDoes) {
  const Document document = only_document(read_json, R"({"b":[1,{}],"a":{"c":[]}})");
  EXPECT_EQ(to_json(document.root(), kKubectlJson),
            "{\n    \"a\": {\n        \"c\": []\n    },\n    \"b\": [\n        1,\n        {}\n"
            "    ]\n}");
}

TEST(YamlWriter, laysOutAsKubectlDoes) {
  EXPECT_EQ(yaml_of(R"({"kind":"Pod","metadata":{"labels":{},"name":"a"},"spec":{"containers":[
      {"args":["-c","x: y"],"image":"nginx:1.25","ports":[{"containerPort":80}]}],
      "nested":[[1,2],[[3]],[]],"nothing":null}})"),
            "kind: Pod\n"
            "metadata:\n"
            "  labels: {}\n"
            "  name: a\n"
            "spec:\n"
            "  containers:\n"
            "  - args:\n"
            "    - -c\n"
            "    - 'x: y'\n"
            "    image: nginx:1.25\n"
            "    ports:\n"
            "    - containerPort: 80\n"
            "  nested:\n"
            "  - - 1\n"
            "    - 2\n"
            "  - - - 3\n"
            "  - []\n"
            "  nothing: null\n");
}

TEST(YamlWriter, sortsKeysWhenAsked) {
  EXPECT_EQ(yaml_of(R"({"b":1,"a":{"d":1,"c":2}})", KeyOrder::sorted),
            "a:\n  c: 2\n  d: 1\nb: 1\n");
}

TEST(YamlWriter, quotesOnlyWhatWouldReadBackOtherwise) {
  struct Case {
    const char* json;
    const char* yaml;
  };
  const std::vector<Case> cases = {
      {R"("abc")", "abc\n"},
      {R"("")", "\"\"\n"},
      {R"("yes")", "\"yes\"\n"},
      {R"("y")", "\"y\"\n"},
      {R"("null")", "\"null\"\n"},
      {R"("~")", "\"~\"\n"},
      {R"("12")", "\"12\"\n"},
      {R"("0x1f")", "\"0x1f\"\n"},
      {R"("1e3")", "\"1e3\"\n"},
      {R"("1_0")", "\"1_0\"\n"},
      {R"(".inf")", "\".inf\"\n"},
      {R"("<<")", "\"<<\"\n"},
      {R"("12:30")", "\"12:30\"\n"},
      {R"("2024-01-02T03:04:05Z")", "\"2024-01-02T03:04:05Z\"\n"},
      {R"("100m")", "100m\n"},
      {R"("1.2.3")", "1.2.3\n"},
      {R"("-c")", "-c\n"},
      {R"("- c")", "'- c'\n"},
      {R"("-")", "'-'\n"},
      {R"("a: b")", "'a: b'\n"},
      {R"("a:")", "'a:'\n"},
      {R"("a:b")", "a:b\n"},
      {R"("a #b")", "'a #b'\n"},
      {R"("a#b")", "a#b\n"},
      {R"("#b")", "'#b'\n"},
      {R"("*")", "'*'\n"},
      {R"("it's")", "it's\n"},
      {R"("'it")", "'''it'\n"},
      {R"(" a")", "' a'\n"},
      {R"("a ")", "'a '\n"},
      {R"("---")", "'---'\n"},
      {R"("a\tb")", "\"a\\tb\"\n"},
      {R"("\u0000\u0085\ufeff\\")", "\"\\x00\\x85\\uFEFF\\\\\"\n"},
      {R"("é😀")", "é😀\n"},
      {R"({"yes":1,"1":2,"a b":3})", "\"yes\": 1\n\"1\": 2\na b: 3\n"},
  };
  for (const auto& [json, yaml] : cases) {
    SCOPED_TRACE(json);
    EXPECT_EQ(yaml_of(json), yaml);
    EXPECT_TRUE(only_document(kReadYaml, yaml).root() == only_document(read_json, json).root());
  }
}

TEST(YamlWriter, writesLinesAsLiteralBlocksWithTheirChomping) {
  struct Case {
    const char* json;
    const char* yaml;
  };
  const std::vector<Case> cases = {
      {R"({"a":"x\ny\n"})", "a: |\n  x\n  y\n"},
      {R"({"a":"x\ny"})", "a: |-\n  x\n  y\n"},
      {R"({"a":"x\n\n","b":1})", "a: |+\n  x\n\nb: 1\n"},
      {R"({"a":" x\n\ty\n"})", "a: |2\n   x\n  \ty\n"},
      {R"({"a":"\n\nx"})", "a: |2-\n\n\n  x\n"},
      {R"({"a":"\tx\n  "})", "a: |2-\n  \tx\n    \n"},
      {R"([["x\ny\n"],{"a":["#!/bin/sh\n"]}])",
       "- - |\n    x\n    y\n- a:\n  - |\n    #!/bin/sh\n"},
      {R"({"a":"\n"})", "a: \"\\n\"\n"},
      {R"({"a":"x\r\ny"})", "a: \"x\\r\\ny\"\n"},
      {R"("x\ny\n")", "|\n  x\n  y\n"},
  };
  for (const auto& [json, yaml] : cases) {
    SCOPED_TRACE(json);
    EXPECT_EQ(yaml_of(json), yaml);
    EXPECT_TRUE(only_document(kReadYaml, yaml).root() == only_document(read_json, json).root());
  }
}

TEST(YamlWriter, writesKeysTooLongForOneLineExplicitly) {
  Document document;
  Arena& arena = document.arena();
  const std::string key(5000, 'k');
  document.set_root(Value::object());
  document.root()
      .set(arena, {"a", key, "list"}, Value::array())
      .push_back(arena, Value::integer(1));
  document.root().set(arena, {"a", key + key}, Value::array()).push_back(arena, Value::integer(2));
  EXPECT_TRUE(only_document(kReadYaml, to_yaml(document.root())).root() == document.root());
}

// One of `count` choices, all equally likely from the first try: unlike inRange alone, which begins
// with the smallest and would leave most trees empty.
int choose(int count) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count)); }

// What YAML might take for something else, one piece at a time: a single reason to quote must be
// seen as often as several that hide each other.
std::string nasty_string() {
  // clang-format off
  static const std::vector<std::string> kPieces = {
      "0", "7", "1e", "yes", "n", "~", "null", ".", "-", "--", "- ", "?", "? ", ":", ": ", "#", " #",
      " ", "  ", "\n", "\n\n", "\r", "\t", "'", "\"", "\\", "{", "}", "[", "]", ",", "&", "*", "!",
      "|", ">", "%", "@", "`", "<<", "=", "_", "+", "...", "---", "é", "😀", "\x7f", "\x01",
      "\xc2\x85", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xef\xbf\xbf", "\xc2\xa0", "2024-01-02"};
  // clang-format on
  std::string text;
  const int length = choose(6);
  for (int i = 0; i < length; ++i) {
    switch (choose(4)) {
      case 0:
        text += *rc::gen::elementOf(kPieces);
        break;
      case 1:
        text += '\n';
        break;
      default:
        text += 'a';
    }
  }
  return text;
}

std::string number_literal() {
  return *rc::gen::element<std::string>("0.5", "-1.50", "1e3", "1E-300", "9223372036854775808",
                                        "-9223372036854775809", "123456789012345678901234567890",
                                        "-0.0", "1e-9999", "2.5e+10");
}

Value random_tree(Arena& arena, int depth) {
  switch (choose(depth > 0 ? 12 : 6)) {
    case 0:
      return {};
    case 1:
      return Value::boolean(*rc::gen::arbitrary<bool>());
    case 2:
      return Value::integer(*rc::gen::arbitrary<std::int64_t>());
    case 3:
      return Value::number(arena, number_literal());
    case 4:
    case 5:
      return Value::string(arena, nasty_string());
    case 6:
    case 7:
    case 8: {
      Value array = Value::array();
      const int size = choose(5);
      for (int i = 0; i < size; ++i) array.push_back(arena, random_tree(arena, depth - 1));
      return array;
    }
    default: {
      Value object = Value::object();
      const int size = choose(5);
      for (int i = 0; i < size; ++i) {
        object.set_member(arena, nasty_string(), random_tree(arena, depth - 1));
      }
      return object;
    }
  }
}

// An array around the trees, as readers skip a document that is just null.
Document random_document() {
  Document document;
  document.set_root(Value::array());
  for (int i = 0; i < 12; ++i) {
    document.root().push_back(document.arena(), random_tree(document.arena(), 3));
  }
  return document;
}

RC_GTEST_PROP(Writers, writeYamlThatReadsBackEqual, ()) {
  const Document document = random_document();
  for (const KeyOrder keys : {KeyOrder::as_is, KeyOrder::sorted}) {
    const std::string text = to_yaml(document.root(), keys);
    RC_LOG() << text;
    const ReadOutcome outcome = collect(kReadYaml, text);
    RC_ASSERT(outcome.error == "");
    RC_ASSERT(outcome.documents.size() == 1U);
    RC_ASSERT(outcome.documents[0].root() == document.root());
  }
}

RC_GTEST_PROP(Writers, writeJsonThatReadsBackEqual, ()) {
  const Document document = random_document();
  for (const JsonStyle style : {JsonStyle{}, kKubectlJson}) {
    const std::string text = to_json(document.root(), style);
    RC_LOG() << text;
    const ReadOutcome outcome = collect(read_json, text);
    RC_ASSERT(outcome.error == "");
    RC_ASSERT(outcome.documents.size() == 1U);
    RC_ASSERT(outcome.documents[0].root() == document.root());
  }
}

}  // namespace
}  // namespace tutti::wire
