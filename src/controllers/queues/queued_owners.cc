#include "controllers/queues/queued_owners.h"

#include "controllers/dependents.h"
#include "controllers/queues/work/queue_words.h"
#include "controllers/queues/work/queued_kinds.h"
#include "expr/label_selector.h"
#include "wire/decode/kind_table.h"

namespace tutti::controllers {
namespace {

constexpr int kLevelsMax = 8;  // owners above one another

}  // namespace

// Objects of other projects may be written without their namespace.
const model::Object* controller_above(const model::ObjectMeta& meta, const FindObject& find) {
  const model::OwnerReference* owner = controller_of(meta);
  if (owner == nullptr) return nullptr;
  const model::Kind kind = wire::kind_of(owner->api_version, owner->kind);
  const std::string other =
      kind == model::Kind::other ? owner->api_version + "/" + owner->kind : std::string();
  const model::Object* found = find({kind, meta.ns, owner->name, other});
  if (found == nullptr && !other.empty()) found = find({kind, {}, owner->name, other});
  return found != nullptr && found->meta.uid == owner->uid ? found : nullptr;
}

bool holds_without_queue(const model::Object& object, const QueueRules& rules,
                         const FindObject& find) {
  if (!rules.holds_work_without_queue) return false;
  const std::string& ns = object.meta.ns;
  if (!rules.namespaces) return ns != "kube-system" && ns != "kueue-system";
  const model::Object* known = find({model::Kind::ns, {}, ns, {}});
  return known != nullptr && expr::matches(*rules.namespaces, known->meta.labels);
}

const model::Object* suspendable_above(const model::ObjectMeta& meta, const QueueRules& rules,
                                       const FindObject& find) {
  const model::Object* above = controller_above(meta, find);
  for (int level = 0; above != nullptr && level < kLevelsMax; ++level) {
    const QueuedKind* kind = queued_kind_of(*above, rules);
    if (kind != nullptr && kind->way == HoldWay::suspended) return above;
    above = controller_above(above->meta, find);
  }
  return nullptr;
}

bool waits_by_itself(const model::Object& object, const QueueRules& rules, const FindObject& find) {
  if (queued_kind_of(object, rules) == nullptr) return false;
  if (queue_of(object.meta).empty() && !holds_without_queue(object, rules, find)) return false;
  const model::Object* above = suspendable_above(object.meta, rules, find);
  return above == nullptr || !waits_by_itself(*above, rules, find);
}

}  // namespace tutti::controllers
