#include "cel/functions/arithmetic.h"

#include <algorithm>
#include <array>
#include <limits>

#include "cel/value/containers.h"
#include "cel/value/time_text.h"

namespace tutti::cel {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

Value no_overload(Context& context, std::string_view name, const Value& a, const Value& b) {
  const std::array<Value, 2> both = {a, b};
  return context.no_such_overload(name, both);
}

Value overflow(Context& context) { return context.fail("integer overflow"); }

Value joined_texts(Context& context, const Value& a, const Value& b) {
  const std::string_view left = a.as_text();
  const std::string_view right = b.as_text();
  const std::size_t size = left.size() + right.size();
  if (!context.charge_text(size)) return context.out_of_cost();
  auto* memory = static_cast<char*>(context.arena().allocate(size));
  if (memory == nullptr) return context.out_of_memory();
  std::copy_n(right.data(), right.size(), std::copy_n(left.data(), left.size(), memory));
  return a.is(Kind::string) ? Value::string({memory, size}) : Value::bytes({memory, size});
}

Value joined_lists(Context& context, const List& a, const List& b) {
  const std::size_t size = a.size() + b.size();
  if (!context.charge(size / 10)) return context.out_of_cost();
  auto* elements = context.arena().array<Value>(size);
  if (elements == nullptr) return context.out_of_memory();
  for (std::size_t i = 0; i < a.size(); ++i) elements[i] = a.at(i);
  for (std::size_t i = 0; i < b.size(); ++i) elements[a.size() + i] = b.at(i);
  const auto* list = context.arena().create<ArrayList>(std::span<const Value>(elements, size));
  return list == nullptr ? context.out_of_memory() : Value::list(*list);
}

Value shifted(Context& context, const Value& timestamp, std::int64_t seconds, std::int64_t nanos) {
  std::int64_t total_nanos = static_cast<std::int64_t>(timestamp.as_nanos_part()) + nanos;
  std::int64_t total = timestamp.as_seconds() + seconds + total_nanos / kNanosPerSecond;
  total_nanos %= kNanosPerSecond;
  if (total_nanos < 0) {
    total_nanos += kNanosPerSecond;
    --total;
  }
  if (total < kSecondsMin || total > kSecondsMax) return context.fail("timestamp overflow");
  return Value::timestamp(total, static_cast<std::uint32_t>(total_nanos));
}

Value later(Context& context, const Value& timestamp, const Value& duration) {
  const std::int64_t nanos = duration.as_duration_nanos();
  return shifted(context, timestamp, nanos / kNanosPerSecond, nanos % kNanosPerSecond);
}

Value earlier(Context& context, const Value& timestamp, const Value& duration) {
  const std::int64_t nanos = duration.as_duration_nanos();
  return shifted(context, timestamp, -(nanos / kNanosPerSecond), -(nanos % kNanosPerSecond));
}

Value between(Context& context, const Value& a, const Value& b) {
  std::int64_t nanos = 0;
  const std::int64_t seconds = a.as_seconds() - b.as_seconds();
  const std::int64_t rest =
      static_cast<std::int64_t>(a.as_nanos_part()) - static_cast<std::int64_t>(b.as_nanos_part());
  if (__builtin_mul_overflow(seconds, kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, rest, &nanos)) {
    return context.fail("duration overflow");
  }
  return Value::duration(nanos);
}

Value added_integers(Context& context, const Value& a, const Value& b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a.as_integer(), b.as_integer(), &result)) return overflow(context);
  return Value::integer(result);
}

Value added_unsigned(Context& context, const Value& a, const Value& b) {
  std::uint64_t result = 0;
  if (__builtin_add_overflow(a.as_unsigned(), b.as_unsigned(), &result)) return overflow(context);
  return Value::unsigned_integer(result);
}

Value added_durations(Context& context, const Value& a, const Value& b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a.as_duration_nanos(), b.as_duration_nanos(), &result)) {
    return context.fail("duration overflow");
  }
  return Value::duration(result);
}

Value subtracted_durations(Context& context, const Value& a, const Value& b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a.as_duration_nanos(), b.as_duration_nanos(), &result)) {
    return context.fail("duration overflow");
  }
  return Value::duration(result);
}

