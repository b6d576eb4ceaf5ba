// Random expressions, evaluated by the machine and by an obvious walk over the tree they came from.
// The walk knows nothing of stacks, jumps, builders or constants computed in advance.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/cel.h"

namespace tutti::cel {
namespace {

// --- the obvious values --------------------------------------------------------------------------

struct Plain {
  enum class Kind { error, integer, boolean, text, list, map } kind = Kind::error;
  std::int64_t integer = 0;
  bool boolean = false;
  std::string text{};
  std::vector<Plain> list{};
  std::vector<std::pair<std::string, Plain>> map{};  // in the order of writing

  bool is(Kind wanted) const { return kind == wanted; }
  friend bool operator==(const Plain&, const Plain&) = default;
};

Plain error() { return {}; }
Plain integer(std::int64_t value) { return {.kind = Plain::Kind::integer, .integer = value}; }
Plain boolean(bool value) { return {.kind = Plain::Kind::boolean, .boolean = value}; }
Plain text(std::string value) { return {.kind = Plain::Kind::text, .text = std::move(value)}; }
Plain list(std::vector<Plain> values) {
  return {.kind = Plain::Kind::list, .list = std::move(values)};
}

std::string shown(const Plain& value) {
  switch (value.kind) {
    case Plain::Kind::error:
      return "error";
    case Plain::Kind::integer:
      return std::to_string(value.integer);
    case Plain::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Plain::Kind::text:
      return "'" + value.text + "'";
    case Plain::Kind::list: {
      std::string all;
      for (const Plain& each : value.list) all += (all.empty() ? "" : ", ") + shown(each);
      return "[" + all + "]";
    }
    case Plain::Kind::map: {
      auto sorted = value.map;
      std::sort(sorted.begin(), sorted.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      std::string all;
      for (const auto& [key, each] : sorted) {
        all += (all.empty() ? "'" : ", '") + key + "': " + shown(each);
      }
      return "{" + all + "}";
    }
  }
  return "";
}

// --- expressions ---------------------------------------------------------------------------------

struct Expression {
  std::string form;  // which operation; "literal", "variable"
  std::vector<Expression> parts{};
  Plain literal{};
  std::string name{};  // of a variable or a field
};

const std::array<std::string, 11> kBinary = {
    "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="};
const std::array<std::string, 5> kLoops = {"all", "exists", "exists_one", "map", "filter"};
const std::array<std::string, 3> kKeys = {"a", "b", "c"};

std::string written(const Expression& each) {
  const auto part = [&each](std::size_t index) { return written(each.parts[index]); };
  if (each.form == "literal") return "(" + shown(each.literal) + ")";
  if (each.form == "variable") return each.name;
  if (each.form == "!" || each.form == "-_")
    return "(" + each.form.substr(0, 1) + "(" + part(0) + "))";
  if (each.form == "size") return "size(" + part(0) + ")";
  if (each.form == "?") return "(" + part(0) + " ? " + part(1) + " : " + part(2) + ")";
  if (each.form == "index") return part(0) + "[" + part(1) + "]";
  if (each.form == "select") return part(0) + "." + each.name;
  if (each.form == "has") return "has(" + part(0) + "." + each.name + ")";
  if (each.form == "bind") return "cel.bind(" + each.name + ", " + part(0) + ", " + part(1) + ")";
  if (each.form == "[]" || each.form == "{}") {
    std::string all;
    for (std::size_t i = 0; i < each.parts.size(); ++i) {
      const std::string key = each.form == "{}" ? "'" + kKeys[i] + "': " : "";
      all += (i > 0 ? ", " : "") + key + part(i);
    }
    return each.form.substr(0, 1) + all + each.form.substr(1);
  }
  if (std::find(kLoops.begin(), kLoops.end(), each.form) != kLoops.end()) {
    return part(0) + "." + each.form + "(" + each.name + ", " + part(1) + ")";
  }
  return "(" + part(0) + " " + each.form + " " + part(1) + ")";
}

Expression any_literal() {
  const auto which = *rc::gen::inRange(0, 10);
  Expression made{.form = "literal"};
  if (which < 5) {
    made.literal = integer(*rc::gen::inRange(-3, 4));
  } else if (which == 5) {
    made.literal = integer(*rc::gen::element(INT64_MAX, INT64_MAX - 1, INT64_MIN));
  } else if (which < 8) {
    made.literal = boolean(*rc::gen::arbitrary<bool>());
  } else {
    made.literal = text(*rc::gen::element<std::string>("", "a", "ab", "b"));
  }
  return made;
}

Expression any_expression(int depth, std::vector<std::string>& names);

std::vector<Expression> some_parts(int count, int depth, std::vector<std::string>& names) {
  std::vector<Expression> parts;
  for (int i = 0; i < count; ++i) parts.push_back(any_expression(depth - 1, names));
  return parts;
}

Expression scoped(std::string form, int depth, std::vector<std::string>& names) {
  Expression made{.form = std::move(form)};
  made.parts = some_parts(1, depth, names);
  made.name = "v" + std::to_string(*rc::gen::inRange(0, 3));
  names.push_back(made.name);
  made.parts.push_back(any_expression(depth - 1, names));
  names.pop_back();
  return made;
}

Expression any_expression(int depth, std::vector<std::string>& names) {
  const int which = depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 16);
  const auto made = [&](std::string form, int count) {
    return Expression{.form = std::move(form), .parts = some_parts(count, depth, names)};
  };
  switch (which) {
    case 0:
      return any_literal();
    case 1:
      return {.form = "variable", .name = *rc::gen::elementOf(names)};
    case 2:
    case 3:
    case 4:
      return made(*rc::gen::elementOf(kBinary), 2);
    case 5:
      return made("&&", 2);
    case 6:
      return made("||", 2);
    case 7:
      return made("?", 3);
    case 8:
      return made(*rc::gen::element<std::string>("!", "-_", "size"), 1);
    case 9:
      return made("[]", *rc::gen::inRange(0, 4));
    case 10:
      return made("{}", *rc::gen::inRange(0, 4));
    case 11:
      return made(*rc::gen::element<std::string>("index", "in"), 2);
    case 12: {
      Expression select = made(*rc::gen::element<std::string>("select", "has"), 1);
      select.name = *rc::gen::elementOf(kKeys);
      return select;
    }
    case 13:
      return scoped("bind", depth, names);
    default:
      return scoped(*rc::gen::elementOf(kLoops), depth, names);
  }
}

// --- the walk ------------------------------------------------------------------------------------

using Scope = std::vector<std::pair<std::string, Plain>>;

Plain walk(const Expression& each, Scope& scope);

Plain arithmetic(const std::string& form, const Plain& a, const Plain& b) {
  if (form == "+" && a.is(Plain::Kind::text) && b.is(Plain::Kind::text))
    return text(a.text + b.text);
  if (form == "+" && a.is(Plain::Kind::list) && b.is(Plain::Kind::list)) {
    std::vector<Plain> all = a.list;
    all.insert(all.end(), b.list.begin(), b.list.end());
    return list(std::move(all));
  }
  if (!a.is(Plain::Kind::integer) || !b.is(Plain::Kind::integer)) return error();
  __extension__ typedef __int128 Wide;
  const Wide x = a.integer;
  const Wide y = b.integer;
  if ((form == "/" || form == "%") && y == 0) return error();
  // The remainder of the least integer by -1 is zero, but is counted as the overflow of the
  // quotient.
  if (form == "%" && a.integer == INT64_MIN && b.integer == -1) return error();
  const Wide result = form == "+"   ? x + y
                      : form == "-" ? x - y
                      : form == "*" ? x * y
                      : form == "/" ? x / y
                                    : x % y;
  if (result > INT64_MAX || result < INT64_MIN) return error();
  return integer(static_cast<std::int64_t>(result));
}

bool equal_plain(const Plain& a, const Plain& b) {
  if (a.kind != b.kind) return false;
  if (!a.is(Plain::Kind::map)) {
    if (!a.is(Plain::Kind::list)) return a == b;
    return std::equal(a.list.begin(), a.list.end(), b.list.begin(), b.list.end(), equal_plain);
  }
  return a.map.size() == b.map.size() &&
         std::all_of(a.map.begin(), a.map.end(), [&b](const auto& entry) {
           return std::any_of(b.map.begin(), b.map.end(), [&entry](const auto& other) {
             return other.first == entry.first && equal_plain(other.second, entry.second);
           });
         });
}

Plain ordering(const std::string& form, const Plain& a, const Plain& b) {
  if (a.kind != b.kind || a.is(Plain::Kind::list) || a.is(Plain::Kind::map)) return error();
  const int order =
      a.is(Plain::Kind::text) ? a.text.compare(b.text)
      : a.is(Plain::Kind::boolean)
          ? static_cast<int>(a.boolean) - static_cast<int>(b.boolean)
          : static_cast<int>(a.integer > b.integer) - static_cast<int>(a.integer < b.integer);
  return boolean(form == "<"    ? order < 0
                 : form == "<=" ? order <= 0
                 : form == ">"  ? order > 0
                                : order >= 0);
}

Plain binary(const std::string& form, const Plain& a, const Plain& b) {
  if (a.is(Plain::Kind::error) || b.is(Plain::Kind::error)) return error();
  if (form == "==") return boolean(equal_plain(a, b));
  if (form == "!=") return boolean(!equal_plain(a, b));
  if (form.starts_with('<') || form.starts_with('>')) return ordering(form, a, b);
  return arithmetic(form, a, b);
}

// Combines any number of operands: one that decides, or all must be booleans.
Plain logical(const std::vector<Plain>& operands, bool deciding) {
  bool sound = true;
  for (const Plain& each : operands) {
    if (each.is(Plain::Kind::boolean) && each.boolean == deciding) return boolean(deciding);
    sound = sound && each.is(Plain::Kind::boolean);
  }
  return sound ? boolean(!deciding) : error();
}

const Plain* entry(const Plain& map, const std::string& key) {
  for (const auto& [each, value] : map.map) {
    if (each == key) return &value;
  }
  return nullptr;
}

Plain index_of(const Plain& a, const Plain& b) {
  if (a.is(Plain::Kind::map) && b.is(Plain::Kind::text)) {
    const Plain* found = entry(a, b.text);
    return found == nullptr ? error() : *found;
  }
  if (!a.is(Plain::Kind::list) || !b.is(Plain::Kind::integer)) return error();
  const bool inside = b.integer >= 0 && b.integer < static_cast<std::int64_t>(a.list.size());
  return inside ? a.list[static_cast<std::size_t>(b.integer)] : error();
}

Plain contained(const Plain& a, const Plain& b) {
  if (a.is(Plain::Kind::error)) return error();
  if (b.is(Plain::Kind::map)) {
    return boolean(a.is(Plain::Kind::text) && entry(b, a.text) != nullptr);
  }
  if (!b.is(Plain::Kind::list)) return error();
  return boolean(std::any_of(b.list.begin(), b.list.end(),
                             [&a](const Plain& each) { return equal_plain(each, a); }));
}

std::vector<Plain> answers(const Expression& each, const std::vector<Plain>& elements,
                           Scope& scope) {
  std::vector<Plain> all;
  for (const Plain& element : elements) {
    scope.emplace_back(each.name, element);
    all.push_back(walk(each.parts[1], scope));
    scope.pop_back();
  }
  return all;
}

Plain loop(const Expression& each, Scope& scope) {
  const Plain range = walk(each.parts[0], scope);
  std::vector<Plain> elements = range.list;
  if (range.is(Plain::Kind::map)) {
    for (const auto& [key, value] : range.map) elements.push_back(text(key));
  } else if (!range.is(Plain::Kind::list)) {
    return error();
  }
  const std::vector<Plain> found = answers(each, elements, scope);
  if (each.form == "all") return logical(found, false);
  if (each.form == "exists") return logical(found, true);
  const auto broken = [](const Plain& value) { return value.is(Plain::Kind::error); };
  if (std::any_of(found.begin(), found.end(), broken)) return error();
  if (each.form == "map") return list(found);
  const auto wrong = [](const Plain& value) { return !value.is(Plain::Kind::boolean); };
  if (std::any_of(found.begin(), found.end(), wrong)) return error();
  std::vector<Plain> kept;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].boolean) kept.push_back(elements[i]);
  }
  return each.form == "filter" ? list(std::move(kept)) : boolean(kept.size() == 1);
}

