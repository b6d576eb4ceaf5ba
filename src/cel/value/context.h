// What a function of the library works with: the memory and the budget of the evaluation that
// calls it, and the way to report that it failed.
//
// Limits end an evaluation whatever the expression makes of the fault that a function returned:
// `stopped()` then stays true, and the evaluator looks at it after every step.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <limits>

#include "base/std.h"
#include "cel/value/arena.h"
#include "cel/value/fault.h"
#include "cel/value/semver.h"
#include "cel/value/value.h"

namespace tutti::cel {

// Where values made by an evaluation live.
struct Storage {
  Arena arena;
  std::deque<Semver> semvers;

  void reset(std::size_t bytes_max) {
    arena.reset(bytes_max);
    semvers.clear();
  }
};

class Context {
 public:
  Context(Storage& storage, std::uint64_t cost_max) : storage_(&storage), cost_max_(cost_max) {}

  // Adds to the cost; false when that was too much. Requires that it was not before.
  bool charge(std::uint64_t cost) {
    cost_ += cost;
    return cost_ <= cost_max_;
  }
  // What going through a text of that length costs: a tenth per byte.
  bool charge_text(std::size_t bytes) { return charge(bytes / 10 + 1); }
  bool stopped() const { return cost_ > cost_max_; }
  std::uint64_t cost() const { return cost_; }

  template <typename... Arguments>
  Value fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
    return fault(Fault::Code::failed, {text.data(), text.size()});
  }
  Value fault(Fault::Code code, std::string_view message);
  // The evaluation ends with this fault.
  Value stop(Fault::Code code);
  // After charge() was false.
  Value out_of_cost() { return stop(Fault::Code::cost_limit); }
  Value no_such_overload(std::string_view function, std::span<const Value> arguments);
  // The limit that stopped the evaluation.
  const Fault& stop_fault();

  // Memory for the result; null when there is no more, and then out_of_memory() is the result.
  Arena& arena() { return storage_->arena; }
  Value out_of_memory() { return stop(Fault::Code::memory_limit); }

  // Copies.
  Value make_string(std::string_view text);
  Value make_bytes(std::string_view bytes);
  Value make_quantity(const Quantity& value);
  Value make_semver(const Semver& value);
  Value make_optional(const Value& value);
  // A copy of a small struct that is trivially destructible, null when memory is out.
  template <typename T>
  const T* keep(const T& value) {
    return arena().create<T>(value);
  }

  // Where the evaluation stands, for faults: an offset into the expression.
  std::uint32_t offset = 0;

 private:
  Value make_text(std::string_view text, bool bytes);

  Storage* storage_;
  std::uint64_t cost_ = 0;
  std::uint64_t cost_max_;
  Fault stop_{};
};

// "string", "kubernetes.DRADevice": what type() calls the value's type.
std::string_view type_name(const Value& value);

}  // namespace tutti::cel
