// What a run needs from a scheduler. core::Scheduler is adapted to it; tests bring simple ones.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "core/framework/ports.h"
#include "model/pod.h"
#include "store/watch.h"

namespace tutti::sim {

// Writes go through core::ClusterPort (the World); what comes back arrives here. No call is made
// from inside another.
class SchedulerDriver {
 public:
  virtual ~SchedulerDriver() = default;

  // A change in the cluster, in order, each once. A quiet one must be taken in but wake nothing.
  virtual void observe(const store::WatchEvent& event, Instant now) = 0;
  // The outcome of a ClusterPort::bind.
  virtual void bind_finished(const core::PodReference& pod, const Status& outcome, Instant now) = 0;
  // Works until nothing is left to try at this instant. True if anything was tried or written.
  virtual bool schedule(Instant now) = 0;

  // When schedule() could have work again without an observation; empty: never.
  virtual std::optional<Instant> next_wakeup() const = 0;
  // Nothing is in flight and everything that waits was tried against the present state: only an
  // observation can change anything. While this holds next_wakeup() is not asked.
  virtual bool settled() const = 0;

  // Whether the scheduler keeps this unassigned pod in mind, be it to leave it to someone else. For
  // the invariant that no pod is lost.
  virtual bool knows(const model::Pod& pod) const = 0;
  // What is wrong with the scheduler's own bookkeeping, found the slow way; empty: nothing. Asked
  // only by runs that check.
  virtual std::string inconsistency() const { return {}; }
};

}  // namespace tutti::sim
