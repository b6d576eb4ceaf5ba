// What expressions compute with. A Value is 16 bytes, copied freely and owns nothing: text, lists,
// maps and the like are pointed to and belong to the host, to the Program (constants) or to the
// Arena of the evaluation that made them.
//
// A host binds its own data by implementing List and Map over it; nothing is converted or copied
// before an expression asks for it.
#pragma once

#include "base/check.h"
#include "base/quantity.h"
#include "base/std.h"

namespace tutti::cel {

class List;
class Map;
class Semver;
class Value;
struct Fault;
struct IpAddress;
struct Cidr;

enum class Kind : std::uint8_t {
  absent,  // "no such key", an unbound variable: never the result of an evaluation
  fault,   // a run-time error on its way to who absorbs or reports it
  null,
  boolean,
  integer,
  unsigned_integer,
  real,
  string,
  bytes,
  timestamp,
  duration,
  list,
  map,
  object,  // a map with declared fields, see Environment::declare_object
  type,
  optional,
  quantity,
  semver,
  ip,
  cidr,
};

// The name CEL gives to the kind: "int", "map", "kubernetes.Quantity".
std::string_view kind_name(Kind kind);

class Value {
 public:
  // The default is absent.
  constexpr Value() : bits_(0) {}

  static Value null() { return {Kind::null, 0}; }
  static Value boolean(bool value) { return {Kind::boolean, value ? 1U : 0U}; }
  static Value integer(std::int64_t value) {
    return {Kind::integer, static_cast<std::uint64_t>(value)};
  }
  static Value unsigned_integer(std::uint64_t value) { return {Kind::unsigned_integer, value}; }
  static Value real(double value);
  // The text must be UTF-8 and shorter than 4 GiB.
  static Value string(std::string_view text) { return of_text(Kind::string, text); }
  static Value bytes(std::string_view bytes) { return of_text(Kind::bytes, bytes); }
  // Seconds since the epoch and nanoseconds from there on, 0 to 999,999,999.
  static Value timestamp(std::int64_t seconds, std::uint32_t nanos);
  static Value duration(std::int64_t nanos) {
    return {Kind::duration, static_cast<std::uint64_t>(nanos)};
  }
  static Value list(const List& list) { return of_pointer(Kind::list, &list); }
  static Value map(const Map& map) { return of_pointer(Kind::map, &map); }
  static Value object(const Map& fields) { return of_pointer(Kind::object, &fields); }
  static Value type(std::string_view name) { return of_text(Kind::type, name); }
  static Value optional_none() { return of_pointer(Kind::optional, nullptr); }
  static Value optional_of(const Value* value) { return of_pointer(Kind::optional, value); }
  static Value quantity(const Quantity& value) { return of_pointer(Kind::quantity, &value); }
  static Value semver(const Semver& value) { return of_pointer(Kind::semver, &value); }
  static Value ip(const IpAddress& value) { return of_pointer(Kind::ip, &value); }
  static Value cidr(const Cidr& value) { return of_pointer(Kind::cidr, &value); }
  static Value fault(const Fault& fault) { return of_pointer(Kind::fault, &fault); }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_absent() const { return kind_ == Kind::absent; }
  bool is_fault() const { return kind_ == Kind::fault; }
  bool is_true() const { return kind_ == Kind::boolean && bits_ != 0; }
  bool is_false() const { return kind_ == Kind::boolean && bits_ == 0; }
  bool is_number() const {
    return kind_ == Kind::integer || kind_ == Kind::unsigned_integer || kind_ == Kind::real;
  }
  bool is_map() const { return kind_ == Kind::map || kind_ == Kind::object; }

  // Each requires its kind.
  bool as_boolean() const { return bits_ != 0; }
  std::int64_t as_integer() const { return static_cast<std::int64_t>(bits_); }
  std::uint64_t as_unsigned() const { return bits_; }
  double as_real() const;
  // Returns the text of a string, the bytes of bytes, or the name of a type.
  std::string_view as_text() const { return {static_cast<const char*>(pointer_), extra_}; }
  std::int64_t as_seconds() const { return static_cast<std::int64_t>(bits_); }
  std::uint32_t as_nanos_part() const { return extra_; }
  std::int64_t as_duration_nanos() const { return static_cast<std::int64_t>(bits_); }
  const List& as_list() const { return *static_cast<const List*>(pointer_); }
  const Map& as_map() const { return *static_cast<const Map*>(pointer_); }
  // What an optional holds, null when nothing.
  const Value* as_optional() const { return static_cast<const Value*>(pointer_); }
  const Quantity& as_quantity() const { return *static_cast<const Quantity*>(pointer_); }
  const Semver& as_semver() const { return *static_cast<const Semver*>(pointer_); }
  const IpAddress& as_ip() const { return *static_cast<const IpAddress*>(pointer_); }
  const Cidr& as_cidr() const { return *static_cast<const Cidr*>(pointer_); }
  const Fault& as_fault() const { return *static_cast<const Fault*>(pointer_); }

 private:
  Value(Kind kind, std::uint64_t bits) : kind_(kind), bits_(bits) {}
  static Value of_pointer(Kind kind, const void* pointer) {
    Value value;
    value.kind_ = kind;
    value.pointer_ = pointer;
    return value;
  }
  static Value of_text(Kind kind, std::string_view text) {
    Value value = of_pointer(kind, text.data());
    value.extra_ = static_cast<std::uint32_t>(text.size());
    return value;
  }

  Kind kind_ = Kind::absent;
  std::uint32_t extra_ = 0;  // length of a text, nanoseconds of a timestamp
  union {
    std::uint64_t bits_;
    const void* pointer_;
  };
};
static_assert(sizeof(Value) == 16);

// A sequence the host provides. Must not change while an evaluation uses it.
class List {
 public:
  virtual std::size_t size() const = 0;
  // Requires index < size().
  virtual Value at(std::size_t index) const = 0;

 protected:
  ~List() = default;
};

// A map, or the fields of an object. Keys are booleans, integers, unsigned integers or strings.
// Must not change while an evaluation uses it.
class Map {
 public:
  // What selection, indexing and has() see; absent when there is no such key. A map may answer for
  // keys it does not list.
  virtual Value find(const Value& key) const = 0;
  // What the operator `in` sees.
  virtual bool contains(const Value& key) const { return !find(key).is_absent(); }
  // The entries that macros walk over and equality compares, in a stable order. Requires
  // index < size().
  virtual std::size_t size() const = 0;
  virtual Value key(std::size_t index) const = 0;
  virtual Value value(std::size_t index) const = 0;
  // What type() calls an object; maps are "map".
  virtual std::string_view type_name() const { return "map"; }

 protected:
  ~Map() = default;
};

}  // namespace tutti::cel
