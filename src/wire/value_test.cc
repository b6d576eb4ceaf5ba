#include "wire/value.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "wire/document.h"
#include "wire/json_writer.h"

namespace tutti::wire {
namespace {

TEST(Value, movesItsContentAndLeavesNull) {
  Arena arena;
  Value first = Value::string(arena, "web").at_line(7);
  const Value second = std::move(first);
  EXPECT_TRUE(first.is_null());
  EXPECT_EQ(second.text(), "web");
  EXPECT_EQ(second.line(), 7U);
}

TEST(Value, keepsNumbersThatFitAsIntegersAndOthersAsTheirLiteral) {
  Arena arena;
  EXPECT_EQ(Value::number(arena, "-9223372036854775808").as_integer(), INT64_MIN);
  EXPECT_EQ(Value::number(arena, "9223372036854775808").text(), "9223372036854775808");
  EXPECT_EQ(Value::number(arena, "1.50").text(), "1.50");
  EXPECT_DOUBLE_EQ(Value::number(arena, "1.50").as_double(), 1.5);
  EXPECT_DOUBLE_EQ(Value::integer(3).as_double(), 3.0);
}

TEST(Value, findsNothingInWhatIsNoObject) {
  EXPECT_EQ(Value::integer(1).find("a"), nullptr);
  EXPECT_EQ(Value::object().find("a"), nullptr);
}

TEST(Value, setsReplacesAndRemovesMembersKeepingOrder) {
  Document document;
  Arena& arena = document.arena();
  Value object = Value::object();
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    object.set_member(arena, key, Value::integer(1));
  }
  object.set_member(arena, "c", Value::boolean(true));
  EXPECT_TRUE(object.remove_member("b"));
  EXPECT_FALSE(object.remove_member("b"));
  EXPECT_EQ(to_json(object), R"({"a":1,"c":true,"d":1,"e":1,"f":1})");
}

TEST(Value, setsAPathThroughMissingAndUnfitParts) {
  Arena arena;
  Value pod = Value::object();
  pod.set_member(arena, "spec", Value::integer(0));
  pod.set(arena, {"spec", "nodeName"}, Value::string(arena, "n1"));
  pod.set(arena, {"spec", "priority"}, Value::integer(5));
  pod.set(arena, {"kind"}, Value::string(arena, "Pod"));
  EXPECT_EQ(to_json(pod), R"({"spec":{"nodeName":"n1","priority":5},"kind":"Pod"})");
}

TEST(Value, clonesIntoAnotherArenaWithLines) {
  Document copy;
  {
    Document source;
    Arena& arena = source.arena();
    Value list = Value::array().at_line(3);
    for (int i = 0; i < 9; ++i) list.push_back(arena, Value::integer(i));
    source.root() = Value::object().at_line(2);
    source.root().set_member(arena, "list", std::move(list));
    source.root().set_member(arena, "name", Value::string(arena, "a longer text than inline"));
    copy.set_root(source.root().clone(copy.arena()));
  }
  EXPECT_EQ(to_json(copy.root()),
            R"({"list":[0,1,2,3,4,5,6,7,8],"name":"a longer text than inline"})");
  EXPECT_EQ(copy.root().line(), 2U);
  EXPECT_EQ(copy.root().find("list")->line(), 3U);
}

TEST(Value, equalsWhateverTheOrderOfMembersButNotOfItems) {
  Arena arena;
  const auto object = [&arena](std::string_view first, std::string_view second) {
    Value value = Value::object();
    value.set_member(arena, first, Value::string(arena, first));
    value.set_member(arena, second, Value::string(arena, second));
    return value;
  };
  const auto array = [&arena](int first, int second) {
    Value value = Value::array();
    value.push_back(arena, Value::integer(first));
    value.push_back(arena, Value::integer(second));
    return value;
  };
  EXPECT_TRUE(object("a", "b") == object("b", "a"));
  EXPECT_FALSE(object("a", "b") == object("a", "c"));
  EXPECT_FALSE(array(1, 2) == array(2, 1));
  EXPECT_FALSE(Value::integer(1) == Value::boolean(true));
}

TEST(ValueDeathTest, stopsAtTheWrongKind) {
  EXPECT_DEATH((void)Value::integer(1).text(), "is_string");
}

}  // namespace
}  // namespace tutti::wire
