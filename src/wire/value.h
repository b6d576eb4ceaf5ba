// Value: one node of a document tree, the form manifests have between text and model.
//
// A Value is a small handle; the text, items and members it shows live in an Arena, and it is valid
// as long as that arena. Handles move and are never copied, so no two of them share storage and
// changing one changes nothing else. To place a subtree twice, or in another arena, clone() it.
//
// Numbers are lossless: what fits std::int64_t is an `integer`, anything else is a `number` that
// keeps its literal, always in JSON's grammar and within the range of a double.
#pragma once

#include <initializer_list>

#include "base/std.h"
#include "wire/arena.h"

namespace tutti::wire {

// How deep arrays and objects may nest in what the readers accept. Code that walks a tree may
// recurse.
inline constexpr std::size_t kMaxDepth = 100;

struct Member;

class Value {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, number, string, array, object };

  Value() = default;
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  // Requires a JSON number literal whose magnitude a double can hold; becomes an `integer` if it is
  // one that fits.
  static Value number(Arena& arena, std::string_view literal);
  // Requires UTF-8.
  static Value string(Arena& arena, std::string_view text);
  static Value array();
  static Value object();

  Value(Value&& other) noexcept { *this = std::move(other); }
  Value& operator=(Value&& other) noexcept;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_boolean() const { return kind_ == Kind::boolean; }
  bool is_integer() const { return kind_ == Kind::integer; }
  bool is_number() const { return kind_ == Kind::number; }
  bool is_string() const { return kind_ == Kind::string; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }

  // The source line, from 1; 0 for what no text said.
  std::uint32_t line() const { return line_; }
  Value at_line(std::uint32_t line) &&;

  // Each requires the kind it names.
  bool as_boolean() const;
  std::int64_t as_integer() const;
  double as_double() const;       // an integer or a number, rounded
  std::string_view text() const;  // a string's text or a number's literal
  std::span<const Value> items() const;
  std::span<Value> items();
  std::span<const Member> members() const;  // in the order of the source
  std::span<Member> members();

  // The member's value; null if absent or if this is no object.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);

  // Appends to an array. The reference is valid until the next push_back.
  Value& push_back(Arena& arena, Value item);
  // Replaces the object's member or appends it. The reference is valid until the next addition.
  Value& set_member(Arena& arena, std::string_view key, Value value);
  // Whether there was such a member.
  bool remove_member(std::string_view key);
  // Sets a member of a member of …; what lies on the path and is no object is replaced by one.
  // Requires a non-empty path, and that this is an object.
  Value& set(Arena& arena, std::initializer_list<std::string_view> path, Value value);

  // A deep copy, text and lines included.
  Value clone(Arena& arena) const;

  // Equal as JSON: lines and the order of members do not count, literals count as written.
  friend bool operator==(const Value& left, const Value& right);

 private:
  friend class TreeBuilder;

  explicit Value(Kind kind) : kind_(kind) {}
  static Value with_text(Kind kind, Arena& arena, std::string_view text);
  static Value with_items(Arena& arena, std::span<Value> items);
  static Value with_members(Arena& arena, std::span<Member> members);

  Value clone_items(Arena& arena) const;
  Value clone_members(Arena& arena) const;

  union Payload {
    std::int64_t integer;  // of an integer; 0 or 1 for a boolean
    const char* text;
    Value* items;
    Member* members;
  };
  Payload payload_{.integer = 0};
  std::uint32_t size_ = 0;      // of the text, items or members
  std::uint32_t capacity_ = 0;  // of the items or members
  std::uint32_t line_ = 0;
  Kind kind_ = Kind::null;
};

inline Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) return *this;
  payload_ = other.payload_;
  size_ = other.size_;
  capacity_ = other.capacity_;
  line_ = other.line_;
  kind_ = std::exchange(other.kind_, Kind::null);
  return *this;
}

struct Member {
  std::string_view key;
  std::uint32_t line = 0;  // of the key
  Value value;
};

// "a string", "an object", …: for messages about a value of the wrong kind.
std::string_view describe(Value::Kind kind);

}  // namespace tutti::wire
