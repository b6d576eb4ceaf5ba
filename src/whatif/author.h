// Author: which object a change of a pod or group is to be written to. Pods and groups that a
// controller made follow its object; a change of their own would not last.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "explain/way.h"
#include "model/job.h"
#include "model/object.h"
#include "whatif/rehearsal.h"

namespace tutti::whatif {

struct Author {
  explain::ObjectName object;
  // Where the pod's fields begin: "" for a pod, "/spec/template" for a Job, some place in a kind of
  // another project.
  std::string prefix;
  // False: of a kind whose template we do not know.
  bool writable = true;
  // Its pod template, without what admission fills in; null: not known, or the pod itself.
  std::shared_ptr<const model::PodSpec> form = nullptr;
};

// Follows controllers upwards as far as the neighbours know them, but not to CronJobs.
Author author_of_pod(const Neighbours& neighbours, const model::Pod& pod);
// The object whose end ends this one: itself, or the topmost controller but CronJobs.
explain::ObjectName owner_of(const Neighbours& neighbours, const model::Object& object);
// The topmost controller, if it is a Job of batch/v1 that the neighbours know.
std::shared_ptr<const model::Job> job_of(const Neighbours& neighbours, const model::Object& object);

// The same steps, written relative to a pod ("/spec/nodeSelector/x"), for everyone who writes these
// pods. Empty when someone of them is not writable.
std::vector<explain::ObjectChange> change_pods(const Rehearsal& rehearsal,
                                               const std::vector<core::PodId>& pods,
                                               const std::vector<explain::PatchStep>& steps);

// Whether the group was written as it is, not made by a controller.
bool owner_is_self(const Rehearsal& rehearsal, const core::Group& group);

// "example.com/rack" → "example.com~1rack", as a part of a JSON pointer.
std::string pointer_part(std::string_view text);
// The other way round.
std::string named_by(std::string_view pointer_part);

}  // namespace tutti::whatif
