// Field: a place in a document that is being read into a typed value.
//
// A reader of a type says which member goes where, and nothing about errors:
//
//   void read(const Field& at, Taint& out) {
//     at("key", out.key);
//     at("value", out.value);
//   }
//
// A member that is absent or null leaves its target as it was. A member of the wrong type is
// reported with its path and line, and reading goes on, so the target of a failed reading holds
// defaults where the document was wrong and must not be used. Members that nobody asks for are not
// looked at.
//
// Fields live on the stack of the readers, each pointing to the one around it: the text of a path
// is made only when there is something to report.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <type_traits>

#include "base/quantity.h"
#include "base/result.h"
#include "base/shared_list.h"
#include "base/std.h"
#include "base/time.h"
#include "wire/value.h"

namespace tutti::wire {

// What is wrong with one field of an object, e.g. {"spec.containers[0].image", "expected a string,
// found an integer", 12}.
struct FieldError {
  std::string path;
  std::string message;
  std::uint32_t line = 0;
  bool operator==(const FieldError&) const = default;
};

// In the order of reading; of one field only the first, and of an object no more than can be read.
using FieldErrors = std::vector<FieldError>;
inline constexpr std::size_t kFieldErrorsMax = 100;

// The reports as an error of one line each, "line 12: spec.a: expected a string, found an integer".
Status to_status(const FieldErrors& errors);

// The spellings of a choice and what each stands for.
template <typename E, std::size_t N>
using EnumTable = std::array<std::pair<std::string_view, E>, N>;

// The spelling of a choice. Requires that the table has one.
template <typename E, std::size_t N>
std::string_view word_for(std::type_identity_t<E> choice, const EnumTable<E, N>& words) {
  const auto entry = std::ranges::find(words, choice, &std::pair<std::string_view, E>::second);
  TUTTI_CHECK(entry != words.end());
  return entry->first;
}

class Field {
 public:
  // The object itself. `errors` receives the reports and must outlive the reading.
  Field(const Value& value, FieldErrors& errors) : value_(&value), errors_(&errors) {}
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  const Value& value() const { return *value_; }
  // The field this one is a member or an item of. Requires that this is not the object itself.
  const Field& parent() const { return *parent_; }

  // Whether anything has been reported about the object so far.
  bool failed() const { return !errors_->empty(); }

  void fail(std::string message) const;
  // "expected a string, found an array".
  void fail_type(std::string_view expected) const;
  // Reports a message about a member that is not there.
  void fail_member(std::string_view name, std::string message) const;

  bool is_empty_text() const { return value_->is_string() && value_->text().empty(); }

  // Reports and returns false unless the value is of this shape.
  bool expect_object() const;
  bool expect_array() const;

  // Reads a member into `out` with the `read` that fits its type.
  template <typename T>
  void operator()(std::string_view name, T& out) const;
  // Reads a member that is one of a few words.
  template <typename T, std::size_t N>
  void operator()(std::string_view name, T& out,
                  const EnumTable<std::type_identity_t<T>, N>& words) const;
  template <typename T, std::size_t N>
  void operator()(std::string_view name, std::optional<T>& out, const EnumTable<T, N>& words) const;
  // Read members that must be there.
  template <typename T>
  void required(std::string_view name, T& out) const;
  template <typename T, std::size_t N>
  void required(std::string_view name, T& out, const EnumTable<T, N>& words) const;

  // Calls `body` with the member, if there is one. Returns whether there was.
  template <typename Body>
  bool member(std::string_view name, Body&& body) const;
  template <typename Body>
  void required_member(std::string_view name, Body&& body) const;
  // Calls `body` with each item of a list member.
  template <typename Body>
  void list(std::string_view name, Body&& body) const;
  // Calls `body` with this list's items, or with the keys and values of this map.
  template <typename Body>
  void each_item(Body&& body) const;
  template <typename Body>
  void each_entry(Body&& body) const;

  // The index of the one name among `names` that is a member; reports and returns -1 if none or
  // several are.
  int exactly_one_of(std::span<const std::string_view> names) const;
  int exactly_one_of(std::initializer_list<std::string_view> names) const {
    return exactly_one_of(std::span(names.begin(), names.size()));
  }

