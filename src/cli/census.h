// Census: group members that the scheduler does not keep, counted from the stored pods.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "explain/hold.h"
#include "model/pod.h"
#include "store/store.h"

namespace tutti::cli {

using Census = std::map<std::pair<std::string, std::string>, explain::Absent>;  // by ns, group

// `foreign` tells whether an unassigned pod waits for another scheduler.
Census take_census(const store::Store& objects,
                   const std::function<bool(const model::Pod&)>& foreign);

}  // namespace tutti::cli
