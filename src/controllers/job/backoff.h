// How long a Job waits before it replaces failed pods: ten seconds after the first failure, twice
// as long after each further one, at most ten minutes; a success ends it.
#pragma once

#include <chrono>

#include "base/std.h"
#include "base/time.h"

namespace tutti::controllers {

struct Backoff {
  std::int32_t failures = 0;  // since the last success
  std::optional<Instant> last_failure;

  // Takes in pods that ended since it was last told, by the times of their ends.
  void take(std::vector<Instant> succeeded, std::vector<Instant> failed);
  // From when on pods may be made again; absent: at once.
  std::optional<Instant> until() const;
};

}  // namespace tutti::controllers
