#include "cel/value/equality.h"

#include <algorithm>

#include "cel/value/network.h"

namespace tutti::cel {
namespace {

constexpr double kIntMax = 0x1p63;
constexpr double kUnsignedMax = 0x1p64;

// Where the integer has no exact double both are compared as doubles, as cel-go does.
std::partial_ordering compare_integer_real(std::int64_t a, double b) {
  if (b > kIntMax) return std::partial_ordering::less;
  if (b < -kIntMax) return std::partial_ordering::greater;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering compare_unsigned_real(std::uint64_t a, double b) {
  if (b > kUnsignedMax) return std::partial_ordering::less;
  if (b < 0) return std::partial_ordering::greater;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering compare_integer_unsigned(std::int64_t a, std::uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(a) <=> b;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  if (a.kind() == b.kind()) {
    if (a.is(Kind::integer)) return a.as_integer() <=> b.as_integer();
    if (a.is(Kind::unsigned_integer)) return a.as_unsigned() <=> b.as_unsigned();
    return a.as_real() <=> b.as_real();
  }
  if (a.is(Kind::real) || (a.is(Kind::unsigned_integer) && b.is(Kind::integer))) {
    return 0 <=> compare_numbers(b, a);
  }
  if (a.is(Kind::unsigned_integer)) return compare_unsigned_real(a.as_unsigned(), b.as_real());
  if (b.is(Kind::unsigned_integer)) {
    return compare_integer_unsigned(a.as_integer(), b.as_unsigned());
  }
  return compare_integer_real(a.as_integer(), b.as_real());
}

bool equal_lists(Context& context, const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(context, a.at(i), b.at(i))) return false;
  }
  return true;
}

bool equal_maps(Context& context, const Map& a, const Map& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Value key = a.key(i);
    if (!b.contains(key) || !equal(context, a.value(i), b.find(key))) return false;
  }
  return true;
}

bool equal_optionals(Context& context, const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return equal(context, *a, *b);
}

bool equal_texts(Context& context, std::string_view a, std::string_view b) {
  context.charge(std::min(a.size(), b.size()) / 10);
  return a == b;
}

}  // namespace

bool equal(Context& context, const Value& a, const Value& b) {
  if (!context.charge(1)) return false;
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.as_boolean() == b.as_boolean();
    case Kind::string:
    case Kind::bytes:
      return equal_texts(context, a.as_text(), b.as_text());
    case Kind::type:
      return a.as_text() == b.as_text();
    case Kind::timestamp:
      return a.as_seconds() == b.as_seconds() && a.as_nanos_part() == b.as_nanos_part();
    case Kind::duration:
      return a.as_duration_nanos() == b.as_duration_nanos();
    case Kind::list:
      return equal_lists(context, a.as_list(), b.as_list());
    case Kind::map:
    case Kind::object:
      return equal_maps(context, a.as_map(), b.as_map());
    case Kind::optional:
      return equal_optionals(context, a.as_optional(), b.as_optional());
    case Kind::quantity:
      return a.as_quantity() == b.as_quantity();
    case Kind::semver:
      return a.as_semver() == b.as_semver();
    case Kind::ip:
      return a.as_ip() == b.as_ip();
    case Kind::cidr:
      return a.as_cidr() == b.as_cidr();
    default:
      return false;
  }
}

std::optional<std::partial_ordering> compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case Kind::boolean:
      return a.as_boolean() <=> b.as_boolean();
    case Kind::string:
    case Kind::bytes:
      return a.as_text() <=> b.as_text();
    case Kind::duration:
      return a.as_duration_nanos() <=> b.as_duration_nanos();
    case Kind::timestamp:
      if (a.as_seconds() != b.as_seconds()) return a.as_seconds() <=> b.as_seconds();
      return a.as_nanos_part() <=> b.as_nanos_part();
    default:
      return std::nullopt;
  }
}

}  // namespace tutti::cel
