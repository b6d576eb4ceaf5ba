// Which objects belong to which owner, by the owner's uid.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  bool any(const std::string& owner_uid) const { return by_owner_.contains(owner_uid); }

 private:
  void remove(const model::Object& object);

  std::unordered_map<std::string, std::set<model::ObjectKey>> by_owner_;
};

}  // namespace tutti::controllers
