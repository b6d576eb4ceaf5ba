// Work that has made no pods although it should have: without a line of its own nobody would miss
// it.
#pragma once

#include "base/std.h"
#include "expect/check.h"
#include "store/store.h"

namespace tutti::cli {

struct IdleWork {
  std::string name;  // as its author wrote it: "TrainJob ml/llama"
  expect::Standing standing;
  std::string queue{};  // in which it waits; why is said of its request
};

// In order of kinds, namespaces and names. The reason is the last warning about it, or that it is
// suspended, or waits in a queue. Work that wants no pods, or has ended, is not among it.
std::vector<IdleWork> find_idle_work(const store::Store& objects);

}  // namespace tutti::cli
