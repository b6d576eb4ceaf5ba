// The cases of the CEL specification that a device selector can meet, from ../shared (not part of a
// clone): everything of tier T1, all but the listed ones of T2 and T3.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/base64.h"
#include "cel/cel.h"

namespace tutti::cel {
namespace {

namespace json = boost::json;

// Each with its reason in docs/guides/cel.md.
const std::set<std::string> kKnownDifferences = {
    "string_ext/value_errors/indexof_out_of_range",
    "string_ext/value_errors/lastindexof_out_of_range",
    "timestamps/timestamp_selectors_tz/getDate",
    "timestamps/timestamp_selectors_tz/getDayOfMonth_name_pos",
    "timestamps/timestamp_selectors_tz/getDayOfMonth_name_neg",
    "timestamps/timestamp_selectors_tz/getDayOfYear",
    "timestamps/timestamp_selectors_tz/getMinutes",
    "type_deduction/functions/function_result_type",
    "type_deduction/type_parameters/multiple_parameters_generality",
    "type_deduction/type_parameters/multiple_parameters_parameterized_ovl",
    "type_deduction/type_parameters/multiple_parameters_parameterized_ovl_2",
};

// --- values and types of the case file ---------------------------------------------------------

struct HostList final : List {
  std::vector<Value> elements;
  std::size_t size() const override { return elements.size(); }
  Value at(std::size_t index) const override { return elements[index]; }
};

bool same_key(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  return a.is(Kind::string) ? a.as_text() == b.as_text() : a.as_unsigned() == b.as_unsigned();
}

struct HostMap final : Map {
  std::vector<std::pair<Value, Value>> entries;
  Value find(const Value& key) const override {
    for (const auto& [each, value] : entries) {
      if (same_key(each, key)) return value;
    }
    return {};
  }
  std::size_t size() const override { return entries.size(); }
  Value key(std::size_t index) const override { return entries[index].first; }
  Value value(std::size_t index) const override { return entries[index].second; }
};

struct Host {
  std::deque<std::string> texts;
  std::deque<HostList> lists;
  std::deque<HostMap> maps;

  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }

  Value value(const json::value& typed) {
    const auto& [kind, content] = *typed.as_object().begin();
    if (kind == "null") return Value::null();
    if (kind == "bool") return Value::boolean(content.as_bool());
    if (kind == "list") return list(content.as_array());
    if (kind == "map") return map(content.as_array());
    const std::string text(content.as_string());
    if (kind == "int") return Value::integer(std::stoll(text));
    if (kind == "uint") return Value::unsigned_integer(std::stoull(text));
    if (kind == "double") return Value::real(std::strtod(text.c_str(), nullptr));
    if (kind == "string") return Value::string(keep(text));
    if (kind == "bytes") return Value::bytes(keep(*decode_base64(text)));
    if (kind == "type") return Value::type(keep(text));
    ADD_FAILURE() << "unknown kind of value: " << kind;
    return {};
  }

  Value list(const json::array& elements) {
    HostList made;
    for (const auto& each : elements) made.elements.push_back(value(each));
    return Value::list(lists.emplace_back(std::move(made)));
  }

  Value map(const json::array& entries) {
    HostMap made;
    for (const auto& each : entries) {
      made.entries.emplace_back(value(each.at(0)), value(each.at(1)));
    }
    return Value::map(maps.emplace_back(std::move(made)));
  }
};

Type type_of(const json::value& text) {
  if (text.is_string()) {
    const std::string name(text.as_string());
    return name == "dyn" ? Type::dyn() : Type::named(name);
  }
  const json::object& object = text.as_object();
  if (const auto* element = object.if_contains("list")) return Type::list(type_of(*element));
  if (const auto* pair = object.if_contains("map")) {
    return Type::map(type_of(pair->at(0)), type_of(pair->at(1)));
  }
  if (const auto* name = object.if_contains("param")) {
    return Type::parameter(std::string(name->as_string()));
  }
  std::vector<Type> parameters;
  for (const auto& each : object.at("params").as_array()) parameters.push_back(type_of(each));
  return Type::abstract(std::string(object.at("abstract").as_string()), std::move(parameters));
}

// --- comparison: kinds must agree, NaN equals NaN, map order does not matter ---------------------

bool agrees(const Value& a, const Value& b);

bool agrees(const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!agrees(a.at(i), b.at(i))) return false;
  }
  return true;
}

