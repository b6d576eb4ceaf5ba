// Overlay: an object of a document that typed values are laid over.
//
// The counterpart of Field: a writer of a type says which member shows what.
//
// A member that already says the same is left as it was written ("2026-11-15T22:30:00+01:00" stays
// so while the instant is the same). An empty value (no text, no number, false, no items) is
// written by taking the member away, unless the member says "empty" itself. Members that nobody
// writes stay.
#pragma once

#include "base/quantity.h"
#include "base/std.h"
#include "base/time.h"
#include "model/object.h"
#include "model/resources.h"
#include "wire/value.h"

namespace tutti::wire {

class Overlay {
 public:
  // Requires an object, which the overlay changes, and the arena it lives in.
  Overlay(Value& object, Arena& arena) : object_(&object), arena_(&arena) {}

  // `text` may be empty, which removes the member.
  void text(std::string_view name, std::string_view text);
  // Written even when empty.
  void text_always(std::string_view name, std::string_view text);
  void flag(std::string_view name, bool value);
  void number(std::string_view name, std::optional<std::int64_t> value);
  // Zero removes the member.
  void number_unless_zero(std::string_view name, std::int64_t value);
  void time(std::string_view name, const std::optional<Instant>& instant);
  void micro_time(std::string_view name, const std::optional<Instant>& instant);
  void texts(std::string_view name, const std::vector<std::string>& texts);
  void map(std::string_view name, const model::Labels& entries);
  // Absent removes the member.
  void quantity(std::string_view name, const std::optional<Quantity>& amount);
  void amounts(std::string_view name, const model::ResourceList& amounts);
  // Requires the text of one JSON value; empty text removes the member.
  void json(std::string_view name, std::string_view text);

  // Makes sure there is something under this name: null, an empty object, or a text.
  void null_unless_present(std::string_view name);
  void object_unless_present(std::string_view name);
  void text_unless_present(std::string_view name, std::string_view text);
  void remove(std::string_view name) { object_->remove_member(name); }
  const Value* find(std::string_view name) const { return object_->find(name); }

  // Calls `body` with an overlay of the member; it is added if `body` writes something into it.
  template <typename Body>
  void member(std::string_view name, Body&& body);

  // Lays `elements` over a list of objects. An element takes over the members of the first item not
  // yet taken that `same` recognises as it; items that no element claims are dropped.
  template <typename T, typename Same, typename Write>
  void list(std::string_view name, const std::vector<T>& elements, Same&& same, Write&& write);

 private:
  using FormatTime = std::string (*)(Instant);
  void time_as(std::string_view name, const std::optional<Instant>& instant, FormatTime format);
  void set(std::string_view name, Value value);
  // Takes the member away unless it is absent, null, or `empty` already.
  void clear(std::string_view name, const Value& empty);
  // Moves the member out if it is of this kind, else a fresh value of it.
  Value take(std::string_view name, Value::Kind kind);

  Value* object_;
  Arena* arena_;
};

// Whether the item's member is this text.
bool says(const Value& item, std::string_view name, std::string_view text);

template <typename Body>
void Overlay::member(std::string_view name, Body&& body) {
  Value* present = object_->find(name);
  if (present != nullptr && present->is_object()) {
    Overlay inner(*present, *arena_);
    return body(inner);
  }
  Value fresh = Value::object();
  Overlay inner(fresh, *arena_);
  body(inner);
  if (!fresh.members().empty()) set(name, std::move(fresh));
}

template <typename T, typename Same, typename Write>
void Overlay::list(std::string_view name, const std::vector<T>& elements, Same&& same,
                   Write&& write) {
  if (elements.empty()) return clear(name, Value::array());
  Value before = take(name, Value::Kind::array);
  Value after = Value::array();
  for (const T& element : elements) {
    Value item = Value::object();
    for (Value& candidate : before.items()) {
      // Items already taken have become null.
      if (!candidate.is_object() || !same(candidate, element)) continue;
      item = std::move(candidate);
      break;
    }
    Overlay inner(item, *arena_);
    write(inner, element);
    after.push_back(*arena_, std::move(item));
  }
  set(name, std::move(after));
}

}  // namespace tutti::wire
