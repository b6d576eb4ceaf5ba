// The verdict of a workload (a Job, a Deployment, a JobSet …): that of its group, or of the first
// of its pods that waits, with how many run.
#pragma once

#include <functional>

#include "base/std.h"
#include "explain/verdict/verdict.h"
#include "model/object.h"
#include "model/pod.h"
#include "store/store.h"

namespace tutti::session {

// Returns the verdict of a pod or a group that exists.
using VerdictOf = std::function<explain::Verdict(const model::ObjectKey&)>;

// Whether pods are made of the object: Jobs, CronJobs, DaemonSets, sets of replicas, and the kinds
// of other projects that controllers/workloads/mapping.h knows.
bool makes_pods(const model::Object& object);

// As people name the object: "Job ml/pretrain".
explain::ObjectName name_of_work(const model::Object& work);

// The topmost object, among those that are there, that the pod was made of; null: a person made it.
// A CronJob makes Jobs that live on their own.
model::ObjectPtr work_above(const store::Store& objects, const model::Object& made);

// What a person calls the pod or group of that name: "Job ml/pretrain" of the group that was made
// for it, "PodGroup ml/pretrain-…". The name itself of what a person made.
std::string name_in_use(const store::Store& objects, const std::string& name);

// The group or pod that speaks for the work; none while it has no pods.
std::optional<model::ObjectKey> spokesman(const model::Object& work, const store::Store& objects);

// How many pods a set of replicas is to have, or a Job now; 0 of other kinds.
std::size_t pods_wanted(const model::Object& work);

// Whether the work is done: a Job that ended, or work whose pods have all ended.
bool has_ended(const model::Object& work, const store::Store& objects);

// Requires an object of which pods are made, and no CronJob (cron_view.h).
explain::Verdict work_verdict(const model::Object& work, const store::Store& objects,
                              const VerdictOf& verdict_of);

}  // namespace tutti::session
