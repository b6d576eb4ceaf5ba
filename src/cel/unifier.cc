#include "cel/unifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tutti::cel {
namespace {

bool is_parameter(const Type& type) { return type.kind() == Type::Kind::parameter; }

// Fresh parameters are called "#0", "#1", …
std::size_t parameter_index(const Type& type) {
  std::size_t index = 0;
  const std::string& name = type.name();
  std::from_chars(name.data() + 1, name.data() + name.size(), index);
  return index;
}

// Null is a value of objects, times and abstract types, as cel-go has it.
bool is_nullable(const Type& type) {
  if (type.kind() == Type::Kind::abstract) return true;
  if (type.kind() != Type::Kind::named) return false;
  constexpr std::string_view kNever[] = {"bool", "int", "uint", "double", "string", "bytes"};
  return std::find(std::begin(kNever), std::end(kNever), type.name()) == std::end(kNever);
}

bool less_specific(const Type& a, const Type& b) {
  if (a.is_dynamic() || is_parameter(a)) return true;
  if (b.is_dynamic() || is_parameter(b)) return false;
  if (a.kind() != b.kind() || a.parameters().size() != b.parameters().size()) return false;
  if (a.kind() == Type::Kind::type) return true;
  if (a.name() != b.name()) return false;
  for (std::size_t i = 0; i < a.parameters().size(); ++i) {
    if (!less_specific(a.parameters()[i], b.parameters()[i])) return false;
  }
  return true;
}

Type with_parameters(const Type& type, std::vector<Type> parameters) {
  switch (type.kind()) {
    case Type::Kind::list:
      return Type::list(std::move(parameters[0]));
    case Type::Kind::map:
      return Type::map(std::move(parameters[0]), std::move(parameters[1]));
    case Type::Kind::type:
      return Type::type_of(std::move(parameters[0]));
    case Type::Kind::abstract:
      return Type::abstract(type.name(), std::move(parameters));
    default:
      return type;
  }
}

}  // namespace

Type Unifier::fresh() {
  bindings_.emplace_back();
  return Type::parameter(fmt::format("#{}", bindings_.size() - 1));
}

Type Unifier::renamed(const Type& type, Renaming& renaming) {
  if (is_parameter(type)) {
    const auto known = std::find_if(renaming.begin(), renaming.end(),
                                    [&](const auto& each) { return each.first == type.name(); });
    if (known != renaming.end()) return known->second;
    return renaming.emplace_back(type.name(), fresh()).second;
  }
  if (type.parameters().empty()) return type;
  std::vector<Type> parameters;
  for (const Type& each : type.parameters()) parameters.push_back(renamed(each, renaming));
  return with_parameters(type, std::move(parameters));
}

bool Unifier::assignable(const Type& from, const Type& to) {
  return assignable(std::span(&from, 1), std::span(&to, 1));
}

bool Unifier::assignable(std::span<const Type> from, std::span<const Type> to) {
  if (from.size() != to.size()) return false;
  const std::size_t trail_size = trail_.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!fits(from[i], to[i])) {
      undo(trail_size);
      return false;
    }
  }
  return true;
}

bool Unifier::fits(const Type& from, const Type& to) {
  if (++steps_ > kStepsMax) return false;
  if (is_parameter(to)) {
    if (fits_parameter(from, to)) return true;
    if (bindings_[parameter_index(to)]) return false;
  }
  if (is_parameter(from)) return fits_parameter(to, from);
  if (from.is_dynamic() || to.is_dynamic()) return true;
  if (from.is("null_type") && is_nullable(to)) return true;
  if (to.is("null_type") && is_nullable(from)) return true;
  if (from.kind() != to.kind()) return false;
  if (from.kind() == Type::Kind::type) return true;
  if (from.name() != to.name() || from.parameters().size() != to.parameters().size()) return false;
  for (std::size_t i = 0; i < from.parameters().size(); ++i) {
    if (!fits(from.parameters()[i], to.parameters()[i])) return false;
  }
  return true;
}

// A bound parameter takes what fits its binding, and becomes the more general of the two.
bool Unifier::fits_parameter(const Type& type, const Type& parameter) {
  if (type == parameter) return true;
  const std::size_t index = parameter_index(parameter);
  if (const std::optional<Type> bound = bindings_[index]) {
    if (type == *bound) return true;
    if (!fits(type, *bound)) return false;
    const Type& wider = more_general(type, *bound);
    if (!occurs(index, wider)) bind(index, wider);
    return true;
  }
  if (occurs(index, type)) return false;
  bind(index, type);
  return true;
}

bool Unifier::occurs(std::size_t parameter, const Type& within) {
  if (++steps_ > kStepsMax) return true;
  if (is_parameter(within)) {
    const std::size_t index = parameter_index(within);
    if (index == parameter) return true;
    const std::optional<Type> bound = bindings_[index];
    return bound && occurs(parameter, *bound);
  }
  return std::any_of(within.parameters().begin(), within.parameters().end(),
                     [&](const Type& each) { return occurs(parameter, each); });
}

void Unifier::bind(std::size_t parameter, Type type) {
  trail_.emplace_back(parameter, std::exchange(bindings_[parameter], std::move(type)));
}

void Unifier::undo(std::size_t trail_size) {
  while (trail_.size() > trail_size) {
    bindings_[trail_.back().first] = std::move(trail_.back().second);
    trail_.pop_back();
  }
}

Type Unifier::resolved(const Type& type) { return substituted(type, false); }

Type Unifier::resolved_or_dyn(const Type& type) { return substituted(type, true); }

Type Unifier::substituted(const Type& type, bool free_to_dyn) {
  if (++steps_ > kStepsMax) return Type::dyn();
  if (is_parameter(type)) {
    const std::optional<Type> bound = bindings_[parameter_index(type)];
    if (bound) return substituted(*bound, free_to_dyn);
    return free_to_dyn ? Type::dyn() : type;
  }
  if (type.parameters().empty()) return type;
  std::vector<Type> parameters;
  for (const Type& each : type.parameters()) parameters.push_back(substituted(each, free_to_dyn));
  return with_parameters(type, std::move(parameters));
}

const Type& Unifier::more_general(const Type& a, const Type& b) {
  if (b.is("null_type") && is_nullable(a)) return a;
  return less_specific(a, b) ? a : b;
}

}  // namespace tutti::cel
