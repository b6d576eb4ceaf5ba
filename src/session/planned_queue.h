// Planned queue: new work as if people had submitted it to another queue.
#pragma once

#include <set>

#include "base/result.h"
#include "base/std.h"
#include "model/object.h"
#include "sim/script/script.h"

namespace tutti::session {

// Puts every Workload, and whatever pods are made of, into the LocalQueue of that name in its
// namespace; pods that nobody made as well. `asked` names the new work among the objects. The error
// says where there is no such queue, and which is meant.
Status put_in_queue(sim::Input& all, const std::set<model::ObjectKey>& asked,
                    const std::string& queue);

}  // namespace tutti::session
