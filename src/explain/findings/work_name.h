// What a person calls the work that a pod is part of.
#pragma once

#include "base/std.h"
#include "core/cluster/groups.h"
#include "model/pod.h"

namespace tutti::explain {

// "Pod t/p", or its group by its title (core/cluster/group_title.h).
// Null: nobody knows of groups.
std::string work_name(const core::GroupTable* groups, const model::Pod& pod);

}  // namespace tutti::explain
