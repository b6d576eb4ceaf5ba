// Whether a pod set may use a flavor at all, whatever is left of its quota.
#pragma once

#include "base/std.h"
#include "core/requests/quota_objects.h"
#include "model/admission_request.h"

namespace tutti::core {

// Annotation of a Workload that names the flavors it may have, between commas.
inline constexpr std::string_view kAllowedFlavors =
    "kueue.x-k8s.io/workload-allowed-resource-flavors";

// Whether the pods of the set say where they want to be relative to each other: in the request, or
// by annotations of the template.
bool asks_for_topology(const model::PodSet& set);

// Why not, as people read it; empty: it may. `topology_implied`: all flavors of the queue have one.
std::string flavor_mismatch(const QuotaObjects& objects, const model::AdmissionRequest& request,
                            const model::PodSet& set, const std::string& name,
                            bool topology_implied);

}  // namespace tutti::core
