// Hold: what happens to work that names a queue before it is stored, as Kueue's webhooks do it: it
// comes suspended, or its pods come with a gate.
#pragma once

#include "admission/checks/spec_rewrites.h"
#include "base/std.h"
#include "controllers/queues/queued_owners.h"
#include "controllers/queues/work/queue_rules.h"
#include "model/object.h"

namespace tutti::controllers {

// For objects that come to be in a cluster that has queues. Those that ran elsewhere before, and
// pods that have a node or have ended, are left as they are.
void hold_new_work(model::Object& object, const QueueRules& rules, const FindObject& find,
                   admission::SpecRewrites& rewrites);

// Gives `next`, a later form of work that waits in a queue, or of a pod of such work, what holds
// `present` or was added when it started.
void keep_hold(model::Object& next, const model::Object& present);

}  // namespace tutti::controllers
