// The names an environment knows: variables, the macro variables in scope, and types.
#pragma once

#include "base/std.h"
#include "cel/cel.h"

namespace tutti::cel {

struct Local {
  std::string_view name;
  Type type;
  std::uint32_t slot;
};

class Names {
 public:
  explicit Names(const Environment& environment) : environment_(&environment) {}

  // The innermost macro variable of that name, null if there is none.
  const Local* find_local(std::string_view name) const;
  void push(Local local) { locals_.push_back(std::move(local)); }
  void pop() { locals_.pop_back(); }

  // By qualified name, tried in the container and those around it; ".a.b" is taken as it stands.
  std::optional<std::size_t> find_variable(const std::string& name) const;
  // The type that a name denotes: int, list, kubernetes.Quantity.
  std::optional<Type> find_type(const std::string& name) const;

  const Environment::Object* find_object(std::string_view name) const;

 private:
  std::vector<std::string> candidates(const std::string& name) const;

  const Environment* environment_;
  std::vector<Local> locals_;
};

}  // namespace tutti::cel