bool agrees(const Map& a, const Map& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!agrees(a.value(i), b.find(a.key(i)))) return false;
  }
  return true;
}

bool agrees(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::null:
      return true;
    case Kind::real:
      return a.as_real() == b.as_real() || (std::isnan(a.as_real()) && std::isnan(b.as_real()));
    case Kind::string:
    case Kind::bytes:
    case Kind::type:
      return a.as_text() == b.as_text();
    case Kind::list:
      return agrees(a.as_list(), b.as_list());
    case Kind::map:
      return agrees(a.as_map(), b.as_map());
    default:
      return a.as_unsigned() == b.as_unsigned();
  }
}

// --- running
// --------------------------------------------------------------------------------------

struct Verdict {
  bool ok = false;
  std::string detail;
};

Environment environment_of(const json::object& test) {
  Environment environment;
  environment.homogeneous_literals = false;
  environment.check_literals = false;
  environment.check_types = !test.at("disable_check").as_bool();
  environment.container = std::string(test.at("container").as_string());
  if (const auto* declarations = test.if_contains("type_env")) {
    for (const auto& each : declarations->as_array()) {
      if (const auto* type = each.as_object().if_contains("ident")) {
        environment.declare(std::string(each.at("name").as_string()), type_of(*type));
      }
    }
  }
  for (const auto& [name, value] : test.at("bindings").as_object()) {
    const auto& known = environment.variables();
    const bool declared = std::any_of(known.begin(), known.end(), [&](const auto& variable) {
      return variable.name == std::string_view(name);
    });
    if (!declared) environment.declare(std::string(name), Type::dyn());
  }
  return environment;
}

Verdict judge(const json::object& expected, const Outcome& outcome, Host& host) {
  if (expected.contains("error")) return {!outcome.ok(), "expected an error"};
  if (!outcome.ok()) return {false, outcome.fault->text()};
  return {agrees(outcome.value, host.value(expected.at("value"))),
          "another value, of kind " + std::string(kind_name(outcome.value.kind()))};
}

Verdict run(const json::object& test) {
  const Environment environment = environment_of(test);
  const json::object& expected = test.at("expected").as_object();
  const Compilation compiled = compile(std::string(test.at("expr").as_string()), environment);
  if (!compiled.ok()) return {expected.contains("error"), compiled.fault().text()};
  if (const auto* type = expected.if_contains("deduced_type")) {
    const Type& deduced = compiled.program().result_type();
    if (deduced != type_of(*type)) return {false, "deduced " + deduced.text()};
    if (!expected.contains("value")) return {true, ""};
  }
  Host host;
  std::vector<Value> activation(environment.variables().size());
  const json::object& bindings = test.at("bindings").as_object();
  for (std::size_t i = 0; i < activation.size(); ++i) {
    const auto* binding = bindings.if_contains(environment.variables()[i].name);
    if (binding != nullptr) activation[i] = host.value(*binding);
  }
  Scratch scratch;
  return judge(expected, compiled.program().evaluate(activation, scratch), host);
}

struct Tally {
  int cases = 0;
  int passed = 0;
};

TEST(CelConformance, agreesWithTheSpecification) {
  std::ifstream file("../shared/data/cel/conformance.jsonl");
  if (!file) GTEST_SKIP() << "../shared/data/cel/conformance.jsonl is not here";
  std::map<std::string, Tally> tallies;
  for (std::string line; std::getline(file, line);) {
    const json::object test = json::parse(line).as_object();
    const std::string id(test.at("id").as_string());
    Tally& tally = tallies[std::string(test.at("tier").as_string())];
    const Verdict verdict = run(test);
    ++tally.cases;
    tally.passed += verdict.ok ? 1 : 0;
    EXPECT_EQ(verdict.ok, !kKnownDifferences.contains(id))
        << id << ": " << test.at("expr") << ": " << verdict.detail;
  }
  for (const auto& [tier, tally] : tallies) {
    std::cout << tier << ": " << tally.passed << " of " << tally.cases << "\n";
  }
  EXPECT_EQ(tallies["T1"].passed, tallies["T1"].cases);
  EXPECT_GE(tallies["T2"].passed * 100, tallies["T2"].cases * 99);
}

}  // namespace
}  // namespace tutti::cel
