// What people call a group: by what they wrote, where something else made the group of it.
#pragma once

#include "base/std.h"
#include "core/cluster/groups.h"

namespace tutti::core {

// "PodGroup t/g" of a group that is an object of its own; "Job t/j" of a Job's; of one of several
// groups of an object the object and the group's name, "LeaderWorkerSet t/llm (llm-0)".
std::string title_of(const Group& group);
// Names the pods' group of that name, as far as its object is known; null: not at all.
std::string title_of(const std::string& ns, const std::string& name, const model::PodGroup* group);

}  // namespace tutti::core
