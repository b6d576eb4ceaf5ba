// ObjectCache: the objects of one resource as last told, and how what is seen now differs from
// them.
//
// Watches may be cut and lists repeated; whoever listens to the changes still sees for every name
// an orderly life: added, modified …, deleted, and never two uids under one name at a time.
#pragma once

#include <functional>
#include <unordered_set>

#include "base/std.h"
#include "kube/watch/list_watch.h"
#include "kube/watch/reflector.h"

namespace tutti::kube {

class ObjectCache {
 public:
  using Changed = std::function<void(const Change&)>;
  explicit ObjectCache(Changed changed) : changed_(std::move(changed)) {}

  // A list, seen item by item between these two. What it does not show is told as deleted at its
  // end, in order of namespace and name. Beginning again forgets what was seen since the last
  // begin, not what was told.
  void begin_list();
  void listed(const ListedObject& sighting);
  void end_list();

  // An event that is neither bookmark nor error. A malformed object leaves the last well-formed
  // state in place, unless it was deleted.
  void watched(WatchEvent::Type type, const ListedObject& sighting);

  std::size_t size() const { return known_.size(); }

 private:
  // Both may change under the set's feet: an object is only ever replaced by one of the same name.
  struct Entry {
    mutable model::ObjectPtr object;
    mutable std::uint32_t list = 0;  // the last list that showed it
  };
  struct Name {
    std::string_view ns, name;
    bool operator==(const Name&) const = default;
  };
  static Name name_of(const Entry& entry) {
    return {entry.object->meta.ns, entry.object->meta.name};
  }
  static Name name_of(const Name& name) { return name; }
  static Name name_of(const ListedObject& sighting);

  // The names live in the objects: an entry costs no key of its own.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Name& name) const;
    std::size_t operator()(const Entry& entry) const { return (*this)(name_of(entry)); }
  };
  struct Same {
    using is_transparent = void;
    template <typename Left, typename Right>
    bool operator()(const Left& left, const Right& right) const {
      return name_of(left) == name_of(right);
    }
  };

  void take(const model::ObjectPtr& object);
  void drop(const ListedObject& sighting);

  Changed changed_;
  std::unordered_set<Entry, Hash, Same> known_;
  std::uint32_t list_ = 0;
};

}  // namespace tutti::kube
