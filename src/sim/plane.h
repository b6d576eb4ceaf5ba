// Plane: the simulated control plane that controllers act on, and what a controller is.
#pragma once

#include "sim/virtual_clock.h"
#include "store/store.h"

namespace tutti::sim {

struct Plane {
  explicit Plane(store::StoreOptions options) : store(options) {}
  store::Store store;
  VirtualClock clock;

  store::Write write() const { return {clock.now()}; }
};

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
