#include "kube/watch/object_cache.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti::kube {

std::size_t ObjectCache::Hash::operator()(const Name& name) const {
  constexpr std::hash<std::string_view> kHash;
  return kHash(name.name) ^ (kHash(name.ns) * 0x9E3779B97F4A7C15U);
}

ObjectCache::Name ObjectCache::name_of(const ListedObject& sighting) {
  if (sighting.object == nullptr) return {sighting.ns, sighting.name};
  return {sighting.object->meta.ns, sighting.object->meta.name};
}

void ObjectCache::begin_list() { ++list_; }

void ObjectCache::listed(const ListedObject& sighting) {
  if (sighting.object != nullptr) return take(sighting.object);
  const auto known = known_.find(name_of(sighting));
  if (known != known_.end()) known->list = list_;
}

void ObjectCache::end_list() {
  std::vector<model::ObjectPtr> gone;
  for (const Entry& entry : known_) {
    if (entry.list != list_) gone.push_back(entry.object);
  }
  std::ranges::sort(gone, {}, [](const model::ObjectPtr& object) {
    return std::tie(object->meta.ns, object->meta.name);
  });
  for (model::ObjectPtr& object : gone) {
    known_.erase(known_.find(Name{object->meta.ns, object->meta.name}));
    changed_({Change::Type::deleted, std::move(object)});
  }
}

void ObjectCache::watched(WatchEvent::Type type, const ListedObject& sighting) {
  if (type == WatchEvent::Type::deleted) return drop(sighting);
  if (sighting.object != nullptr) take(sighting.object);
}

void ObjectCache::take(const model::ObjectPtr& object) {
  const auto [known, added] = known_.insert(Entry{object, list_});
  if (added) return changed_({Change::Type::added, object});
  known->list = list_;
  if (known->object->meta.uid != object->meta.uid) {
    const model::ObjectPtr before = std::exchange(known->object, object);
    changed_({Change::Type::deleted, before});
    return changed_({Change::Type::added, object});
  }
  if (known->object->meta.resource_version == object->meta.resource_version) return;
  known->object = object;
  changed_({Change::Type::modified, object});
}

void ObjectCache::drop(const ListedObject& sighting) {
  const auto known = known_.find(name_of(sighting));
  if (known == known_.end()) return;
  model::ObjectPtr last = known->object;
  known_.erase(known);
  // The deletion's own state is newer, but it must be of the object that was told of.
  if (sighting.object != nullptr && sighting.object->meta.uid == last->meta.uid) {
    last = sighting.object;
  }
  changed_({Change::Type::deleted, std::move(last)});
}

}  // namespace tutti::kube
