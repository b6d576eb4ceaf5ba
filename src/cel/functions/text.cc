// Questions about strings in the standard library. matches() is in regex.cc.
#include <array>

#include "cel/functions/table.h"

namespace tutti::cel {
namespace {

Value text_contains(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  const std::string_view part = arguments[1].as_text();
  if (!context.charge((text.size() / 10 + 1) * (part.size() / 10 + 1))) {
    return context.out_of_cost();
  }
  return Value::boolean(text.find(part) != std::string_view::npos);
}

Value starts_with(Context& context, const Value* arguments) {
  if (!context.charge_text(arguments[1].as_text().size())) return context.out_of_cost();
  return Value::boolean(arguments[0].as_text().starts_with(arguments[1].as_text()));
}

Value ends_with(Context& context, const Value* arguments) {
  if (!context.charge_text(arguments[1].as_text().size())) return context.out_of_cost();
  return Value::boolean(arguments[0].as_text().ends_with(arguments[1].as_text()));
}

constexpr std::array kTextRows = {
    FunctionRow{kStandard, "string::contains(string) bool", text_contains},
    FunctionRow{kStandard, "string::startsWith(string) bool", starts_with},
    FunctionRow{kStandard, "string::endsWith(string) bool", ends_with},
};

}  // namespace

std::span<const FunctionRow> text_rows() { return kTextRows; }

}  // namespace tutti::cel
