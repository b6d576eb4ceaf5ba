// What controllers of sets of replicas have in common: when a set is looked at, and its status.
#pragma once

#include <set>

#include "base/std.h"
#include "controllers/controller.h"
#include "controllers/dependents.h"
#include "controllers/pods.h"
#include "model/apps.h"

namespace tutti::controllers {

// T is Deployment, ReplicaSet or StatefulSet; its dependents are of kind `dependent`.
template <typename T>
class ReplicaController : public Controller {
 public:
  ReplicaController(Cluster& cluster, model::Kind dependent)
      : Controller(cluster), dependent_(dependent) {}

  void observe(const store::WatchEvent& event) override {
    const auto& object = event.object();
    if (object.kind == T::kKind && event.after) look_at(model::key_of(object));
    if (object.kind == dependent_) look_at_owner(object);
    std::erase_if(refused_, [&](const auto& key) {
      const bool again = may_let_in(event, key.ns);
      if (again) look_at(key);
      return again;
    });
  }

 protected:
  virtual void keep(const T& set) = 0;

  void reconcile(const model::ObjectKey& key) override {
    const auto set = objects().template find<T>(key.ns, key.name);
    if (!set) return static_cast<void>(refused_.erase(key));
    if (!set->pods.spec || set->meta.deletion) return;
    keep(*set);
  }

  void write_status(const T& set, model::ReplicaStatus status) {
    if (set.status == status) return;
    T next = set;
    next.status = status;
    // A set that is gone needs no status.
    (void)cluster().update_status(next);
  }

  // False when the cluster refuses it; the set is looked at again when that may have changed.
  bool create(const T& set, const model::Object& object) {
    const auto made = cluster().create(object);
    if (made.ok()) return true;
    refused_.insert(model::key_of(set));
    cluster().record({"replica-controller", objects().get(model::key_of(set)), true, "FailedCreate",
                      "Error creating: " + made.error().message});
    return false;
  }

 private:
  void look_at_owner(const model::Object& object) {
    const auto* owner = controller_of(object.meta);
    if (owner == nullptr || owner->kind != model::facts(T::kKind).name) return;
    look_at({T::kKind, object.meta.ns, owner->name, {}});
  }

  model::Kind dependent_;
  std::set<model::ObjectKey> refused_;
};

}  // namespace tutti::controllers
