// Lists as sets: order and repetition do not count.
#include <array>

#include "cel/functions/table.h"
#include "cel/value/equality.h"

namespace tutti::cel {
namespace {

bool has_element(Context& context, const List& list, const Value& element) {
  for (std::size_t i = 0; i < list.size() && !context.stopped(); ++i) {
    if (equal(context, list.at(i), element)) return true;
  }
  return false;
}

// Whether all (or any) of `elements` are in `list`.
bool has_all(Context& context, const List& list, const List& elements) {
  for (std::size_t i = 0; i < elements.size() && !context.stopped(); ++i) {
    if (!has_element(context, list, elements.at(i))) return false;
  }
  return true;
}

bool has_any(Context& context, const List& list, const List& elements) {
  for (std::size_t i = 0; i < elements.size() && !context.stopped(); ++i) {
    if (has_element(context, list, elements.at(i))) return true;
  }
  return false;
}

Value answer(Context& context, bool result) {
  return context.stopped() ? context.out_of_cost() : Value::boolean(result);
}

Value set_contains(Context& context, const Value* arguments) {
  return answer(context, has_all(context, arguments[0].as_list(), arguments[1].as_list()));
}

Value equivalent(Context& context, const Value* arguments) {
  const List& a = arguments[0].as_list();
  const List& b = arguments[1].as_list();
  return answer(context, has_all(context, a, b) && has_all(context, b, a));
}

Value intersects(Context& context, const Value* arguments) {
  return answer(context, has_any(context, arguments[0].as_list(), arguments[1].as_list()));
}

constexpr std::array kSetRows = {
    FunctionRow{in(Library::sets), "sets.contains(list<A>, list<A>) bool", set_contains},
    FunctionRow{in(Library::sets), "sets.equivalent(list<A>, list<A>) bool", equivalent},
    FunctionRow{in(Library::sets), "sets.intersects(list<A>, list<A>) bool", intersects},
};

}  // namespace

std::span<const FunctionRow> set_rows() { return kSetRows; }

}  // namespace tutti::cel
