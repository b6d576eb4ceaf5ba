#include "expr/field_selector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti::expr {
namespace {

TEST(FieldSelector, readsTerms) {
  struct Case {
    std::string text;
    std::vector<FieldTerm> terms;
  };
  const std::vector<Case> cases = {
      {"", {}},
      {"metadata.name=x", {{"metadata.name", true, "x"}}},
      {"metadata.name==x", {{"metadata.name", true, "x"}}},
      {"status.phase!=Running", {{"status.phase", false, "Running"}}},
      {"metadata.name=x,status.phase!=Running",
       {{"metadata.name", true, "x"}, {"status.phase", false, "Running"}}},
      {"spec.nodeName=", {{"spec.nodeName", true, ""}}},
      {"spec.nodeName!=", {{"spec.nodeName", false, ""}}},
      {",a=b,,c=d,", {{"a", true, "b"}, {"c", true, "d"}}},
      {R"(a=x\,y\=z\\)", {{"a", true, R"(x,y=z\)"}}},
      {"a=b!c", {{"a", true, "b!c"}}},
      {"a= b", {{"a", true, " b"}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE("text '" + c.text + "'");
    const auto parsed = parse_field_selector(c.text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(parsed->terms, c.terms);
  }
}

TEST(FieldSelector, refusesBadTextAndSaysWhy) {
  struct Case {
    std::string text;
    std::string why;
  };
  const std::vector<Case> cases = {
      {"a", "term 'a' lacks '=' or '!='"},
      {"a!b", "term 'a!b' lacks '=' or '!='"},
      {"x=y,a", "term 'a' lacks '=' or '!='"},
      {"=b", "term '=b' names no field"},
      {"a=b=c", "term 'a=b=c': value has an '=' without a '\\' before it"},
      {"a===b", "term 'a===b': value has an '=' without a '\\' before it"},
      {R"(a=\n)", R"(term 'a=\n': value has a '\' that escapes nothing)"},
      {R"(a=b\)", R"(term 'a=b\': value has a '\' that escapes nothing)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE("text '" + c.text + "'");
    const auto parsed = parse_field_selector(c.text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().code, Error::Code::malformed);
    EXPECT_EQ(parsed.error().message, "field selector '" + c.text + "': " + c.why);
  }
}

std::optional<std::string_view> running_web(std::string_view field) {
  if (field == "metadata.name") return "web";
  if (field == "status.phase") return "Running";
  return std::nullopt;
}

TEST(FieldSelector, comparesFieldsAndTakesAbsentForEmpty) {
  struct Case {
    std::string text;
    bool matches;
  };
  const std::vector<Case> cases = {
      {"", true},
      {"metadata.name=web", true},
      {"metadata.name=api", false},
      {"metadata.name!=web", false},
      {"metadata.name=web,status.phase!=Failed", true},
      {"metadata.name=web,status.phase=Failed", false},
      {"spec.nodeName=", true},
      {"spec.nodeName!=", false},
      {"spec.nodeName!=n1", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE("text '" + c.text + "'");
    EXPECT_EQ(matches(*parse_field_selector(c.text), running_web), c.matches);
  }
}

}  // namespace
}  // namespace tutti::expr
