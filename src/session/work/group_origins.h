// Group origins: what people wrote of which the groups of a run are made.
#pragma once

#include <set>

#include "base/std.h"
#include "core/cluster/groups.h"
#include "store/store.h"
#include "whatif/group_origin.h"
#include "whatif/rehearsal.h"

namespace tutti::session {

// `is_written`: whether the input has the group as it is.
whatif::Origin group_origin(const store::Store& objects, const core::Group& group, bool is_written);

// As written in the template of the CronJob whose Job it names.
whatif::Origin in_cron_job(whatif::Origin origin, const model::Object& cron);

// The version that the input's own objects of scheduling.k8s.io have: the newest of several, and
// that of a current cluster where there are none.
whatif::GroupVersions versions_in_use(const std::set<std::string>& api_versions);

}  // namespace tutti::session
