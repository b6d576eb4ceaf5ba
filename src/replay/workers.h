// Independent runs on several threads. Each run is one thread's from beginning to end; what they
// return is kept by number, so that the result does not depend on who was faster.
#pragma once

#include <functional>

#include "base/std.h"

namespace tutti::replay {

// As many as this machine has cores.
std::size_t default_workers();

// Calls `run` once for every number below `count`, on at most `workers` threads; returns when all
// are done. `run` must be safe to call from several threads with different numbers.
void run_all(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& run);

}  // namespace tutti::replay
