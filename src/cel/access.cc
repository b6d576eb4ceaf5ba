#include "cel/access.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "cel/value/containers.h"
#include "cel/value/equality.h"
#include "cel/value/number_text.h"

namespace tutti::cel {
namespace {

std::string key_text(const Value& key) {
  switch (key.kind()) {
    case Kind::string:
      return brief_line(key.as_text());
    case Kind::boolean:
      return key.as_boolean() ? "true" : "false";
    case Kind::integer:
      return fmt::to_string(key.as_integer());
    case Kind::unsigned_integer:
      return fmt::to_string(key.as_unsigned());
    case Kind::real:
      return real_text(key.as_real());
    default:
      return std::string(type_name(key));
  }
}

Value no_such_key(Context& context, const Value& key) {
  return context.fail("no such key: {}", key_text(key));
}

Value no_overload(Context& context, std::string_view name, const Value& a, const Value& b) {
  const std::array<Value, 2> both = {a, b};
  return context.no_such_overload(name, both);
}

// A whole double is the integer it equals; hosts need not know of doubles.
Value plain_key(const Value& key) {
  if (!key.is(Kind::real)) return key;
  const double real = key.as_real();
  if (std::trunc(real) != real) return {};
  if (real >= -0x1p63 && real < 0x1p63) return Value::integer(static_cast<std::int64_t>(real));
  if (real >= 0 && real < 0x1p64) {
    return Value::unsigned_integer(static_cast<std::uint64_t>(real));
  }
  return {};
}

Value find_in_map(const Map& map, const Value& key) {
  const Value plain = plain_key(key);
  return is_key(plain) ? map.find(plain) : Value();
}

std::optional<std::size_t> list_position(const Value& index) {
  const Value plain = plain_key(index);
  if (plain.is(Kind::integer) && plain.as_integer() >= 0) return plain.as_unsigned();
  if (plain.is(Kind::unsigned_integer)) return plain.as_unsigned();
  return std::nullopt;
}

// Absent when there is no such element, a fault when the operand has none at all.
Value find(Context& context, const Value& operand, const Value& index) {
  if (operand.is_map()) return find_in_map(operand.as_map(), index);
  if (!operand.is(Kind::list)) return no_overload(context, "_[_]", operand, index);
  if (!index.is_number()) return no_overload(context, "_[_]", operand, index);
  const auto position = list_position(index);
  const List& list = operand.as_list();
  return position && *position < list.size() ? list.at(*position) : Value();
}

Value not_found(Context& context, const Value& operand, const Value& index) {
  if (operand.is_map()) return no_such_key(context, index);
  return context.fail("index out of bounds: {}", key_text(index));
}

Value find_field(Context& context, const Value& operand, const Value& key) {
  return operand.is_map() ? operand.as_map().find(key) : no_such_key(context, key);
}

// What was found, in an optional.
Value wrapped(Context& context, const Value& found) {
  if (found.is_absent()) return Value::optional_none();
  return found.is_fault() ? found : context.make_optional(found);
}

}  // namespace

Value select_field(Context& context, const Value& operand, const Value& key) {
  if (operand.is(Kind::optional)) return select_optional_field(context, operand, key);
  const Value found = find_field(context, operand, key);
  return found.is_absent() ? no_such_key(context, key) : found;
}

Value select_optional_field(Context& context, const Value& operand, const Value& key) {
  if (!operand.is(Kind::optional)) return wrapped(context, find_field(context, operand, key));
  const Value* content = operand.as_optional();
  return content == nullptr ? operand : wrapped(context, find_field(context, *content, key));
}

Value has_field(Context& context, const Value& operand, const Value& key) {
  if (operand.is(Kind::optional)) {
    const Value* content = operand.as_optional();
    return content == nullptr ? Value::boolean(false) : has_field(context, *content, key);
  }
  const Value found = find_field(context, operand, key);
  return found.is_fault() ? found : Value::boolean(!found.is_absent());
}

Value index_value(Context& context, const Value& operand, const Value& index) {
  if (operand.is(Kind::optional)) return index_optional_value(context, operand, index);
  const Value found = find(context, operand, index);
  return found.is_absent() ? not_found(context, operand, index) : found;
}

Value index_optional_value(Context& context, const Value& operand, const Value& index) {
  if (!operand.is(Kind::optional)) return wrapped(context, find(context, operand, index));
  const Value* content = operand.as_optional();
  return content == nullptr ? operand : wrapped(context, find(context, *content, index));
}

Value is_in(Context& context, const Value& element, const Value& container) {
  if (container.is_map()) {
    const Value key = plain_key(element);
    return Value::boolean(is_key(key) && container.as_map().contains(key));
  }
  if (!container.is(Kind::list)) return no_overload(context, "@in", element, container);
  const List& list = container.as_list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (equal(context, list.at(i), element)) return Value::boolean(true);
    if (context.stopped()) return context.out_of_cost();
  }
  return Value::boolean(false);
}

}  // namespace tutti::cel
