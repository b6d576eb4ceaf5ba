// Which objects belong to which owner, by the owner's uid.
#pragma once

#include <set>
#include <unordered_map>

#include "base/std.h"
#include "model/object.h"
#include "store/watch.h"

namespace tutti::controllers {

// "apps" of "apps/v1"; empty for the core group's "v1".
std::string_view api_group_of(std::string_view api_version);

// The owner that manages the object; null: none.
const model::OwnerReference* controller_of(const model::ObjectMeta& meta);
bool is_controlled_by(const model::ObjectMeta& meta, const model::Object& owner);
// How an object names the one that manages it.
model::OwnerReference controller_reference(const model::Object& owner);
// How an object names an owner that does not.
model::OwnerReference plain_reference(const model::Object& owner);

class Dependents {
 public:
  void observe(const store::WatchEvent& event);
  // Whoever creates an object says so at once: a look before the change is observed must see it.
  void add(const model::Object& object);

  // In order of their keys. Some may be gone already. A copy: acting on them changes the set.
  std::vector<model::ObjectKey> of(const std::string& owner_uid) const;
  std::vector<model::ObjectKey> of(const std::string& owner_uid, model::Kind kind) const;
  // Without pods that have ended and that no finalizer holds: a Job keeps thousands of those, and
  // nobody has to look at them again. Some that are left in may have ended since.
  std::vector<model::ObjectKey> open_pods_of(const std::string& owner_uid) const;
  bool any(const std::string& owner_uid) const { return by_owner_.contains(owner_uid); }
  bool any_pods(const std::string& owner_uid) const;

 private:
  struct Family {
    std::set<model::ObjectKey> open;
    std::set<model::ObjectKey> closed;  // pods, as above
  };
  void remove(const model::Object& object);
  const Family* family_of(const std::string& owner_uid) const;

  std::unordered_map<std::string, Family> by_owner_;
};

}  // namespace tutti::controllers
