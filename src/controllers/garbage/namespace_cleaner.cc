#include "controllers/garbage/namespace_cleaner.h"

#include <algorithm>

namespace tutti::controllers {

void NamespaceCleaner::observe(const store::WatchEvent& event) {
  const auto& object = event.object();
  if (object.kind == model::Kind::ns) {
    if (!event.after) {
      terminating_.erase(object.meta.name);
    } else if (object.meta.deletion) {
      terminating_.insert(object.meta.name);
      look_at(model::key_of(object));
    }
  } else if (!terminating_.empty() && terminating_.contains(object.meta.ns)) {
    look_at({model::Kind::ns, {}, object.meta.ns, {}});
  }
}

void NamespaceCleaner::reconcile(const model::ObjectKey& key) {
  const auto ns = objects().get(key);
  if (!ns || !ns->meta.deletion) return;
  bool empty = true;
  for (std::size_t i = 0; i < model::kKindCount; ++i) {
    const auto kind = static_cast<model::Kind>(i);
    for (const auto& object : objects().list(kind, key.name)) {
      const auto item = model::key_of(*object);
      if (!object->meta.deletion) cluster().remove(item);
      empty &= objects().get(item) == nullptr;
    }
  }
  if (!empty) return;
  // A namespace that is gone is held by nobody.
  (void)cluster().patch_meta(
      key, [](model::ObjectMeta& meta) { std::erase(meta.finalizers.edit(), kNamespaceContent); });
}

}  // namespace tutti::controllers
