// int(), string(), timestamp() and their like; size, type and dyn.
#include <array>
#include <charconv>
#include <cmath>

#include "cel/functions/table.h"
#include "cel/value/network.h"
#include "cel/value/number_text.h"
#include "cel/value/time_text.h"
#include "cel/value/utf8.h"

namespace tutti::cel {
namespace {

Value conversion_error(Context& context, const Value& from, std::string_view to) {
  return context.fail("type conversion error from '{}' to '{}'", type_name(from), to);
}

Value identity(Context&, const Value* arguments) { return arguments[0]; }

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

Value unsigned_to_int(Context& context, const Value* arguments) {
  if (arguments[0].as_unsigned() > static_cast<std::uint64_t>(INT64_MAX)) {
    return context.fail("integer overflow");
  }
  return Value::integer(static_cast<std::int64_t>(arguments[0].as_unsigned()));
}

Value real_to_int(Context& context, const Value* arguments) {
  const double real = arguments[0].as_real();
  if (!(real > -0x1p63 && real < 0x1p63)) return context.fail("integer overflow");
  return Value::integer(static_cast<std::int64_t>(real));
}

Value text_to_int(Context& context, const Value* arguments) {
  std::int64_t number = 0;
  if (!read_number(arguments[0].as_text(), number)) {
    return conversion_error(context, arguments[0], "int");
  }
  return Value::integer(number);
}

Value timestamp_to_int(Context&, const Value* arguments) {
  return Value::integer(arguments[0].as_seconds());
}

Value duration_to_int(Context&, const Value* arguments) {
  return Value::integer(arguments[0].as_duration_nanos());
}

Value int_to_unsigned(Context& context, const Value* arguments) {
  if (arguments[0].as_integer() < 0) return context.fail("unsigned integer overflow");
  return Value::unsigned_integer(arguments[0].as_unsigned());
}

Value real_to_unsigned(Context& context, const Value* arguments) {
  const double real = arguments[0].as_real();
  if (!(real >= 0 && real < 0x1p64)) return context.fail("unsigned integer overflow");
  return Value::unsigned_integer(static_cast<std::uint64_t>(real));
}

Value text_to_unsigned(Context& context, const Value* arguments) {
  std::uint64_t number = 0;
  if (!read_number(arguments[0].as_text(), number)) {
    return conversion_error(context, arguments[0], "uint");
  }
  return Value::unsigned_integer(number);
}

Value int_to_real(Context&, const Value* arguments) {
  return Value::real(static_cast<double>(arguments[0].as_integer()));
}

Value unsigned_to_real(Context&, const Value* arguments) {
  return Value::real(static_cast<double>(arguments[0].as_unsigned()));
}

Value text_to_real(Context& context, const Value* arguments) {
  const auto number = parse_real(arguments[0].as_text());
  if (!number) return conversion_error(context, arguments[0], "double");
  return Value::real(*number);
}

Value text_to_bool(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return Value::boolean(true);
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return Value::boolean(false);
  }
  return conversion_error(context, arguments[0], "bool");
}

Value bool_to_text(Context&, const Value* arguments) {
  return Value::string(arguments[0].as_boolean() ? "true" : "false");
}

Value int_to_text(Context& context, const Value* arguments) {
  return context.make_string(fmt::format_int(arguments[0].as_integer()).c_str());
}

Value unsigned_to_text(Context& context, const Value* arguments) {
  return context.make_string(fmt::format_int(arguments[0].as_unsigned()).c_str());
}

Value real_to_text(Context& context, const Value* arguments) {
  return context.make_string(real_text(arguments[0].as_real()));
}

Value bytes_to_text(Context& context, const Value* arguments) {
  const std::string_view bytes = arguments[0].as_text();
  if (!context.charge_text(bytes.size())) return context.out_of_cost();
  if (!is_utf8(bytes)) return context.fail("invalid UTF-8 in bytes, cannot convert to string");
  return Value::string(bytes);
}

Value text_to_bytes(Context&, const Value* arguments) {
  return Value::bytes(arguments[0].as_text());
}

Value timestamp_to_text(Context& context, const Value* arguments) {
  return context.make_string(
      timestamp_text({arguments[0].as_seconds(), arguments[0].as_nanos_part()}));
}

Value duration_to_text(Context& context, const Value* arguments) {
  return context.make_string(duration_text(arguments[0].as_duration_nanos()));
}

Value ip_to_text(Context& context, const Value* arguments) {
  return context.make_string(arguments[0].as_ip().text());
}

Value cidr_to_text(Context& context, const Value* arguments) {
  return context.make_string(arguments[0].as_cidr().text());
}

Value text_to_timestamp(Context& context, const Value* arguments) {
  const auto point = parse_timestamp(arguments[0].as_text());
  if (!point) return conversion_error(context, arguments[0], "google.protobuf.Timestamp");
  return Value::timestamp(point->seconds, point->nanos);
}

Value int_to_timestamp(Context& context, const Value* arguments) {
  const std::int64_t seconds = arguments[0].as_integer();
  if (seconds < kSecondsMin || seconds > kSecondsMax) return context.fail("timestamp overflow");
  return Value::timestamp(seconds, 0);
}

Value text_to_duration(Context& context, const Value* arguments) {
  const auto nanos = parse_duration_nanos(arguments[0].as_text());
  if (!nanos) return conversion_error(context, arguments[0], "google.protobuf.Duration");
  return Value::duration(*nanos);
}

Value int_to_duration(Context&, const Value* arguments) {
  return Value::duration(arguments[0].as_integer());
}

Value type_of(Context&, const Value* arguments) { return Value::type(type_name(arguments[0])); }

Value integer_of(std::size_t count) { return Value::integer(static_cast<std::int64_t>(count)); }

Value text_size(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  if (!context.charge_text(text.size())) return context.out_of_cost();
  return integer_of(code_point_count(text));
}

Value bytes_size(Context&, const Value* arguments) {
  return integer_of(arguments[0].as_text().size());
}

Value list_size(Context&, const Value* arguments) {
  return integer_of(arguments[0].as_list().size());
}

Value map_size(Context&, const Value* arguments) {
  return integer_of(arguments[0].as_map().size());
}

constexpr std::array kConversionRows = {
    FunctionRow{kStandard, "int(int) int", identity},
    FunctionRow{kStandard, "int(uint) int", unsigned_to_int},
    FunctionRow{kStandard, "int(double) int", real_to_int},
    FunctionRow{kStandard, "int(string) int", text_to_int},
    FunctionRow{kStandard, "int(timestamp) int", timestamp_to_int},
    FunctionRow{kStandard, "int(duration) int", duration_to_int},
    FunctionRow{kStandard, "uint(uint) uint", identity},
    FunctionRow{kStandard, "uint(int) uint", int_to_unsigned},
    FunctionRow{kStandard, "uint(double) uint", real_to_unsigned},
    FunctionRow{kStandard, "uint(string) uint", text_to_unsigned},
    FunctionRow{kStandard, "double(double) double", identity},
    FunctionRow{kStandard, "double(int) double", int_to_real},
    FunctionRow{kStandard, "double(uint) double", unsigned_to_real},
    FunctionRow{kStandard, "double(string) double", text_to_real},
    FunctionRow{kStandard, "bool(bool) bool", identity},
    FunctionRow{kStandard, "bool(string) bool", text_to_bool},
    FunctionRow{kStandard, "string(string) string", identity},
    FunctionRow{kStandard, "string(bool) string", bool_to_text},
    FunctionRow{kStandard, "string(int) string", int_to_text},
    FunctionRow{kStandard, "string(uint) string", unsigned_to_text},
    FunctionRow{kStandard, "string(double) string", real_to_text},
    FunctionRow{kStandard, "string(bytes) string", bytes_to_text},
    FunctionRow{kStandard, "string(timestamp) string", timestamp_to_text},
    FunctionRow{kStandard, "string(duration) string", duration_to_text},
    FunctionRow{in(Library::network), "string(ip) string", ip_to_text},
    FunctionRow{in(Library::network), "string(cidr) string", cidr_to_text},
    FunctionRow{kStandard, "bytes(bytes) bytes", identity},
    FunctionRow{kStandard, "bytes(string) bytes", text_to_bytes},
    FunctionRow{kStandard, "timestamp(timestamp) timestamp", identity},
    FunctionRow{kStandard, "timestamp(string) timestamp", text_to_timestamp},
    FunctionRow{kStandard, "timestamp(int) timestamp", int_to_timestamp},
    FunctionRow{kStandard, "duration(duration) duration", identity},
    FunctionRow{kStandard, "duration(string) duration", text_to_duration},
    FunctionRow{kStandard, "duration(int) duration", int_to_duration},
    FunctionRow{kStandard, "dyn(A) dyn", identity},
    FunctionRow{kStandard, "type(A) type", type_of},
    FunctionRow{kStandard, "size(string) int", text_size},
    FunctionRow{kStandard, "size(bytes) int", bytes_size},
    FunctionRow{kStandard, "size(list<A>) int", list_size},
    FunctionRow{kStandard, "size(map<A, B>) int", map_size},
    FunctionRow{kStandard, "string::size() int", text_size},
    FunctionRow{kStandard, "bytes::size() int", bytes_size},
    FunctionRow{kStandard, "list<A>::size() int", list_size},
    FunctionRow{kStandard, "map<A, B>::size() int", map_size},
};

}  // namespace

std::span<const FunctionRow> conversion_rows() { return kConversionRows; }

}  // namespace tutti::cel
