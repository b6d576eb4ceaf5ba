// The verdict of a Job: that of its group, or of the first of its pods that waits, with how many
// run.
#pragma once

#include <functional>
#include <optional>

#include "explain/verdict.h"
#include "model/job.h"
#include "store/store.h"

namespace tutti::cli {

// Of a pod or a pod group that exists.
using VerdictOf = std::function<explain::Verdict(const model::ObjectKey&)>;

// The pod group or pod that speaks for the Job; none while it has no pods.
std::optional<model::ObjectKey> spokesman(const model::Job& job, const store::Store& objects);

explain::Verdict job_verdict(const model::Job& job, const store::Store& objects,
                             const VerdictOf& verdict_of);

}  // namespace tutti::cli
