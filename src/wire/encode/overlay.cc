#include "wire/encode/overlay.h"

#include <algorithm>

#include "base/check.h"
#include "wire/decode/field_reader.h"
#include "wire/json_reader.h"

namespace tutti::wire {
namespace {

bool is_text(const Value* value, std::string_view text) {
  return value != nullptr && value->is_string() && value->text() == text;
}

bool is_instant(const Value* value, Instant instant) {
  if (value == nullptr || !value->is_string()) return false;
  const Result<Instant> present = parse_rfc3339(value->text());
  return present.ok() && *present == instant;
}

bool is_amount(const Value* value, const Quantity& amount) {
  if (value == nullptr || value->is_null()) return false;
  FieldErrors errors;
  Quantity present;
  read(Field(*value, errors), present);
  return errors.empty() && present == amount;
}

bool are_texts(const Value* value, const std::vector<std::string>& texts) {
  if (value == nullptr || !value->is_array()) return false;
  return std::ranges::equal(value->items(), texts, [](const Value& item, const std::string& text) {
    return is_text(&item, text);
  });
}

}  // namespace

bool says(const Value& item, std::string_view name, std::string_view text) {
  const Value* member = item.find(name);
  return is_text(member, text) || (text.empty() && (member == nullptr || member->is_null()));
}

void Overlay::set(std::string_view name, Value value) {
  object_->set_member(*arena_, name, std::move(value));
}

void Overlay::clear(std::string_view name, const Value& empty) {
  const Value* present = object_->find(name);
  if (present == nullptr || present->is_null() || *present == empty) return;
  object_->remove_member(name);
}

Value Overlay::take(std::string_view name, Value::Kind kind) {
  Value* present = object_->find(name);
  if (present != nullptr && present->kind() == kind) return std::move(*present);
  return kind == Value::Kind::array ? Value::array() : Value::object();
}

void Overlay::json(std::string_view name, std::string_view text) {
  if (text.empty()) return remove(name);
  Value tree;
  const Status status = read_json(text, [&](Document&& document) {
    tree = document.root().clone(*arena_);
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), "the text of a value is JSON");
  set(name, std::move(tree));
}

void Overlay::text(std::string_view name, std::string_view text) {
  if (text.empty()) return clear(name, Value::string(*arena_, ""));
  text_always(name, text);
}

void Overlay::text_always(std::string_view name, std::string_view text) {
  if (!is_text(object_->find(name), text)) set(name, Value::string(*arena_, text));
}

void Overlay::flag(std::string_view name, bool value) {
  if (!value) return clear(name, Value::boolean(false));
  set(name, Value::boolean(true));
}

void Overlay::number(std::string_view name, std::optional<std::int64_t> value) {
  if (!value) return clear(name, Value{});
  set(name, Value::integer(*value));
}

void Overlay::number_unless_zero(std::string_view name, std::int64_t value) {
  if (value == 0) return clear(name, Value::integer(0));
  set(name, Value::integer(value));
}

void Overlay::time_as(std::string_view name, const std::optional<Instant>& instant,
                      FormatTime format) {
  if (!instant) return clear(name, Value{});
  if (!is_instant(object_->find(name), *instant)) {
    set(name, Value::string(*arena_, format(*instant)));
  }
}

void Overlay::time(std::string_view name, const std::optional<Instant>& instant) {
  time_as(name, instant, format_rfc3339);
}

void Overlay::micro_time(std::string_view name, const std::optional<Instant>& instant) {
  time_as(name, instant, format_rfc3339_micro);
}

void Overlay::texts(std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return clear(name, Value::array());
  if (are_texts(object_->find(name), texts)) return;
  Value list = Value::array();
  for (const std::string& text : texts) list.push_back(*arena_, Value::string(*arena_, text));
  set(name, std::move(list));
}

void Overlay::map(std::string_view name, const model::Labels& entries) {
  if (entries.empty()) return clear(name, Value::object());
  Value before = take(name, Value::Kind::object);
  Value after = Value::object();
  for (const Member& entry : before.members()) {
    if (model::find(entries, entry.key) == nullptr) continue;
    after.set_member(*arena_, entry.key, entry.value.clone(*arena_));
  }
  Overlay inner(after, *arena_);
  for (const auto& [key, text] : entries) {
    // A null in a map of strings is read as an empty string.
    const Value* present = after.find(key);
    if (present == nullptr || !present->is_null() || !text.empty()) inner.text_always(key, text);
  }
  set(name, std::move(after));
}

void Overlay::quantity(std::string_view name, const std::optional<Quantity>& amount) {
  if (!amount) return clear(name, Value{});
  if (!is_amount(object_->find(name), *amount)) text_always(name, amount->text());
}

void Overlay::amounts(std::string_view name, const model::ResourceList& amounts) {
  if (amounts.empty()) return clear(name, Value::object());
  Value before = take(name, Value::Kind::object);
  Value after = Value::object();
  for (const Member& entry : before.members()) {
    if (model::find(amounts, entry.key) == nullptr) continue;
    after.set_member(*arena_, entry.key, entry.value.clone(*arena_));
  }
  Overlay inner(after, *arena_);
  for (const auto& [resource, amount] : amounts) inner.quantity(resource, amount);
  set(name, std::move(after));
}

void Overlay::null_unless_present(std::string_view name) {
  if (object_->find(name) == nullptr) set(name, Value{});
}

void Overlay::object_unless_present(std::string_view name) {
  const Value* present = object_->find(name);
  if (present == nullptr || present->is_null()) set(name, Value::object());
}

void Overlay::text_unless_present(std::string_view name, std::string_view text) {
  const Value* present = object_->find(name);
  if (present == nullptr || present->is_null() || is_text(present, "")) text_always(name, text);
}

}  // namespace tutti::wire
