// What may change in each kind; called by validate_update().
#pragma once

#include "admission/checks/findings.h"
#include "model/admission_request.h"
#include "model/apps.h"
#include "model/group.h"
#include "model/job.h"
#include "model/pod.h"
#include "model/quota.h"

namespace tutti::admission {

template <typename T>
void check_frozen(const T& before, const T& after, const Path& path, Findings& findings) {
  if (before != after) findings.add(path, "is immutable");
}
// Says both values where they are short.
void check_frozen_text(std::string_view before, std::string_view after, const Path& path,
                       Findings& findings);

void check_change(const model::Pod& before, const model::Pod& after, Findings& findings);
void check_change(const model::Job& before, const model::Job& after, Findings& findings);
void check_change(const model::ReplicaKeeper& before, const model::ReplicaKeeper& after,
                  Findings& findings);

void check_change(const model::Workload& before, const model::Workload& after, Findings& findings);
void check_change(const model::PodGroup& before, const model::PodGroup& after, Findings& findings);
void check_change(const model::CompositePodGroup& before, const model::CompositePodGroup& after,
                  Findings& findings);

void check_change(const model::ResourceFlavor& before, const model::ResourceFlavor& after,
                  Findings& findings);
void check_change(const model::ClusterQueue& before, const model::ClusterQueue& after,
                  Findings& findings);
void check_change(const model::LocalQueue& before, const model::LocalQueue& after,
                  Findings& findings);
void check_change(const model::AdmissionCheck& before, const model::AdmissionCheck& after,
                  Findings& findings);
void check_change(const model::AdmissionRequest& before, const model::AdmissionRequest& after,
                  Findings& findings);

}  // namespace tutti::admission
