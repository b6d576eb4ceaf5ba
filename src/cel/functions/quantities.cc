// Kubernetes' quantity library.
#include <array>
#include <cmath>

#include "cel/functions/table.h"

namespace tutti::cel {
namespace {

// Sums may leave the range of parsed quantities; well before they leave that of the type.
constexpr double kMagnitudeMax = 0x1p80;

Value parse_quantity(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  if (!context.charge_text(text.size())) return context.out_of_cost();
  const auto quantity = Quantity::parse(text);
  if (!quantity.ok()) return context.fail("{}", quantity.error().message);
  return context.make_quantity(*quantity);
}

Value is_quantity(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  if (!context.charge_text(text.size())) return context.out_of_cost();
  return Value::boolean(Quantity::parse(text).ok());
}

bool is_whole(const Quantity& quantity) {
  return Quantity::from_units(quantity.units()) == quantity;
}

Value sign(Context&, const Value* arguments) {
  const Quantity& quantity = arguments[0].as_quantity();
  return Value::integer(quantity.zero() ? 0 : quantity.negative() ? -1 : 1);
}

Value is_integer(Context&, const Value* arguments) {
  return Value::boolean(is_whole(arguments[0].as_quantity()));
}

Value as_integer(Context& context, const Value* arguments) {
  const Quantity& quantity = arguments[0].as_quantity();
  if (!is_whole(quantity)) return context.fail("cannot convert value to integer");
  return Value::integer(quantity.units());
}

Value as_real(Context&, const Value* arguments) {
  return Value::real(arguments[0].as_quantity().approximate());
}

Quantity operand(const Value& value) {
  return value.is(Kind::quantity) ? value.as_quantity() : Quantity::from_units(value.as_integer());
}

Value bounded(Context& context, const Quantity& quantity) {
  if (std::abs(quantity.approximate()) > kMagnitudeMax) return context.fail("quantity overflow");
  return context.make_quantity(quantity);
}

Value add(Context& context, const Value* arguments) {
  return bounded(context, arguments[0].as_quantity() + operand(arguments[1]));
}

Value subtract(Context& context, const Value* arguments) {
  return bounded(context, arguments[0].as_quantity() - operand(arguments[1]));
}

Value quantity_is_less(Context&, const Value* arguments) {
  return Value::boolean(arguments[0].as_quantity() < arguments[1].as_quantity());
}

Value quantity_is_greater(Context&, const Value* arguments) {
  return Value::boolean(arguments[0].as_quantity() > arguments[1].as_quantity());
}

Value compare_quantities(Context&, const Value* arguments) {
  const auto order = arguments[0].as_quantity() <=> arguments[1].as_quantity();
  return Value::integer(order < 0 ? -1 : order > 0 ? 1 : 0);
}

constexpr auto quantity_row(std::string_view signature, Function run) {
  return FunctionRow{in(Library::quantity), signature, run};
}

constexpr std::array kQuantityRows = {
    quantity_row("quantity(string) quantity", parse_quantity),
    quantity_row("isQuantity(string) bool", is_quantity),
    quantity_row("quantity::sign() int", sign),
    quantity_row("quantity::isInteger() bool", is_integer),
    quantity_row("quantity::asInteger() int", as_integer),
    quantity_row("quantity::asApproximateFloat() double", as_real),
    quantity_row("quantity::add(quantity) quantity", add),
    quantity_row("quantity::add(int) quantity", add),
    quantity_row("quantity::sub(quantity) quantity", subtract),
    quantity_row("quantity::sub(int) quantity", subtract),
    quantity_row("quantity::isLessThan(quantity) bool", quantity_is_less),
    quantity_row("quantity::isGreaterThan(quantity) bool", quantity_is_greater),
    quantity_row("quantity::compareTo(quantity) int", compare_quantities),
};

}  // namespace

std::span<const FunctionRow> quantity_rows() { return kQuantityRows; }

}  // namespace tutti::cel
