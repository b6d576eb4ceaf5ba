// Garbage collection by owner references.
//
//   an owner is gone                  dependents whose last owner it was are deleted; others lose
//                                     the reference
//   an owner is being deleted with
//   the finalizer foregroundDeletion  dependents are deleted first; those that block their owner's
//                                     deletion hold it until they are gone
//   … orphan                          dependents lose the reference and stay
//
// Only owners that have been in this cluster count: objects copied from another one name owners
// that stayed there, and stay themselves.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "controllers/controller.h"

namespace tutti::controllers {

class GarbageCollector : public Controller {
 public:
  using Controller::Controller;

  void observe(const store::WatchEvent& event) override;

 protected:
  // A dependent of an owner that is gone, or an owner that is going.
  void reconcile(const model::ObjectKey& key) override;

 private:
  void orphan_dependents(const model::Object& owner);
  void delete_dependents_first(const model::Object& owner);
  // Deletes the dependent unless it has other owners; then it only loses these.
  void leave_owners(const model::Object& dependent, const std::set<std::string>& uids,
                    bool in_foreground);
  void add_finalizer(const model::Object& object, std::string_view finalizer);
  void remove_finalizer(const model::Object& object, std::string_view finalizer);

  std::map<model::ObjectKey, std::set<std::string>> bereft_;  // dependents, and owners they lost
  std::map<std::string, model::ObjectKey> waiting_;  // owners that wait for dependents, by uid
};

}  // namespace tutti::controllers
