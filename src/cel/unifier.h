// Which type fits where, and what type parameters stand for. Dynamic types fit everywhere, in both
// directions: what they hold is seen at run time.
#pragma once

#include "base/std.h"
#include "cel/value/type.h"

namespace tutti::cel {

class Unifier {
 public:
  // A parameter that nothing is known of yet.
  Type fresh();
  // The type with its named parameters (A, B) replaced by fresh ones, the same for the same name.
  using Renaming = std::vector<std::pair<std::string, Type>>;
  Type renamed(const Type& type, Renaming& renaming);

  // Whether a value of type `from` may be used as `to`; binds parameters when it may, and leaves
  // them alone when not.
  bool assignable(const Type& from, const Type& to);
  bool assignable(std::span<const Type> from, std::span<const Type> to);

  // With all bound parameters replaced. Those that are free stay, or become dyn.
  Type resolved(const Type& type);
  Type resolved_or_dyn(const Type& type);

  // The one of two types that fit each other which promises less.
  static const Type& more_general(const Type& a, const Type& b);

  // Types of a small expression can be enormous. Once this is true nothing fits any more.
  bool exhausted() const { return steps_ > kStepsMax; }

 private:
  static constexpr std::size_t kStepsMax = 200'000;

  bool fits(const Type& from, const Type& to);
  bool fits_parameter(const Type& type, const Type& parameter);
  bool occurs(std::size_t parameter, const Type& within);
  void bind(std::size_t parameter, Type type);
  void undo(std::size_t trail_size);
  Type substituted(const Type& type, bool free_to_dyn);

  std::vector<std::optional<Type>> bindings_;
  std::vector<std::pair<std::size_t, std::optional<Type>>> trail_;
  std::size_t steps_ = 0;
};

}  // namespace tutti::cel
