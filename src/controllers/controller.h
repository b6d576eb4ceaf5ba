// Controller: brings objects of one kind to the state they ask for.
//
// It is told of changes and remembers which objects they concern; work() then looks at each of
// those once, in order of their keys, whatever happened to them. A look decides on what the cluster
// holds at that moment, so looking once too often does nothing.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "base/time.h"
#include "controllers/cluster.h"
#include "model/object.h"
#include "store/watch.h"

namespace tutti::controllers {

class Controller {
 public:
  // The cluster must outlive it.
  explicit Controller(Cluster& cluster) : cluster_(cluster) {}
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller() = default;

  virtual void observe(const store::WatchEvent& event) = 0;
  // Looks at everything that is due by now. False when nothing was.
  bool work();
  // When it wants to look at something although nothing may have changed.
  std::optional<Instant> next_due() const;

 protected:
  virtual void reconcile(const model::ObjectKey& key) = 0;

  void look_at(model::ObjectKey key) { due_.insert(std::move(key)); }
  // Also then; of several times for one object the first counts.
  void look_at(const model::ObjectKey& key, Instant when);

  Cluster& cluster() { return cluster_; }
  const store::Store& objects() const { return cluster_.objects(); }
  const Dependents& dependents() const { return cluster_.dependents(); }

 private:
  void collect_due();

  Cluster& cluster_;
  std::set<model::ObjectKey> due_;
  std::map<model::ObjectKey, Instant> appointments_;
  std::set<std::pair<Instant, model::ObjectKey>> agenda_;  // the same, by time
};

}  // namespace tutti::controllers
