// One reader per kind. Each is called with the whole object and with kind, apiVersion and metadata
// already in place.
#pragma once

#include "model/apps.h"
#include "model/cluster.h"
#include "model/device.h"
#include "model/group.h"
#include "model/node.h"
#include "model/quota.h"
#include "model/storage.h"
#include "model/topology.h"
#include "wire/decode/field_reader.h"

namespace tutti::wire {

void read_kind(const Field& at, model::Node& out);
void read_kind(const Field& at, model::Namespace& out);
void read_kind(const Field& at, model::PriorityClass& out);
void read_kind(const Field& at, model::Service& out);
void read_kind(const Field& at, model::ReplicationController& out);
void read_kind(const Field& at, model::PersistentVolumeClaim& out);
void read_kind(const Field& at, model::PersistentVolume& out);
void read_kind(const Field& at, model::StorageClass& out);
void read_kind(const Field& at, model::CsiNode& out);
void read_kind(const Field& at, model::CsiDriver& out);
void read_kind(const Field& at, model::CsiStorageCapacity& out);
void read_kind(const Field& at, model::VolumeAttachment& out);
void read_kind(const Field& at, model::PodDisruptionBudget& out);
void read_kind(const Field& at, model::Event& out);
void read_kind(const Field& at, model::Lease& out);
void read_kind(const Field& at, model::Workload& out);
void read_kind(const Field& at, model::PodGroup& out);
void read_kind(const Field& at, model::CompositePodGroup& out);
void read_kind(const Field& at, model::DeviceClass& out);
void read_kind(const Field& at, model::ResourceClaim& out);
void read_kind(const Field& at, model::ResourceClaimTemplate& out);
void read_kind(const Field& at, model::ResourceSlice& out);
void read_kind(const Field& at, model::DeviceTaintRule& out);
void read_kind(const Field& at, model::Topology& out);
void read_kind(const Field& at, model::ResourceFlavor& out);
void read_kind(const Field& at, model::ClusterQueue& out);
void read_kind(const Field& at, model::Cohort& out);
void read_kind(const Field& at, model::LocalQueue& out);
void read_kind(const Field& at, model::WorkloadPriorityClass& out);
void read_kind(const Field& at, model::AdmissionCheck& out);

}  // namespace tutti::wire
