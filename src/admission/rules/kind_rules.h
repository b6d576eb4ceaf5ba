// The rules of each kind's own fields; metadata is checked for all kinds alike.
#pragma once

#include "admission/checks/findings.h"
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
#include "model/topology.h"

namespace tutti::admission {

void check_metadata(const model::Object& object, Findings& findings);

void check_kind(const model::Node& node, Findings& findings);
void check_kind(const model::PriorityClass& priority_class, Findings& findings);
void check_kind(const model::Service& service, Findings& findings);
void check_kind(const model::ReplicationController& controller, Findings& findings);
void check_kind(const model::ReplicaSet& set, Findings& findings);
void check_kind(const model::StatefulSet& set, Findings& findings);
void check_kind(const model::Deployment& deployment, Findings& findings);
void check_kind(const model::Job& job, Findings& findings);
void check_kind(const model::PodDisruptionBudget& budget, Findings& findings);
void check_kind(const model::Lease& lease, Findings& findings);

void check_kind(const model::PersistentVolumeClaim& claim, Findings& findings);
void check_kind(const model::PersistentVolume& volume, Findings& findings);
void check_kind(const model::StorageClass& storage_class, Findings& findings);
void check_kind(const model::CsiNode& node, Findings& findings);
void check_kind(const model::CsiStorageCapacity& capacity, Findings& findings);
void check_kind(const model::VolumeAttachment& attachment, Findings& findings);

void check_kind(const model::Pod& pod, Findings& findings);
// The spec of a pod or of a template for pods.
void check_pod_spec(const model::PodSpec& spec, const Path& path, Findings& findings);
// Metadata and spec of a template; `path` is that of the template.
void check_template(const model::PodTemplate& pods, const Path& path, Findings& findings);
// The part of a pod's rules that says where it may go: selectors, affinity, tolerations, spread.
void check_placement(const model::PodSpec& spec, const Path& path, Findings& findings);
// spec.resourceClaims of a pod or a group.
void check_claims(const std::vector<model::ClaimReference>& claims, const Path& path,
                  Findings& findings);
// resources.claims of all containers: entries of spec.resourceClaims, none of them twice.
void check_container_claims(const model::PodSpec& spec, const Path& path, Findings& findings);

void check_kind(const model::DeviceClass& device_class, Findings& findings);
void check_kind(const model::ResourceClaim& claim, Findings& findings);
void check_kind(const model::ResourceClaimTemplate& claim_template, Findings& findings);
void check_kind(const model::ResourceSlice& slice, Findings& findings);
void check_kind(const model::DeviceTaintRule& rule, Findings& findings);
void check_device_taint(const model::DeviceTaint& taint, const Path& path, Findings& findings);

void check_kind(const model::Workload& workload, Findings& findings);
void check_kind(const model::PodGroup& group, Findings& findings);
void check_kind(const model::CompositePodGroup& group, Findings& findings);
void check_kind(const model::Topology& topology, Findings& findings);

void check_kind(const model::ResourceFlavor& flavor, Findings& findings);
void check_kind(const model::ClusterQueue& queue, Findings& findings);
void check_kind(const model::Cohort& cohort, Findings& findings);
void check_kind(const model::LocalQueue& queue, Findings& findings);
void check_kind(const model::WorkloadPriorityClass& priority_class, Findings& findings);
void check_kind(const model::AdmissionCheck& check, Findings& findings);
void check_kind(const model::AdmissionRequest& request, Findings& findings);
// Choices that nobody knows.
void check_words(const model::UnknownWords& words, Findings& findings);
// What a flavor or a check adds to the tolerations of pods; reported as path.tolerations[i].
void check_added_tolerations(const std::vector<model::Toleration>& tolerations, const Path& path,
                             Findings& findings);
void check_toleration(const model::Toleration& toleration, const Path& path, Findings& findings);
// Taints of a node, or of the nodes of a flavor; reported as path.list[i].
void check_taints(const std::vector<model::Taint>& taints, std::string_view list, const Path& path,
                  Findings& findings);

// Which of the two group forms a spec belongs to: they differ in field names and in what is
// allowed.
enum class GroupForm : bool { pods, composite };
// The fields that groups and templates share, of an object of this API version.
void check_group_spec(const model::GroupSpec& spec, GroupForm form, std::string_view api_version,
                      const Path& path, Findings& findings);
// Path below a spec of the gang policy's number: "schedulingPolicy.gang.minCount".
std::string_view minimum_field(GroupForm form);

}  // namespace tutti::admission