Plain size_of(const Plain& value) {
  if (value.is(Plain::Kind::text)) return integer(static_cast<std::int64_t>(value.text.size()));
  if (value.is(Plain::Kind::list)) return integer(static_cast<std::int64_t>(value.list.size()));
  if (value.is(Plain::Kind::map)) return integer(static_cast<std::int64_t>(value.map.size()));
  return error();
}

Plain literal_of(const Expression& each, Scope& scope) {
  Plain made{.kind = each.form == "[]" ? Plain::Kind::list : Plain::Kind::map};
  bool broken = false;
  for (std::size_t i = 0; i < each.parts.size(); ++i) {
    Plain value = walk(each.parts[i], scope);
    broken = broken || value.is(Plain::Kind::error);
    if (each.form == "[]") {
      made.list.push_back(std::move(value));
    } else {
      made.map.emplace_back(kKeys[i], std::move(value));
    }
  }
  return broken ? error() : made;
}

Plain unary(const Expression& each, const Plain& a) {
  if (each.form == "size") return size_of(a);
  if (each.form == "!") return a.is(Plain::Kind::boolean) ? boolean(!a.boolean) : error();
  if (each.form == "-_") {
    return a.is(Plain::Kind::integer) && a.integer != INT64_MIN ? integer(-a.integer) : error();
  }
  const Plain* found = a.is(Plain::Kind::map) ? entry(a, each.name) : nullptr;
  if (each.form == "has") return a.is(Plain::Kind::map) ? boolean(found != nullptr) : error();
  return found == nullptr ? error() : *found;
}

