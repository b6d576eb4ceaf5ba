// cel-go's list extensions, version 3, and Kubernetes' list library.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "cel/functions/arithmetic.h"
#include "cel/functions/table.h"
#include "cel/value/containers.h"
#include "cel/value/equality.h"

namespace tutti::cel {
namespace {

Value finish(Context& context, const ListBuilder& builder) {
  return context.stopped() ? context.out_of_cost() : builder.finish(context);
}

// --- cel-go -----------------------------------------------------------------------------------

Value slice(Context& context, const Value* arguments) {
  const List& list = arguments[0].as_list();
  const std::int64_t begin = arguments[1].as_integer();
  const std::int64_t end = arguments[2].as_integer();
  const auto size = static_cast<std::int64_t>(list.size());
  if (begin < 0 || end < 0) return context.fail("slice({}, {}): negative index", begin, end);
  if (begin > end) return context.fail("slice({}, {}): start after end", begin, end);
  if (end > size) return context.fail("slice({}, {}): the list has {} elements", begin, end, size);
  ListBuilder result;
  for (std::int64_t i = begin; i < end && context.charge(1); ++i) {
    if (!result.append(context.arena(), list.at(static_cast<std::size_t>(i)))) {
      return context.out_of_memory();
    }
  }
  return finish(context, result);
}

// False when a limit is reached.
bool flatten_into(Context& context, ListBuilder& result, const List& list, std::int64_t depth) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (!context.charge(1)) return false;
    if (element.is(Kind::list) && depth > 0) {
      if (!flatten_into(context, result, element.as_list(), depth - 1)) return false;
    } else if (!result.append(context.arena(), element)) {
      context.out_of_memory();
      return false;
    }
  }
  return true;
}

Value flatten_to(Context& context, const List& list, std::int64_t depth) {
  if (depth < 0) return context.fail("flatten: the level must not be negative");
  ListBuilder result;
  flatten_into(context, result, list, depth);
  return finish(context, result);
}

Value flatten(Context& context, const Value* arguments) {
  return flatten_to(context, arguments[0].as_list(), 1);
}

Value flatten_levels(Context& context, const Value* arguments) {
  return flatten_to(context, arguments[0].as_list(), arguments[1].as_integer());
}

// Every element is compared with those kept before it, and pays for it.
Value distinct(Context& context, const Value* arguments) {
  const List& list = arguments[0].as_list();
  ListBuilder result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    const auto kept = result.elements();
    const bool seen = std::any_of(kept.begin(), kept.end(), [&](const Value& each) {
      return !context.stopped() && equal(context, each, element);
    });
    if (context.stopped()) return context.out_of_cost();
    if (!seen && !result.append(context.arena(), element)) return context.out_of_memory();
  }
  return finish(context, result);
}

Value range(Context& context, const Value* arguments) {
  const std::int64_t count = arguments[0].as_integer();
  ListBuilder result;
  for (std::int64_t i = 0; i < count && context.charge(1); ++i) {
    if (!result.append(context.arena(), Value::integer(i))) return context.out_of_memory();
  }
  return finish(context, result);
}

Value reverse(Context& context, const Value* arguments) {
  const List& list = arguments[0].as_list();
  ListBuilder result;
  for (std::size_t i = list.size(); i > 0 && context.charge(1); --i) {
    if (!result.append(context.arena(), list.at(i - 1))) return context.out_of_memory();
  }
  return finish(context, result);
}

// Whether any two of the keys have an order; keys of one type do if the type has one.
bool sortable(const std::vector<Value>& keys) {
  return std::all_of(keys.begin(), keys.end(), [&keys](const Value& key) {
    return key.kind() == keys[0].kind() && compare(key, key).has_value();
  });
}

Value sorted_by(Context& context, const List& list, const List& key_list) {
  if (list.size() != key_list.size()) return context.fail("sort: as many keys as elements");
  std::vector<Value> keys;
  for (std::size_t i = 0; i < key_list.size(); ++i) {
    if (!context.charge(2)) return context.out_of_cost();
    keys.push_back(key_list.at(i));
  }
  if (!sortable(keys)) return context.fail("sort: the elements must be comparable, of one type");
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&keys](std::size_t a, std::size_t b) {
    return *compare(keys[a], keys[b]) == std::partial_ordering::less;
  });
  ListBuilder result;
  for (const std::size_t index : order) {
    if (!result.append(context.arena(), list.at(index))) return context.out_of_memory();
  }
  return finish(context, result);
}

