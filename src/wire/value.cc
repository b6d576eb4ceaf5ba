#include "wire/value.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/check.h"
#include "wire/number_text.h"

namespace tutti::wire {
namespace {

std::uint32_t checked_size(std::size_t size) {
  TUTTI_CHECK(size <= std::numeric_limits<std::uint32_t>::max(), "a value of 4 GiB or more");
  return static_cast<std::uint32_t>(size);
}

// Moves `old` into fresh storage for `capacity` elements. Value and Member need no destructor, so
// storage is simply left behind.
template <typename T>
T* relocate(Arena& arena, std::span<T> old, std::size_t capacity) {
  T* storage = static_cast<T*>(arena.allocate(capacity * sizeof(T), alignof(T)));
  std::uninitialized_move(old.begin(), old.end(), storage);
  return storage;
}

std::uint32_t grown(std::uint32_t capacity) {
  return capacity == 0 ? 4 : checked_size(std::size_t{capacity} * 2);
}

bool same_members(const Value& left, const Value& right) {
  const std::span<const Member> others = right.members();
  std::size_t position = 0;
  for (const Member& member : left.members()) {
    // Same order is the common case; looking the key up is for the others.
    const Member& beside = others[position++];
    const Value* other = beside.key == member.key ? &beside.value : right.find(member.key);
    if (other == nullptr || !(member.value == *other)) return false;
  }
  return true;
}

}  // namespace

Value Value::boolean(bool value) {
  Value result(Kind::boolean);
  result.payload_.integer = value ? 1 : 0;
  return result;
}

Value Value::integer(std::int64_t value) {
  Value result(Kind::integer);
  result.payload_.integer = value;
  return result;
}

Value Value::number(Arena& arena, std::string_view literal) {
  TUTTI_CHECK(is_json_number(literal), literal);
  if (const auto whole = integer_of(literal)) return integer(*whole);
  TUTTI_CHECK(double_of(literal).has_value(), literal);
  return with_text(Kind::number, arena, literal);
}

Value Value::string(Arena& arena, std::string_view text) {
  return with_text(Kind::string, arena, text);
}

Value Value::array() {
  Value result(Kind::array);
  result.payload_.items = nullptr;
  return result;
}

Value Value::object() {
  Value result(Kind::object);
  result.payload_.members = nullptr;
  return result;
}

Value Value::with_text(Kind kind, Arena& arena, std::string_view text) {
  Value result(kind);
  result.size_ = checked_size(text.size());
  result.payload_.text = arena.copy(text).data();
  return result;
}

Value Value::with_items(Arena& arena, std::span<Value> items) {
  Value result = array();
  if (items.empty()) return result;
  result.size_ = result.capacity_ = checked_size(items.size());
  result.payload_.items = relocate(arena, items, items.size());
  return result;
}

Value Value::with_members(Arena& arena, std::span<Member> members) {
  Value result = object();
  if (members.empty()) return result;
  result.size_ = result.capacity_ = checked_size(members.size());
  result.payload_.members = relocate(arena, members, members.size());
  return result;
}

Value Value::at_line(std::uint32_t line) && {
  line_ = line;
  return std::move(*this);
}

bool Value::as_boolean() const {
  TUTTI_CHECK(is_boolean());
  return payload_.integer != 0;
}

std::int64_t Value::as_integer() const {
  TUTTI_CHECK(is_integer());
  return payload_.integer;
}

double Value::as_double() const {
  if (is_integer()) return static_cast<double>(payload_.integer);
  TUTTI_CHECK(is_number());
  return *double_of(text());
}

std::string_view Value::text() const {
  TUTTI_CHECK(is_string() || is_number());
  return {payload_.text, size_};
}

std::span<const Value> Value::items() const {
  TUTTI_CHECK(is_array());
  return {payload_.items, size_};
}

std::span<Value> Value::items() {
  TUTTI_CHECK(is_array());
  return {payload_.items, size_};
}

std::span<const Member> Value::members() const {
  TUTTI_CHECK(is_object());
  return {payload_.members, size_};
}

std::span<Member> Value::members() {
  TUTTI_CHECK(is_object());
  return {payload_.members, size_};
}

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::push_back(Arena& arena, Value item) {
  TUTTI_CHECK(is_array());
  if (size_ == capacity_) {
    payload_.items = relocate(arena, items(), grown(capacity_));
    capacity_ = grown(capacity_);
  }
  return *std::construct_at(payload_.items + size_++, std::move(item));
}

Value& Value::set_member(Arena& arena, std::string_view key, Value value) {
  TUTTI_CHECK(is_object());
  if (Value* present = find(key)) return *present = std::move(value);
  if (size_ == capacity_) {
    payload_.members = relocate(arena, members(), grown(capacity_));
    capacity_ = grown(capacity_);
  }
  Member* added = std::construct_at(payload_.members + size_++);
  added->key = arena.copy(key);
  added->line = value.line();
  return added->value = std::move(value);
}

bool Value::remove_member(std::string_view key) {
  TUTTI_CHECK(is_object());
  const std::span<Member> all = members();
  const auto found = std::ranges::find(all, key, &Member::key);
  if (found == all.end()) return false;
  std::move(std::next(found), all.end(), found);
  --size_;
  return true;
}

Value& Value::set(Arena& arena, std::initializer_list<std::string_view> path, Value value) {
  TUTTI_CHECK(path.size() > 0);
  Value* parent = this;
  for (const std::string_view* key = path.begin(); key != path.end() - 1; ++key) {
    Value* child = parent->find(*key);
    if (child == nullptr || !child->is_object()) {
      child = &parent->set_member(arena, *key, object().at_line(value.line()));
    }
    parent = child;
  }
  return parent->set_member(arena, *(path.end() - 1), std::move(value));
}

Value Value::clone(Arena& arena) const {
  switch (kind_) {
    case Kind::null:
      return Value().at_line(line_);
    case Kind::boolean:
      return boolean(as_boolean()).at_line(line_);
    case Kind::integer:
      return integer(as_integer()).at_line(line_);
    case Kind::number:
    case Kind::string:
      return with_text(kind_, arena, text()).at_line(line_);
    case Kind::array:
      return clone_items(arena).at_line(line_);
    case Kind::object:
      return clone_members(arena).at_line(line_);
  }
  return {};
}

Value Value::clone_items(Arena& arena) const {
  Value copy = array();
  if (size_ == 0) return copy;
  copy.payload_.items = relocate(arena, std::span<Value>{}, size_);
  copy.size_ = copy.capacity_ = size_;
  Value* next = copy.payload_.items;
  for (const Value& item : items()) std::construct_at(next++, item.clone(arena));
  return copy;
}

Value Value::clone_members(Arena& arena) const {
  Value copy = object();
  if (size_ == 0) return copy;
  copy.payload_.members = relocate(arena, std::span<Member>{}, size_);
  copy.size_ = copy.capacity_ = size_;
  Member* next = copy.payload_.members;
  for (const auto& [key, line, value] : members()) {
    std::construct_at(next++, Member{arena.copy(key), line, value.clone(arena)});
  }
  return copy;
}

bool operator==(const Value& left, const Value& right) {
  if (left.kind_ != right.kind_) return false;
  switch (left.kind_) {
    case Value::Kind::null:
      return true;
    case Value::Kind::boolean:
    case Value::Kind::integer:
      return left.payload_.integer == right.payload_.integer;
    case Value::Kind::number:
    case Value::Kind::string:
      return left.text() == right.text();
    case Value::Kind::array:
      return std::ranges::equal(left.items(), right.items());
    case Value::Kind::object:
      return left.size_ == right.size_ && same_members(left, right);
  }
  return false;
}

std::string_view describe(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::boolean:
      return "a boolean";
    case Value::Kind::integer:
      return "an integer";
    case Value::Kind::number:
      return "a number";
    case Value::Kind::string:
      return "a string";
    case Value::Kind::array:
      return "an array";
    case Value::Kind::object:
      return "an object";
  }
  return "a value";
}

}  // namespace tutti::wire