Plain walk(const Expression& each, Scope& scope) {
  const auto part = [&](std::size_t index) { return walk(each.parts[index], scope); };
  if (each.form == "literal") return each.literal;
  if (each.form == "variable") {
    return std::find_if(scope.rbegin(), scope.rend(),
                        [&each](const auto& known) { return known.first == each.name; })
        ->second;
  }
  if (each.form == "[]" || each.form == "{}") return literal_of(each, scope);
  if (each.form == "&&" || each.form == "||") {
    return logical({part(0), part(1)}, each.form == "||");
  }
  if (each.form == "?") {
    const Plain condition = part(0);
    return condition.is(Plain::Kind::boolean) ? part(condition.boolean ? 1 : 2) : error();
  }
  if (each.form == "bind") {
    scope.emplace_back(each.name, part(0));
    const Plain body = walk(each.parts[1], scope);
    scope.pop_back();
    return body;
  }
  if (each.form == "index") return index_of(part(0), part(1));
  if (each.form == "in") return contained(part(0), part(1));
  if (each.parts.size() == 1) return unary(each, part(0));
  if (!each.name.empty()) return loop(each, scope);
  return binary(each.form, part(0), part(1));
}

// --- the comparison ------------------------------------------------------------------------------

std::string machine_result(const std::string& expression, bool check_types,
                           std::span<const Value> activation) {
  Environment environment;
  environment.check_types = check_types;
  environment.homogeneous_literals = false;
  environment.expression_bytes_max = std::size_t{1} << 20U;
  environment.declare("x", Type::integer());
  environment.declare("l", Type::list(Type::integer()));
  const std::string result = test::cel_result(expression, environment, activation);
  return result.starts_with("error") ? "error" : result;
}

RC_GTEST_PROP(CelMachine, agreesWithAWalkOverTheTree, ()) {
  const test::CelList numbers({Value::integer(1), Value::integer(2), Value::integer(3)});
  const std::array<Value, 2> activation = {Value::integer(2), Value::list(numbers)};
  std::vector<std::string> names = {"x", "l"};
  const Expression expression = any_expression(*rc::gen::inRange(0, 6), names);
  Scope scope = {{"x", integer(2)}, {"l", list({integer(1), integer(2), integer(3)})}};
  const std::string expected = shown(walk(expression, scope));
  const std::string source = written(expression);
  RC_LOG() << source << "\n";
  RC_ASSERT(machine_result(source, false, activation) == expected);
  // What the checker lets pass means the same.
  const std::string checked = machine_result(source, true, activation);
  if (!checked.starts_with("line ")) RC_ASSERT(checked == expected);
}

}  // namespace
}  // namespace tutti::cel