Value sort(Context& context, const Value* arguments) {
  return sorted_by(context, arguments[0].as_list(), arguments[0].as_list());
}

Value sort_by_keys(Context& context, const Value* arguments) {
  return sorted_by(context, arguments[0].as_list(), arguments[1].as_list());
}

// --- Kubernetes -------------------------------------------------------------------------------

Value no_order(Context& context, std::string_view function, const Value& a, const Value& b) {
  const std::array<Value, 2> both = {a, b};
  return context.no_such_overload(function, both);
}

Value is_sorted(Context& context, const Value* arguments) {
  const List& list = arguments[0].as_list();
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (!context.charge(1)) return context.out_of_cost();
    const auto order = compare(list.at(i - 1), list.at(i));
    if (!order) return no_order(context, "isSorted", list.at(i - 1), list.at(i));
    if (*order == std::partial_ordering::greater) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value extreme(Context& context, const List& list, std::string_view function,
              std::partial_ordering wanted) {
  if (list.size() == 0) return context.fail("{} called on empty list", function);
  Value best = list.at(0);
  if (!compare(best, best)) return no_order(context, function, best, best);
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (!context.charge(1)) return context.out_of_cost();
    const Value element = list.at(i);
    const auto order = compare(element, best);
    if (!order) return no_order(context, function, element, best);
    if (*order == wanted) best = element;
  }
  return best;
}

Value minimum(Context& context, const Value* arguments) {
  return extreme(context, arguments[0].as_list(), "min", std::partial_ordering::less);
}

Value maximum(Context& context, const Value* arguments) {
  return extreme(context, arguments[0].as_list(), "max", std::partial_ordering::greater);
}

Value sum(Context& context, const Value* arguments) {
  const List& list = arguments[0].as_list();
  if (list.size() == 0) return Value::integer(0);
  Value total = list.at(0);
  if (!total.is_number() && !total.is(Kind::duration)) {
    return no_order(context, "sum", total, total);
  }
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (!context.charge(1)) return context.out_of_cost();
    total = add(context, total, list.at(i));
    if (total.is_fault()) return total;
  }
  return total;
}

Value index_of(Context& context, const Value* arguments) {
  const List& list = arguments[0].as_list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (equal(context, list.at(i), arguments[1])) {
      return Value::integer(static_cast<std::int64_t>(i));
    }
    if (context.stopped()) return context.out_of_cost();
  }
  return Value::integer(-1);
}

Value last_index_of(Context& context, const Value* arguments) {
  const List& list = arguments[0].as_list();
  for (std::size_t i = list.size(); i > 0; --i) {
    if (equal(context, list.at(i - 1), arguments[1])) {
      return Value::integer(static_cast<std::int64_t>(i - 1));
    }
    if (context.stopped()) return context.out_of_cost();
  }
  return Value::integer(-1);
}

// A list has the element; anything else is the element.
Value includes(Context& context, const Value* arguments) {
  if (!arguments[0].is(Kind::list)) {
    return Value::boolean(equal(context, arguments[0], arguments[1]));
  }
  const Value index = index_of(context, arguments);
  return index.is_fault() ? index : Value::boolean(index.as_integer() >= 0);
}

constexpr auto list_row(std::string_view signature, Function run) {
  return FunctionRow{in(Library::lists), signature, run};
}

constexpr std::array kListRows = {
    list_row("list<A>::slice(int, int) list<A>", slice),
    list_row("list<A>::flatten() list<dyn>", flatten),
    list_row("list<A>::flatten(int) list<dyn>", flatten_levels),
    list_row("list<A>::distinct() list<A>", distinct),
    list_row("lists.range(int) list<int>", range),
    list_row("list<A>::reverse() list<A>", reverse),
    list_row("list<A>::sort() list<A>", sort),
    list_row("list<A>::@sortByKeys(list<B>) list<A>", sort_by_keys),
    list_row("list<A>::isSorted() bool", is_sorted),
    list_row("list<A>::min() A", minimum),
    list_row("list<A>::max() A", maximum),
    list_row("list<A>::sum() A", sum),
    list_row("list<A>::indexOf(A) int", index_of),
    list_row("list<A>::lastIndexOf(A) int", last_index_of),
    FunctionRow{in(Library::includes), "A::includes(B) bool", includes},
};

}  // namespace

std::span<const FunctionRow> list_rows() { return kListRows; }

}  // namespace tutti::cel