 private:
  Field(const Field& parent, std::string_view name, const Value& value)
      : value_(&value), parent_(&parent), name_(name), errors_(parent.errors_) {}
  Field(const Field& parent, std::size_t index, const Value& value)
      : value_(&value), parent_(&parent), index_(index), errors_(parent.errors_) {}

  void report(std::string path, std::string message) const;
  std::string path() const;
  // The value of a member that is present and not null; reports if this is no object.
  const Value* find(std::string_view name) const;

  const Value* value_;
  const Field* parent_ = nullptr;
  std::string_view name_;  // of a member
  std::size_t index_ = 0;  // of an item, which has no name
  FieldErrors* errors_;
};

// Numbers are taken as written: "3" is not a number, 3.0 is not an integer.
void read(const Field& at, std::string& out);
void read(const Field& at, bool& out);
void read(const Field& at, std::int32_t& out);
void read(const Field& at, std::int64_t& out);
// A string or a number.
void read(const Field& at, Quantity& out);
void read(const Field& at, Instant& out);
// Maps become lists sorted by key. Amounts of resources may not be negative.
void read(const Field& at, std::vector<std::pair<std::string, std::string>>& out);
void read(const Field& at, std::vector<std::pair<std::string, Quantity>>& out);

template <typename T>
void read(const Field& at, std::vector<T>& out) {
  if (!at.expect_array()) return;
  out.reserve(at.value().items().size());
  at.each_item([&](const Field& item) { read(item, out.emplace_back()); });
}

template <typename T>
void read(const Field& at, SharedList<T>& out) {
  std::vector<T> items;
  read(at, items);
  out = std::move(items);
}

template <typename T>
void read(const Field& at, std::optional<T>& out) {
  read(at, out.emplace());
}

// "unknown value 'x', expected one of A, B".
std::string unknown_word(std::string_view word, const std::vector<std::string_view>& known);

template <typename T, std::size_t N>
void read(const Field& at, T& out, const EnumTable<T, N>& words) {
  std::string word;
  read(at, word);
  // An empty string is how clients with typed structs say "not set".
  if (word.empty()) return;
  const auto entry = std::ranges::find(words, word, &std::pair<std::string_view, T>::first);
  if (entry != words.end()) {
    out = entry->second;
    return;
  }
  std::vector<std::string_view> known;
  for (const auto& [text, meaning] : words) known.push_back(text);
  at.fail(unknown_word(word, known));
}

template <typename Body>
bool Field::member(std::string_view name, Body&& body) const {
  const Value* value = find(name);
  if (value != nullptr) body(Field(*this, name, *value));
  return value != nullptr;
}

template <typename Body>
void Field::required_member(std::string_view name, Body&& body) const {
  if (!member(name, body) && value_->is_object()) fail_member(name, "required");
}

template <typename T>
void Field::operator()(std::string_view name, T& out) const {
  member(name, [&](const Field& field) { read(field, out); });
}

template <typename T, std::size_t N>
void Field::operator()(std::string_view name, T& out,
                       const EnumTable<std::type_identity_t<T>, N>& words) const {
  member(name, [&](const Field& field) { read(field, out, words); });
}

template <typename T, std::size_t N>
void Field::operator()(std::string_view name, std::optional<T>& out,
                       const EnumTable<T, N>& words) const {
  member(name, [&](const Field& field) {
    T word = words.front().second;
    read(field, word, words);
    if (!field.is_empty_text()) out = word;
  });
}

template <typename T>
void Field::required(std::string_view name, T& out) const {
  required_member(name, [&](const Field& field) { read(field, out); });
}

template <typename T, std::size_t N>
void Field::required(std::string_view name, T& out, const EnumTable<T, N>& words) const {
  required_member(name, [&](const Field& field) {
    if (field.is_empty_text()) return field.fail("required");
    read(field, out, words);
  });
}

template <typename Body>
void Field::list(std::string_view name, Body&& body) const {
  member(name, [&](const Field& field) { field.each_item(body); });
}

template <typename Body>
void Field::each_item(Body&& body) const {
  if (!expect_array()) return;
  std::size_t index = 0;
  for (const Value& item : value_->items()) body(Field(*this, index++, item));
}

template <typename Body>
void Field::each_entry(Body&& body) const {
  if (!expect_object()) return;
  for (const Member& entry : value_->members()) {
    body(entry.key, Field(*this, entry.key, entry.value));
  }
}

}  // namespace tutti::wire
