// A later document of an object that exists.
#pragma once

#include "base/std.h"
#include "model/object.h"

namespace tutti::sim {

// What `document` makes of `current`: labels, annotations and spec as written; identity, status and
// what the cluster decided itself (a pod's node, a volume's partner) as they are. Finalizers and
// owners stay unless written, and what waits in a queue goes on waiting.
//
// Status that only a user can know comes from the document where it gives any: what a node offers
// and its conditions, and how many disruptions a budget allows.
std::shared_ptr<model::Object> applied(const model::Object& current, const model::Object& document);

}  // namespace tutti::sim
