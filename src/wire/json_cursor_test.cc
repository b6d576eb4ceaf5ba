#include "wire/json_cursor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti::wire {
namespace {

using Parts = std::vector<std::string>;

Parts members_of(std::string_view text, bool& failed) {
  JsonCursor cursor(text);
  Parts parts;
  cursor.enter('{');
  while (const auto key = cursor.next_key()) {
    parts.push_back(std::string(*key) + "=" + std::string(cursor.skip_value()));
  }
  failed = cursor.failed();
  return parts;
}

TEST(JsonCursor, handsOutTheTextOfMembers) {
  bool failed = false;
  EXPECT_EQ(
      members_of(R"( { "a" : 1 , "b":"x\"}" ,"c":[1,{"d":"]"}],"e":{} , "f":null } )", failed),
      (Parts{"a=1", R"(b="x\"}")", R"(c=[1,{"d":"]"}])", "e={}", "f=null"}));
  EXPECT_FALSE(failed);
}

TEST(JsonCursor, walksItemsInsideMembers) {
  JsonCursor cursor(R"({"before":0,"items":[{"a":1}, 2 ,[]],"none":[],"after":"z"})");
  Parts parts;
  cursor.enter('{');
  while (const auto key = cursor.next_key()) {
    if (cursor.rest().starts_with('[')) {
      cursor.enter('[');
      while (const auto item = cursor.next_item()) parts.emplace_back(*item);
    } else {
      parts.push_back(std::string(*key) + "=" + std::string(cursor.skip_value()));
    }
  }
  EXPECT_FALSE(cursor.failed());
  EXPECT_EQ(parts, (Parts{"before=0", R"({"a":1})", "2", "[]", R"(after="z")"}));
}

TEST(JsonCursor, failsOnWhatIsNoJson) {
  for (const char* text :
       {"", " ", "[", "<html>", "{", "{\"a", "{\"a\"", "{\"a\" 1}", "{\"a\":}", "{\"a\":1", "{a:1}",
        "{\"a\":\"x", "{\"a\":\"x\\", "{\"a\":[1,2", "{\"a\":1 \"b\":2}", "{\"a\":{\"b\":\"}"}) {
    SCOPED_TRACE(text);
    bool failed = false;
    members_of(text, failed);
    EXPECT_TRUE(failed);
  }
}

}  // namespace
}  // namespace tutti::wire
