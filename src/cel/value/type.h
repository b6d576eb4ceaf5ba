// Static types: what the checker knows of an expression before it runs.
#pragma once

#include "base/std.h"

namespace tutti::cel {

// Compared by structure: two lists of the same element type are the same type.
class Type {
 public:
  enum class Kind : std::uint8_t {
    dyn,        // anything; decided at run time
    any,        // anything too, but macros may not walk over it: a Kubernetes attribute's type
    named,      // bool, int, string, …, kubernetes.Quantity, an object: told apart by name alone
    list,       // one parameter
    map,        // two
    type,       // of a type; one parameter, or none when it is not known
    abstract,   // optional_type and the like: a name and parameters
    parameter,  // T in a function's signature
  };

  static Type dyn() { return Type(Kind::dyn, "dyn"); }
  static Type any() { return Type(Kind::any, "any"); }
  static Type null() { return named("null_type"); }
  static Type boolean() { return named("bool"); }
  static Type integer() { return named("int"); }
  static Type unsigned_integer() { return named("uint"); }
  static Type real() { return named("double"); }
  static Type string() { return named("string"); }
  static Type bytes() { return named("bytes"); }
  static Type timestamp() { return named("google.protobuf.Timestamp"); }
  static Type duration() { return named("google.protobuf.Duration"); }
  static Type quantity() { return named("kubernetes.Quantity"); }
  static Type semver() { return named("kubernetes.Semver"); }
  // An object type declared in the Environment.
  static Type object(std::string_view name) { return named(name); }
  static Type list(Type element) { return Type(Kind::list, "list", {std::move(element)}); }
  static Type map(Type key, Type value) {
    return Type(Kind::map, "map", {std::move(key), std::move(value)});
  }
  static Type optional(Type value) {
    return Type(Kind::abstract, "optional_type", {std::move(value)});
  }
  static Type type_of(Type type) { return Type(Kind::type, "type", {std::move(type)}); }
  static Type parameter(std::string_view name) { return Type(Kind::parameter, name); }
  static Type named(std::string_view name) { return Type(Kind::named, name); }
  static Type abstract(std::string_view name, std::vector<Type> parameters) {
    return Type(Kind::abstract, name, std::move(parameters));
  }

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  const std::vector<Type>& parameters() const { return parameters_; }
  bool is(std::string_view name) const { return kind_ == Kind::named && name_ == name; }
  bool is_dynamic() const { return kind_ == Kind::dyn || kind_ == Kind::any; }
  bool is_optional() const { return kind_ == Kind::abstract && name_ == "optional_type"; }

  // As error messages say it: "map(string, list(int))".
  std::string text() const;

  friend bool operator==(const Type&, const Type&) = default;

 private:
  Type(Kind kind, std::string_view name, std::vector<Type> parameters = {})
      : kind_(kind), name_(name), parameters_(std::move(parameters)) {}

  Kind kind_;
  std::string name_;
  std::vector<Type> parameters_;
};

}  // namespace tutti::cel
