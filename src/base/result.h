// Result<T>: what a function returns when the outside world may say no (bad text, conflict, I/O).
// A refusal by scheduling policy is not an Error; see core/framework/plugin_status.h.
#pragma once

#include <variant>

#include "base/check.h"
#include "base/std.h"

namespace tutti {

// Why the outside world said no. The code is for the program, the message for people.
struct Error {
  enum class Code {
    malformed,  // text that does not parse, or a value outside its domain
    invalid,    // well-formed but breaks a rule of the API
    conflict,   // optimistic concurrency lost, or the name is taken
    not_found,
    gone,         // was there once; the caller must start over from the present state
    unavailable,  // the other side did not answer; worth trying again
    io,
  };
  Code code = Code::malformed;
  std::string message;

  // Puts `context` before the message, once per layer: "pods.yaml: line 7: …".
  Error within(std::string_view context) && {
    message.insert(0, ": ").insert(0, context);
    return std::move(*this);
  }
};

// Asking for the value of a failure, or for the error of a success, is a mistake of ours.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    TUTTI_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    TUTTI_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    TUTTI_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & {
    TUTTI_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  const Error& error() const& {
    TUTTI_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    TUTTI_CHECK(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

struct Done {};  // the value of a Result that carries none
using Status = Result<Done>;

inline Status ok_status() { return Done{}; }

}  // namespace tutti

// Returns the error of `expression` from the enclosing function, or binds its value to `target`.
#define TUTTI_CONCAT_INNER(a, b) a##b
#define TUTTI_CONCAT(a, b) TUTTI_CONCAT_INNER(a, b)
#define TUTTI_ASSIGN(target, expression) \
  TUTTI_ASSIGN_IMPL(TUTTI_CONCAT(tutti_result_, __LINE__), target, expression)
#define TUTTI_ASSIGN_IMPL(temporary, target, expression)    \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  target = *std::move(temporary)
#define TUTTI_TRY(expression)                                 \
  do {                                                        \
    if (auto tutti_status = (expression); !tutti_status.ok()) \
      return std::move(tutti_status).error();                 \
  } while (false)
