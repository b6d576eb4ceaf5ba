#include "controllers/garbage/garbage_collector.h"

#include <algorithm>

#include "controllers/dependents.h"

namespace tutti::controllers {
namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool has_finalizer(const model::Object& object, std::string_view finalizer) {
  const auto& finalizers = object.meta.finalizers;
  return std::ranges::find(finalizers, finalizer) != finalizers.end();
}

bool blocks(const model::Object& dependent, const model::Object& owner) {
  return std::ranges::any_of(dependent.meta.owners, [&](const model::OwnerReference& reference) {
    return reference.uid == owner.meta.uid && reference.block_owner_deletion;
  });
}

}  // namespace

void GarbageCollector::observe(const store::WatchEvent& event) {
  const auto& object = event.object();
  if (object.kind == model::Kind::event) return;
  if (event.after) {
    const bool going = has_finalizer(object, kForeground) || has_finalizer(object, kOrphan);
    if (object.meta.deletion && going) look_at(model::key_of(object));
    return;
  }
  for (const auto& owner : object.meta.owners) {
    if (const auto at = waiting_.find(owner.uid); at != waiting_.end()) look_at(at->second);
  }
  for (const auto& key : cluster().dependents().of(object.meta.uid)) {
    bereft_[key].insert(object.meta.uid);
    look_at(key);
  }
}

void GarbageCollector::reconcile(const model::ObjectKey& key) {
  const auto lost = bereft_.extract(key);
  const auto object = objects().get(key);
  if (!object) return;
  if (!lost.empty()) leave_owners(*object, lost.mapped(), false);
  if (!object->meta.deletion) return;
  if (has_finalizer(*object, kOrphan)) {
    orphan_dependents(*object);
  } else if (has_finalizer(*object, kForeground)) {
    delete_dependents_first(*object);
  }
}

void GarbageCollector::orphan_dependents(const model::Object& owner) {
  for (const auto& key : cluster().dependents().of(owner.meta.uid)) {
    // A dependent that is gone is nobody's.
    (void)cluster().patch_meta(key, [&](model::ObjectMeta& meta) {
      std::erase_if(meta.owners.edit(),
                    [&](const auto& reference) { return reference.uid == owner.meta.uid; });
    });
  }
  remove_finalizer(owner, kOrphan);
}

void GarbageCollector::delete_dependents_first(const model::Object& owner) {
  bool blocked = false;
  for (const auto& key : cluster().dependents().of(owner.meta.uid)) {
    const auto dependent = objects().get(key);
    if (!dependent) continue;
    leave_owners(*dependent, {owner.meta.uid}, true);
    const auto left = objects().get(key);
    blocked |= left && blocks(*left, owner);
  }
  if (blocked) {
    waiting_.insert_or_assign(owner.meta.uid, model::key_of(owner));
  } else {
    waiting_.erase(owner.meta.uid);
    remove_finalizer(owner, kForeground);
  }
}

void GarbageCollector::leave_owners(const model::Object& dependent,
                                    const std::set<std::string>& uids, bool in_foreground) {
  const auto leaves = [&](const model::OwnerReference& reference) {
    return uids.contains(reference.uid);
  };
  const auto key = model::key_of(dependent);
  if (!std::ranges::all_of(dependent.meta.owners, leaves)) {
    // A dependent that is gone has left all of them.
    (void)cluster().patch_meta(
        key, [&](model::ObjectMeta& meta) { std::erase_if(meta.owners.edit(), leaves); });
    return;
  }
  if (dependent.meta.deletion) return;
  // Its own dependents are to be gone before it, as it is to be before its owner.
  if (in_foreground && cluster().dependents().any(dependent.meta.uid)) {
    add_finalizer(dependent, kForeground);
  }
  cluster().remove(key);
}

void GarbageCollector::add_finalizer(const model::Object& object, std::string_view finalizer) {
  if (has_finalizer(object, finalizer)) return;
  // What is gone cannot be held.
  (void)cluster().patch_meta(model::key_of(object), [&](model::ObjectMeta& meta) {
    meta.finalizers.push_back(std::string(finalizer));
  });
}

void GarbageCollector::remove_finalizer(const model::Object& object, std::string_view finalizer) {
  // What is gone is held by nobody.
  (void)cluster().patch_meta(model::key_of(object), [&](model::ObjectMeta& meta) {
    std::erase(meta.finalizers.edit(), finalizer);
  });
}

}  // namespace tutti::controllers
