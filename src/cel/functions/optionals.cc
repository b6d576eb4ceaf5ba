// Values that may be missing. `or` and `orValue` do not look at their argument unless they need it,
// so the evaluator does those itself.
#include <array>

#include "cel/functions/table.h"

namespace tutti::cel {
namespace {

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return !value.as_boolean();
    case Kind::integer:
      return value.as_integer() == 0;
    case Kind::unsigned_integer:
      return value.as_unsigned() == 0;
    case Kind::real:
      return value.as_real() == 0;
    case Kind::string:
    case Kind::bytes:
      return value.as_text().empty();
    case Kind::duration:
      return value.as_duration_nanos() == 0;
    case Kind::list:
      return value.as_list().size() == 0;
    case Kind::map:
      return value.as_map().size() == 0;
    case Kind::optional:
      return value.as_optional() == nullptr;
    default:
      return false;
  }
}

Value none(Context&, const Value*) { return Value::optional_none(); }

Value of(Context& context, const Value* arguments) { return context.make_optional(arguments[0]); }

Value of_non_zero(Context& context, const Value* arguments) {
  return is_zero(arguments[0]) ? Value::optional_none() : context.make_optional(arguments[0]);
}

Value has_value(Context&, const Value* arguments) {
  return Value::boolean(arguments[0].as_optional() != nullptr);
}

Value value_of(Context& context, const Value* arguments) {
  const Value* value = arguments[0].as_optional();
  return value == nullptr ? context.fail("optional.none() dereference") : *value;
}

constexpr auto optional_row(std::string_view signature, Function run) {
  return FunctionRow{in(Library::optional), signature, run};
}

constexpr std::array kOptionalRows = {
    optional_row("optional.none() optional<A>", none),
    optional_row("optional.of(A) optional<A>", of),
    optional_row("optional.ofNonZeroValue(A) optional<A>", of_non_zero),
    optional_row("optional<A>::hasValue() bool", has_value),
    optional_row("optional<A>::value() A", value_of),
    optional_row("optional<A>::or(optional<A>) optional<A>", nullptr),
    optional_row("optional<A>::orValue(A) A", nullptr),
};

}  // namespace

std::span<const FunctionRow> optional_rows() { return kOptionalRows; }

}  // namespace tutti::cel
