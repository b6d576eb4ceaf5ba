// Who is above an object, as far as queues care.
#pragma once

#include <functional>

#include "base/std.h"
#include "controllers/queues/work/queue_rules.h"
#include "model/object.h"

namespace tutti::controllers {

// Null: there is no such object.
using FindObject = std::function<const model::Object*(const model::ObjectKey& key)>;

// The object that controls this one; null: none, or it is not there.
const model::Object* controller_above(const model::ObjectMeta& meta, const FindObject& find);

// Whether the rules hold work of the object's kind and namespace that names no queue.
bool holds_without_queue(const model::Object& object, const QueueRules& rules,
                         const FindObject& find);

// Whether the object waits in a queue in its own right, and not as a part of what is above it.
bool waits_by_itself(const model::Object& object, const QueueRules& rules, const FindObject& find);

// The nearest one above that is suspended as a whole while it waits, or could be; null: none.
const model::Object* suspendable_above(const model::ObjectMeta& meta, const QueueRules& rules,
                                       const FindObject& find);

}  // namespace tutti::controllers
