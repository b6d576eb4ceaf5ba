#include "cel/names.h"

#include <algorithm>

namespace tutti::cel {
namespace {

std::optional<Type> builtin_type(std::string_view name) {
  if (name == "list") return Type::list(Type::dyn());
  if (name == "map") return Type::map(Type::dyn(), Type::dyn());
  if (name == "type") return Type::type_of(Type::dyn());
  if (name == "optional_type") return Type::optional(Type::dyn());
  constexpr std::string_view kNamed[] = {"bool",
                                         "int",
                                         "uint",
                                         "double",
                                         "string",
                                         "bytes",
                                         "net.IP",
                                         "null_type",
                                         "google.protobuf.Timestamp",
                                         "net.CIDR",
                                         "kubernetes.Quantity",
                                         "google.protobuf.Duration",
                                         "kubernetes.Semver"};
  if (std::find(std::begin(kNamed), std::end(kNamed), name) == std::end(kNamed)) {
    return std::nullopt;
  }
  return Type::named(name);
}

}  // namespace

const Local* Names::find_local(std::string_view name) const {
  const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                  [name](const Local& local) { return local.name == name; });
  return found == locals_.rend() ? nullptr : &*found;
}

std::vector<std::string> Names::candidates(const std::string& name) const {
  if (name.starts_with('.')) return {name.substr(1)};
  std::vector<std::string> names;
  for (std::string container = environment_->container; !container.empty();) {
    names.push_back(container + "." + name);
    const std::size_t dot = container.rfind('.');
    container.erase(dot == std::string::npos ? 0 : dot);
  }
  names.push_back(name);
  return names;
}

std::optional<std::size_t> Names::find_variable(const std::string& name) const {
  const auto& variables = environment_->variables();
  for (const std::string& candidate : candidates(name)) {
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const auto& each) { return each.name == candidate; });
    if (found != variables.end()) return static_cast<std::size_t>(found - variables.begin());
  }
  return std::nullopt;
}

std::optional<Type> Names::find_type(const std::string& name) const {
  for (const std::string& candidate : candidates(name)) {
    if (auto type = builtin_type(candidate)) return type;
    if (find_object(candidate) != nullptr) return Type::object(candidate);
  }
  return std::nullopt;
}

const Environment::Object* Names::find_object(std::string_view name) const {
  const auto& objects = environment_->objects();
  const auto found = std::find_if(objects.begin(), objects.end(),
                                  [name](const auto& each) { return each.name == name; });
  return found == objects.end() ? nullptr : &*found;
}

}  // namespace tutti::cel
