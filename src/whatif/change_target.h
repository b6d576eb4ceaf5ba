// ChangeTarget: which object a change of a pod or group is to be written to. Pods and groups that a
// controller made follow its object; a change of their own would not last.
#pragma once

#include "base/std.h"
#include "explain/verdict/way.h"
#include "model/object.h"
#include "whatif/rehearsal.h"

namespace tutti::whatif {

struct ChangeTarget {
  explain::ObjectName object;
  // Where the pod's fields begin: "" for a pod, "/spec/template" for a Job, some place in a kind of
  // another project.
  std::string prefix;
  // False: of a kind whose template we do not know.
  bool writable = true;
  // Its pod template, without what admission fills in; null: not known, or the pod itself.
  std::shared_ptr<const model::PodSpec> form = nullptr;
};

// Follows controllers upwards as far as the neighbours know them, to CronJobs only from Jobs that
// nobody has but us.
ChangeTarget author_of_pod(const Neighbours& neighbours, const model::Pod& pod);
// The object whose end ends this one: itself, or the topmost controller but CronJobs.
explain::ObjectName owner_of(const Neighbours& neighbours, const model::Object& object);

// Writes steps relative to a pod ("/spec/nodeSelector/x") for everyone who writes these pods. Empty
// when someone of them is not writable.
std::vector<explain::ObjectChange> change_pods(const Rehearsal& rehearsal,
                                               const std::vector<core::PodId>& pods,
                                               const std::vector<explain::PatchStep>& steps);
// Writes such steps for what may still be changed of a pod when it is there: only pods that nobody
// has but us are changed where they are written.
std::vector<explain::ObjectChange> change_living_pods(
    const Rehearsal& rehearsal, const std::vector<std::shared_ptr<const model::Pod>>& pods,
    const std::vector<explain::PatchStep>& steps);
// Whether nobody made the pod but a person, who could make another one.
bool is_handmade(const model::Pod& pod);

// Where the group's fields are written.
Origin origin_of(const Rehearsal& rehearsal, const core::Group& group);
// Whether the group was written as it is, or made once of a Workload and then left to itself: no
// controller would write it again.
bool is_handmade(const Rehearsal& rehearsal, const core::Group& group);
// The step that gives the field a value, with whatever is missing on the way to it. Requires that
// there is such a field.
explain::PatchStep step_to(const Origin::Field& field, explain::Datum value);

// "example.com/rack" → "example.com~1rack", as a part of a JSON pointer.
std::string pointer_part(std::string_view text);
// The other way round.
std::string named_by(std::string_view pointer_part);

}  // namespace tutti::whatif
