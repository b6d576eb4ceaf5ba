// Every function there is: its signatures for the checker, its code for the evaluator.
#pragma once

#include "base/std.h"
#include "cel/functions/library.h"
#include "cel/value/context.h"
#include "cel/value/type.h"
#include "cel/value/value.h"

namespace tutti::cel {

// Called with as many arguments as the signature has, of the kinds it names (elements of lists and
// maps may be anything), none of them a fault. The receiver of a member function comes first.
using Function = Value (*)(Context& context, const Value* arguments);

inline constexpr std::uint32_t kStandard = 1U << 31U;
constexpr std::uint32_t in(Library library) { return static_cast<std::uint32_t>(library); }

// A row of a library. The signature reads "string::charAt(int) string" for member functions and
// "strings.quote(string) string" for others. Types are named as in CEL, list<T>, map<K, V>,
// optional<T>, type; one capital letter is a type parameter.
struct FunctionRow {
  std::uint32_t library;
  std::string_view signature;
  Function run;  // null for operators, which the evaluator knows by itself
};

struct Overload {
  std::uint32_t library = kStandard;
  std::vector<Type> parameters;
  Type result = Type::dyn();
  std::vector<std::uint32_t> kinds;  // per argument, a bit for every Kind it may have
  Function run = nullptr;

  bool accepts(std::span<const Value> arguments) const;
};

// All functions of one name, called as members or not.
struct FunctionGroup {
  std::string name;
  bool member = false;
  std::vector<Overload> overloads;

  // No such overload is a fault. Requires arguments that are none.
  Value call(Context& context, std::span<const Value> arguments, std::uint32_t libraries) const;
};

// Null when no enabled library has it. Lives as long as the program.
const FunctionGroup* find_function(std::string_view name, bool member, std::uint32_t libraries);

// The libraries.
std::span<const FunctionRow> operator_rows();
std::span<const FunctionRow> conversion_rows();
std::span<const FunctionRow> text_rows();
std::span<const FunctionRow> time_rows();
std::span<const FunctionRow> string_extension_rows();
std::span<const FunctionRow> list_rows();
std::span<const FunctionRow> set_rows();
std::span<const FunctionRow> regex_rows();
std::span<const FunctionRow> quantity_rows();
std::span<const FunctionRow> semver_rows();
std::span<const FunctionRow> optional_rows();
std::span<const FunctionRow> network_rows();

}  // namespace tutti::cel
