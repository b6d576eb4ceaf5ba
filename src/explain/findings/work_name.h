// What a person calls the work that a pod is part of.
#pragma once

#include "base/std.h"
#include "model/pod.h"

namespace tutti::explain {

// "Pod t/p", or its group: "PodGroup t/g". The group of a Job's pods goes by the Job, "Job t/j":
// nobody knows the name that was made up for it.
std::string work_name(const model::Pod& pod);

}  // namespace tutti::explain
