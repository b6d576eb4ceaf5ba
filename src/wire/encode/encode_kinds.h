// One writer per kind that Tutti changes. Each is given the whole object with apiVersion, kind and
// metadata already written.
#pragma once

#include "model/admission_request.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/device.h"
#include "model/group.h"
#include "model/job.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/quota.h"
#include "model/storage.h"
#include "wire/encode/overlay.h"

namespace tutti::wire {

void write_kind(Overlay& at, const model::Pod& pod);
void write_kind(Overlay& at, const model::Node& node);
void write_kind(Overlay& at, const model::PersistentVolumeClaim& claim);
void write_kind(Overlay& at, const model::PersistentVolume& volume);
void write_kind(Overlay& at, const model::Event& event);
void write_kind(Overlay& at, const model::Lease& lease);
void write_kind(Overlay& at, const model::Workload& workload);
void write_kind(Overlay& at, const model::PodGroup& group);
void write_kind(Overlay& at, const model::CompositePodGroup& group);
void write_kind(Overlay& at, const model::ResourceClaim& claim);
void write_kind(Overlay& at, const model::DeviceTaintRule& rule);
void write_kind(Overlay& at, const model::Job& job);
void write_kind(Overlay& at, const model::Deployment& deployment);
void write_kind(Overlay& at, const model::ReplicaSet& set);
void write_kind(Overlay& at, const model::StatefulSet& set);
void write_kind(Overlay& at, const model::PodDisruptionBudget& budget);
void write_kind(Overlay& at, const model::ClusterQueue& queue);
void write_kind(Overlay& at, const model::Cohort& cohort);
void write_kind(Overlay& at, const model::LocalQueue& queue);
void write_kind(Overlay& at, const model::AdmissionCheck& check);
void write_kind(Overlay& at, const model::AdmissionRequest& request);

// The conditions of `status`, each keeping members it has beside the ones we know. Conditions of
// pods and nodes leave out what is empty and show when they were last looked at under the name
// `seen`; those in the common form of other kinds (`seen` empty) have every member.
void write_conditions(Overlay& status, const std::vector<model::Condition>& conditions,
                      std::string_view seen);

void write_toleration(Overlay& at, const model::Toleration& toleration);

// status.resourceClaimStatuses of a pod or a group.
void write_claim_statuses(Overlay& status, const std::vector<model::ClaimStatus>& claims);

}  // namespace tutti::wire
