// What may change in each kind; called by validate_update().
#pragma once

#include "admission/rules/findings.h"
#include "model/apps.h"
#include "model/group.h"
#include "model/job.h"
#include "model/pod.h"

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

}  // namespace tutti::admission
