// Running a session past the instants that expectations speak of.
#pragma once

#include <functional>

#include "base/std.h"
#include "expect/check.h"
#include "expect/expectation.h"

namespace tutti::session {

// An expectation that speaks of an instant is checked when everything due until then has happened,
// before time moves past it; the others at the end. `run_until` moves the world and returns whether
// it may go on; `check` judges the present. Failures come in the order of the file.
struct ExpectRun {
  std::function<bool(std::optional<Millis>)> run_until;
  std::function<std::vector<expect::Failure>(const expect::Expectation&)> check;

  // `end` is the end of the run; expectations of later instants are checked there. Empty when the
  // world may not go on.
  std::optional<std::vector<expect::Failure>> operator()(const expect::Expectations& expectations,
                                                         std::optional<Millis> end) const;
};

}  // namespace tutti::session
