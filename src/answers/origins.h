// From owners of groups, and from pods that count their gang, to where a change of it is written.
#pragma once

#include "base/std.h"
#include "core/cluster/groups.h"
#include "grouping/memory_groups.h"
#include "model/object.h"
#include "model/pod.h"
#include "whatif/group_origin.h"

namespace tutti::answers {

// `group`: the group that is made of the object.
whatif::Origin origin_in(const model::Object& object, const core::Group& group);
// Returns the origin of a gang whose pods count it in Kueue's words.
whatif::Origin origin_in_pods(std::vector<std::shared_ptr<const model::Pod>> pods);
// Returns the origin of a gang that pods name in others' words, whose PodGroup does not exist.
whatif::Origin origin_to_create(std::string_view api_version, const std::string& ns,
                                const std::string& name);

// Returns the origin of any group of a running scheduler.
whatif::Origin origin_of(const grouping::MemoryGroups& groups, const core::Group& group);

}  // namespace tutti::answers
