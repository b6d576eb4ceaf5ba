#include "wire/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/json_writer.h"
#include "wire/reader.h"
#include "wire/test_documents.h"

namespace tutti::wire {
namespace {

std::string json_error(std::string_view json) { return collect(read_json, json).error; }

TEST(JsonReader, keepsEveryValueAsWritten) {
  const std::vector<const char*> texts = {
      R"({})",
      R"([])",
      R"([1,-1,0,9223372036854775807,-9223372036854775808])",
      R"([9223372036854775808,1.50,1e3,1E-3,-0.0,123456789012345678901234567890])",
      R"({"b":{"a":[true,false,null]},"a":"x"})",
      R"(["\"\\\b\f\n\r\t\u0001é😀"])",
      R"({"":""})",
      R"("text")",
      R"(17)",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    EXPECT_EQ(to_json(only_document(read_json, text).root()), text);
  }
}

TEST(JsonReader, knowsTheLineOfEveryValueAndKey) {
  const Document document =
      only_document(read_json, "\n{\n \"a\"\n:\n 1\n,\n\"b\": [\n 2,\n3\n]\n}\n");
  const Value& root = document.root();
  EXPECT_EQ(root.line(), 2U);
  EXPECT_EQ(root.members()[0].line, 3U);
  EXPECT_EQ(root.find("a")->line(), 5U);
  EXPECT_EQ(root.find("b")->line(), 7U);
  EXPECT_EQ(root.find("b")->items()[1].line(), 9U);
}

TEST(JsonReader, readsDocumentsInARow) {
  const ReadOutcome outcome = collect(read_json, "{\"a\":1}{\"a\":2}\n\n[3] null 4\n5");
  EXPECT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.documents.size(), 5U);
  EXPECT_EQ(to_json(outcome.documents[1].root()), R"({"a":2})");
  EXPECT_EQ(outcome.documents[2].root().line(), 3U);
  EXPECT_EQ(outcome.documents[4].root().line(), 4U);
}

TEST(JsonReader, explainsWhatIsWrongAndWhere) {
  struct Case {
    const char* json;
    const char* error;
  };
  const std::vector<Case> cases = {
      {"{\"a\":1,\n\"a\":2}", "line 2: key \"a\" is already set on line 1"},
      {"{\n\"a\": [1,\n2",
       "line 3: the text ends inside a value: is a bracket or quote not closed?"},
      {"{\"a\":\n1e999}", "line 2: number 1e999 is out of range"},
      {"{\n\"a\" 1}", "line 2: not JSON: syntax error"},
      {"[\"\n\"]", "line 1: not JSON: syntax error"},
      {"[\"\xff\"]", "line 1: not JSON: syntax error"},
      {"[\"\\ud800\"]", "line 1: not JSON: syntax error"},
      {"[01]", "line 1: not JSON: syntax error"},
      {"{} x", "line 1: not JSON: syntax error"},
  };
  for (const auto& [json, error] : cases) {
    SCOPED_TRACE(json);
    EXPECT_EQ(json_error(json), error);
  }
}

TEST(JsonReader, nestsToTheLimitAndNoDeeper) {
  const std::string deepest = std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']');
  EXPECT_EQ(json_error(deepest), "");
  EXPECT_EQ(json_error("[" + deepest + "]"), "line 1: nested deeper than 100 levels");
  EXPECT_EQ(json_error(std::string(100'000'000, '[')), "line 1: nested deeper than 100 levels");
}

TEST(JsonReader, refusesAnOversizedDocument) {
  EXPECT_EQ(json_error("[\"" + std::string(kMaxDocumentBytes, 'x') + "\"]"),
            "line 1: the document that begins here exceeds 64 MiB");
}

TEST(Reader, picksTheSyntaxByTheFirstByte) {
  struct Case {
    const char* text;
    const char* json;
  };
  const std::vector<Case> cases = {
      {"  {\"a\": \"yes\"}", R"({"a":"yes"})"},
      {"a: yes", R"({"a":true})"},
      {"{a: yes}", R"({"a":true})"},
      {"[a,\n b,]", R"(["a","b"])"},
      {"\n\n{\"a\": 1,}", R"({"a":1})"},
      {"- {}", "[{}]"},
  };
  for (const auto& [text, json] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(to_json(only_document(read_documents, text).root()), json);
  }
}

TEST(JsonReader, leavesOutTheMemberItIsToldToSkip) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a":{"x":[{"y":1},"z",[]],"b":2}})", R"({"a":{"b":2}})"},
      {R"({"a":{"x":"text","b":2}})", R"({"a":{"b":2}})"},
      {R"({"a":{"x":null},"b":{"x":true,"c":1.5}})", R"({"a":{},"b":{"c":1.5}})"},
      {R"({"a":{"x":{},"x":{"x":{}}}})", R"({"a":{}})"},
      {R"({"x":1,"a":{"b":{"x":2}},"c":[{"x":3}]})", R"({"x":1,"a":{"b":{"x":2}},"c":[{"x":3}]})"},
  };
  const auto without_x = [](std::string_view text, const DocumentSink& sink) {
    return read_json_without({.name = "x", .depth = 2}, text, sink);
  };
  for (const auto& [text, kept] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(to_json(only_document(without_x, text).root()), kept);
  }
  EXPECT_NE(collect(without_x, R"({"a":{"x":[}})").error, "");
}

TEST(Reader, readsJsonDocumentsBetweenYamlSeparators) {
  const ReadOutcome outcome = collect(read_documents, "{\"a\": 1}\n\n---\n{\"a\": 2}\n---\nb: 3\n");
  EXPECT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.documents.size(), 3U);
  EXPECT_EQ(to_json(outcome.documents[0].root()), R"({"a":1})");
  EXPECT_EQ(outcome.documents[1].root().line(), 4U);
  EXPECT_EQ(to_json(outcome.documents[2].root()), R"({"b":3})");
}

TEST(Reader, passesOverAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string text : {"a: 1\n---\n", "{\"a\": 1}"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(to_json(only_document(read_documents, mark + text).root()), R"({"a":1})");
  }
  EXPECT_EQ(collect(read_documents, mark).error, "");
}

TEST(Reader, reportsTheErrorOfTheSyntaxItEndedIn) {
  EXPECT_EQ(collect(read_documents, "{\"a\": 1}\n{\"a\" 2}\n").error,
            "line 2: not JSON: syntax error");
  EXPECT_EQ(collect(read_documents, "\n{a: 1,\n a: 2}\n").error,
            "line 3: key \"a\" is already set on line 2");
  EXPECT_EQ(collect(read_documents, " \n").error, "");
}

TEST(Reader, doesNotReadAgainWhatTheSinkRefused) {
  int seen = 0;
  const Status status = read_documents("{\"a\": 1}", [&seen](Document&&) -> Status {
    ++seen;
    return Error{.code = Error::Code::invalid, .message = "no"};
  });
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(status.error().message, "no");
}

}  // namespace
}  // namespace tutti::wire
