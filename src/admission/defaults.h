// What the API server fills in before it stores a new object.
//
//   Pod        schedulerName, restartPolicy, terminationGracePeriodSeconds; requests from limits;
//              hostPort from containerPort with hostNetwork; tolerations of 300 s for nodes that
//              are not ready or unreachable; matchLabelKeys merged into their selectors; the
//              condition that says "gated"
//   Node       allocatable from capacity
//   Namespace  the label kubernetes.io/metadata.name
//   PVC, PV    volumeMode
//   Job        parallelism, completions, backoffLimit
//   sets of replicas: replicas, if they have a template
//   groups     the minimum of a basic policy is 1 (disruptionMode stays unwritten; see
//   model/group.h)
//
// Only fields of the model are filled in. Priorities have rules of their own: priority.h.
#pragma once

#include "admission/checks/spec_rewrites.h"
#include "base/std.h"
#include "model/object.h"
#include "model/storage.h"

namespace tutti::admission {

// Fills in what is absent and changes nothing that is present; doing it twice changes nothing more.
void apply_defaults(model::Object& object, SpecRewrites& rewrites);

// A claim that names no class gets the default one: of several the newest, then the first by name.
// Stays as it is when there is none; an empty class name is a choice and stays, too.
void apply_default_class(model::PersistentVolumeClaim& claim,
                         std::span<const model::StorageClass* const> classes);

}  // namespace tutti::admission
