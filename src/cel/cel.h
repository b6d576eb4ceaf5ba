// The Common Expression Language, as Kubernetes speaks it: compile once, evaluate often.
//
//   Environment environment;
//   environment.declare_object("example.Device", {{"driver", Type::string()}});
//   environment.declare("device", Type::object("example.Device"));
//   const Compilation compiled = compile("device.driver == 'gpu.example.com'", environment);
//   if (!compiled.ok()) return compiled.fault().text();
//   Scratch scratch;                       // one per thread, reused
//   const Value device = Value::object(my_device);   // my_device implements Map
//   const Outcome outcome = compiled.program().evaluate({&device, 1}, scratch);
//
// A Program is immutable and may be shared between threads; evaluating it takes no lock and, once
// the scratch memory has grown to what the expression needs, allocates nothing.
#pragma once

#include <variant>

#include "base/check.h"
#include "base/std.h"
#include "cel/functions/library.h"
#include "cel/value/fault.h"
#include "cel/value/type.h"
#include "cel/value/value.h"

namespace tutti::cel {

// The most that a declared value holds, for telling costs in advance: characters of a text, entries
// of a list or map. Null parts are without bound.
struct Bounds {
  using Ptr = std::shared_ptr<const Bounds>;
  std::uint64_t most = 0;
  Ptr keys;                                         // of a map
  Ptr items;                                        // of a list or map
  bool any_field = false;                           // an item may be selected like a field
  std::vector<std::pair<std::string, Ptr>> fields;  // of an object

  // Null: nothing is known of it.
  const Bounds* field(std::string_view name) const;
};

// What an expression may contain and refer to.
class Environment {
 public:
  struct Field {
    std::string name;
    Type type;
  };
  struct Variable {
    std::string name;  // may be qualified: "a.b"
    Type type;
    Bounds::Ptr bounds;  // null: unknown
  };
  struct Object {
    std::string name;
    std::vector<Field> fields;
  };

  // Returns the variable's place in the activation: 0, 1, …
  std::size_t declare(std::string name, Type type, Bounds::Ptr bounds = nullptr);
  void declare_object(std::string name, std::vector<Field> fields);

  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Object>& objects() const { return objects_; }

  std::uint32_t libraries = kAllLibraries;
  // Names are looked up in the container "a.b" as a.b.name, a.name, name.
  std::string container;
  // Off: any expression that parses is accepted, and what is wrong with it shows when it runs.
  bool check_types = true;
  // Elements of a list literal, and keys and values of a map literal, must be of one type.
  bool homogeneous_literals = true;
  // Constant regular expressions, timestamps and durations must be well-formed.
  bool check_literals = true;
  std::size_t expression_bytes_max = 10 * 1024;
  std::size_t nesting_max = 250;
  // An expression that may cost more is refused; it takes checked types to tell.
  std::optional<std::uint64_t> worst_cost_max;

 private:
  std::vector<Variable> variables_;
  std::vector<Object> objects_;
};

// What evaluations work with; reused, so that it settles at the size the expressions need. For one
// thread at a time.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

 private:
  friend class Program;
  struct State;
  std::unique_ptr<State> state_;
};

struct Budget {
  std::uint64_t cost_max = 1'000'000;   // Kubernetes' limit for one selector
  std::size_t memory_max = 16U << 20U;  // bytes an evaluation may make of its own
};

// A value, or why there is none. Views of the scratch memory, the program and the activation.
struct Outcome {
  Value value;                   // absent when the evaluation failed
  const Fault* fault = nullptr;  // null when it succeeded
  std::uint64_t cost = 0;

  bool ok() const { return fault == nullptr; }
};

struct Code;

class Program {
 public:
  explicit Program(std::shared_ptr<const Code> code);

  // `activation` holds one value per declared variable, in order; one that is missing or absent is
  // a fault when the expression asks for it. The outcome is valid until the next evaluation with
  // the same scratch, and as long as the program and the activation are.
  Outcome evaluate(std::span<const Value> activation, Scratch& scratch,
                   const Budget& budget = {}) const;

  const std::string& source() const;
  // dyn if the expression was not checked.
  const Type& result_type() const;
  // What an evaluation may cost at worst; 0 if nobody asked for it to be told.
  std::uint64_t worst_cost() const;

 private:
  std::shared_ptr<const Code> code_;
};

// A program, or the first thing that is wrong with the expression and where.
class [[nodiscard]] Compilation {
 public:
  Compilation(Program program)
      : state_(std::move(program)) {}  // NOLINT(google-explicit-constructor)
  Compilation(SourceFault fault)
      : state_(std::move(fault)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  const Program& program() const {
    TUTTI_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const SourceFault& fault() const {
    TUTTI_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<Program, SourceFault> state_;
};

Compilation compile(std::string_view expression, const Environment& environment);

}  // namespace tutti::cel
