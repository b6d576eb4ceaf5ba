// Cluster: what a controller knows of a cluster and what it may do to it.
//
// The embedded world answers from its store; of a real cluster watched copies answer
// (upkeep/remote_cluster.h). Whoever implements it puts new objects through admission.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "controllers/dependents.h"
#include "model/object.h"
#include "store/store.h"

namespace tutti::controllers {

// An Event for people.
struct Note {
  std::string_view reporter;  // "job-controller"
  model::ObjectPtr about;     // null: the event is lost
  bool warning = false;
  std::string reason;
  std::string message;
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual Instant now() const = 0;
  // Everything written here is to be seen there at once.
  virtual const store::Store& objects() const = 0;
  virtual const Dependents& dependents() const = 0;

  // invalid: admission refused it; conflict: the name is taken.
  virtual Result<model::ObjectPtr> create(const model::Object& object) = 0;
  // Replaces all but the status. Counts as a new generation if the spec differs.
  virtual Result<model::ObjectPtr> update(const model::Object& object) = 0;
  virtual Result<model::ObjectPtr> update_status(const model::Object& object) = 0;
  // Changes metadata of the present object.
  virtual Result<model::ObjectPtr> patch_meta(
      const model::ObjectKey& key, const std::function<void(model::ObjectMeta&)>& edit) = 0;
  // What is not there need not be removed.
  virtual void remove(const model::ObjectKey& key) = 0;
  virtual void record(const Note& note) = 0;
};

}  // namespace tutti::controllers