bool is_least(std::int64_t value) { return value == std::numeric_limits<std::int64_t>::min(); }

}  // namespace

Value add(Context& context, const Value& a, const Value& b) {
  if (a.kind() != b.kind()) {
    if (a.is(Kind::timestamp) && b.is(Kind::duration)) return later(context, a, b);
    if (a.is(Kind::duration) && b.is(Kind::timestamp)) return later(context, b, a);
    return no_overload(context, "_+_", a, b);
  }
  switch (a.kind()) {
    case Kind::integer:
      return added_integers(context, a, b);
    case Kind::unsigned_integer:
      return added_unsigned(context, a, b);
    case Kind::real:
      return Value::real(a.as_real() + b.as_real());
    case Kind::string:
    case Kind::bytes:
      return joined_texts(context, a, b);
    case Kind::list:
      return joined_lists(context, a.as_list(), b.as_list());
    case Kind::duration:
      return added_durations(context, a, b);
    default:
      return no_overload(context, "_+_", a, b);
  }
}

Value subtract(Context& context, const Value& a, const Value& b) {
  if (a.is(Kind::timestamp) && b.is(Kind::duration)) return earlier(context, a, b);
  if (a.kind() != b.kind()) return no_overload(context, "_-_", a, b);
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  switch (a.kind()) {
    case Kind::integer:
      if (__builtin_sub_overflow(a.as_integer(), b.as_integer(), &integer)) {
        return overflow(context);
      }
      return Value::integer(integer);
    case Kind::unsigned_integer:
      if (__builtin_sub_overflow(a.as_unsigned(), b.as_unsigned(), &natural)) {
        return overflow(context);
      }
      return Value::unsigned_integer(natural);
    case Kind::real:
      return Value::real(a.as_real() - b.as_real());
    case Kind::duration:
      return subtracted_durations(context, a, b);
    case Kind::timestamp:
      return between(context, a, b);
    default:
      return no_overload(context, "_-_", a, b);
  }
}

Value multiply(Context& context, const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return no_overload(context, "_*_", a, b);
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  switch (a.kind()) {
    case Kind::integer:
      if (__builtin_mul_overflow(a.as_integer(), b.as_integer(), &integer)) {
        return overflow(context);
      }
      return Value::integer(integer);
    case Kind::unsigned_integer:
      if (__builtin_mul_overflow(a.as_unsigned(), b.as_unsigned(), &natural)) {
        return overflow(context);
      }
      return Value::unsigned_integer(natural);
    case Kind::real:
      return Value::real(a.as_real() * b.as_real());
    default:
      return no_overload(context, "_*_", a, b);
  }
}

Value divide(Context& context, const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return no_overload(context, "_/_", a, b);
  switch (a.kind()) {
    case Kind::integer:
      if (b.as_integer() == 0) return context.fail("division by zero");
      if (is_least(a.as_integer()) && b.as_integer() == -1) return overflow(context);
      return Value::integer(a.as_integer() / b.as_integer());
    case Kind::unsigned_integer:
      if (b.as_unsigned() == 0) return context.fail("division by zero");
      return Value::unsigned_integer(a.as_unsigned() / b.as_unsigned());
    case Kind::real:
      return Value::real(a.as_real() / b.as_real());
    default:
      return no_overload(context, "_/_", a, b);
  }
}

Value modulo(Context& context, const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return no_overload(context, "_%_", a, b);
  switch (a.kind()) {
    case Kind::integer:
      if (b.as_integer() == 0) return context.fail("modulus by zero");
      if (is_least(a.as_integer()) && b.as_integer() == -1) return overflow(context);
      return Value::integer(a.as_integer() % b.as_integer());
    case Kind::unsigned_integer:
      if (b.as_unsigned() == 0) return context.fail("modulus by zero");
      return Value::unsigned_integer(a.as_unsigned() % b.as_unsigned());
    default:
      return no_overload(context, "_%_", a, b);
  }
}

Value negate(Context& context, const Value& a) {
  if (a.is(Kind::real)) return Value::real(-a.as_real());
  if (!a.is(Kind::integer)) return context.no_such_overload("-_", {&a, 1});
  if (is_least(a.as_integer())) return overflow(context);
  return Value::integer(-a.as_integer());
}

}  // namespace tutti::cel
