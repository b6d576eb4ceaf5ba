// Names of requests, which are Kueue's Workloads, spelled as Kueue spells them.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::controllers {

// "job-train-1a2b3": kind and name of the owner, and five digits that its uid decides.
std::string request_name(const model::Object& owner);
std::string request_name(std::string_view api_group, std::string_view kind, std::string_view name,
                         std::string_view uid);
// Names the request by which a pod with a gate waits: its own, or its group's.
model::ObjectKey request_key(const model::Pod& pod);

}  // namespace tutti::controllers
