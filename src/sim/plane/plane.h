// Plane: the simulated control plane that controllers act on, and what a controller is.
#pragma once

#include "base/check.h"
#include "base/std.h"
#include "sim/plane/virtual_clock.h"
#include "store/store.h"

namespace tutti::sim {

// How many pods controllers make in one run. A slip such as `replicas: 2000000000` is to end in a
// sentence, not with the memory.
inline constexpr std::int64_t kPodsMadeMax = 1'000'000;

struct Plane {
  // `taken_at`: when the cluster was copied from life.
  explicit Plane(store::StoreOptions options, std::optional<Instant> taken_at = {})
      : store(options), clock(taken_at.value_or(kEpoch)), copied(taken_at.has_value()) {}
  store::Store store;
  VirtualClock clock;
  // Times before the start are those of this world; otherwise of another one.
  bool copied;

  std::int64_t pods_made_max = kPodsMadeMax;
  // Why the run cannot go on; empty: it can.
  std::string halted;

  store::Write write() const { return {clock.now()}; }
};

// Checks a write to what was looked at just before: if it fails, that is a mistake of ours, and
// every scenario would rest on it unnoticed.
template <typename Outcome>
void must(const Outcome& outcome) {
  TUTTI_CHECK(outcome.ok(), outcome.error().message);
}

// Reacts to changes by writing to the store and planning actions. It may find that what it was told
// is no longer so: decisions are made on what the store holds when they are made.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual void observe(const store::WatchEvent& event) = 0;
  // Called after each batch of observations.
  virtual void settle() {}
};

}  // namespace tutti::sim
