// The fields of kueue.x-k8s.io, of its releases up to 0.20.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kKueueFields = R"fields(
version kueue.x-k8s.io/*
kinds Topology Cohort
Topology: metadata:ObjectMeta spec:TopologySpec ...
TopologySpec: levels:TopologyLevel
TopologyLevel: nodeLabel
Cohort: apiVersion kind metadata:ObjectMeta spec:CohortSpec status:CohortStatus
CohortSpec: fairSharing:FairSharing@kueue.x-k8s.io/v1beta2 parent
    resourceGroups:ResourceGroup@kueue.x-k8s.io/v1beta2
CohortStatus: fairSharing:FairSharingStatus@kueue.x-k8s.io/v1beta2
version kueue.x-k8s.io/v1beta2
kinds AdmissionCheck ClusterQueue Cohort LocalQueue ResourceFlavor Workload WorkloadPriorityClass
Admission: clusterQueue podSetAssignments:PodSetAssignment
AdmissionCheck: apiVersion kind metadata:ObjectMeta spec:AdmissionCheckSpec
    status:AdmissionCheckStatus
AdmissionCheckParameters: apiGroup kind name
AdmissionCheckSpec: controllerName parameters:AdmissionCheckParameters
AdmissionCheckState: lastTransitionTime message name podSetUpdates:PodSetUpdate
    requeueAfterSeconds retryCount state
AdmissionCheckStatus: conditions:Condition
AdmissionChecksStrategy: admissionChecks:AdmissionCheckRule
AdmissionCheckRule: name onFlavors
AdmissionFairSharingStatus: consumedResources lastUpdate
AdmissionScope: admissionMode
BorrowWithinCohort: maxPriorityThreshold policy
ClusterQueue: apiVersion kind metadata:ObjectMeta spec:ClusterQueueSpec status:ClusterQueueStatus
ClusterQueuePreemption: borrowWithinCohort:BorrowWithinCohort reclaimWithinCohort
    withinClusterQueue
ClusterQueueSpec: admissionChecksStrategy:AdmissionChecksStrategy admissionScope:AdmissionScope
    cohortName concurrentAdmissionPolicy:ConcurrentAdmissionPolicy fairSharing:FairSharing
    flavorFungibility:FlavorFungibility namespaceSelector:LabelSelector
    preemption:ClusterQueuePreemption queueingStrategy resourceGroups:ResourceGroup stopPolicy
ClusterQueueStatus: admittedWorkloads conditions:Condition fairSharing:FairSharingStatus
    flavorsReservation:FlavorUsage flavorsUsage:FlavorUsage pendingWorkloads reservingWorkloads
Cohort: apiVersion kind metadata:ObjectMeta spec:CohortSpec status:CohortStatus
CohortSpec: fairSharing:FairSharing parentName resourceGroups:ResourceGroup
CohortStatus: fairSharing:FairSharingStatus
ConcurrentAdmissionConstraints: lastAcceptableFlavorName
ConcurrentAdmissionMigration: constraints:ConcurrentAdmissionConstraints mode
ConcurrentAdmissionPolicy: migration:ConcurrentAdmissionMigration
Eviction: count reason underlyingCause
FairSharing: weight
FairSharingStatus: weightedShare
FlavorFungibility: preference whenCanBorrow whenCanPreempt
FlavorQuotas: name resources:ResourceQuota
FlavorUsage: name resources:ResourceUsage
LocalQueue: apiVersion kind metadata:ObjectMeta spec:LocalQueueSpec status:LocalQueueStatus
LocalQueueFairSharingStatus: admissionFairSharingStatus:AdmissionFairSharingStatus weightedShare
LocalQueueFlavorUsage: name resources:LocalQueueResourceUsage
LocalQueueResourceUsage: name total
LocalQueueSpec: clusterQueue fairSharing:FairSharing stopPolicy
LocalQueueStatus: admittedWorkloads conditions:Condition fairSharing:LocalQueueFairSharingStatus
    flavorsReservation:LocalQueueFlavorUsage flavorsUsage:LocalQueueFlavorUsage pendingWorkloads
    reservingWorkloads
NamedCount: count name
NamedObject: name
PodSet: count minCount name template:PodTemplateSpec topologyRequest:PodSetTopologyRequest
PodSetAssignment: count delayedTopologyRequest flavors name resourceUsage
    topologyAssignment:TopologyAssignment
PodSetRequest: name resources
PodSetTopologyRequest: podIndexLabel podSetGroupName podSetSliceRequiredTopology podSetSliceSize
    podsetSliceRequiredTopologyConstraints:SliceConstraint preferred required subGroupCount
    subGroupIndexLabel unconstrained
PodSetUpdate: annotations labels name nodeSelector tolerations:Toleration
PreemptionGateState: lastTransitionTime name position
PriorityClassRef: group kind name
RequeueState: count requeueAt
ResourceFlavor: apiVersion kind metadata:ObjectMeta spec:ResourceFlavorSpec
ResourceFlavorSpec: nodeLabels nodeTaints:Taint tolerations:Toleration topologyName
ResourceGroup: coveredResources flavors:FlavorQuotas
ResourceQuota: borrowingLimit lendingLimit name nominalQuota
ResourceUsage: borrowed name total
SchedulingStats: evictions:Eviction
SliceConstraint: size topology
TopologyAssignment: levels slices:TopologyAssignmentSlice
TopologyAssignmentSlice: domainCount podCounts:TopologyPodCounts valuesPerLevel:TopologyValues
TopologyIndividualValues: prefix roots suffix
TopologyPodCounts: individual universal
TopologyValues: individual:TopologyIndividualValues universal
Workload: apiVersion kind metadata:ObjectMeta spec:WorkloadSpec status:WorkloadStatus
WorkloadPriorityClass: apiVersion description kind metadata:ObjectMeta value
WorkloadSpec: active maximumExecutionTimeSeconds podSets:PodSet preemptionGates:NamedObject
    priority priorityClassRef:PriorityClassRef queueName
WorkloadStatus: accumulatedPastExecutionTimeSeconds admission:Admission
    admissionChecks:AdmissionCheckState clusterName conditions:Condition nominatedClusterNames
    preemptionGates:PreemptionGateState reclaimablePods:NamedCount requeueState:RequeueState
    resourceRequests:PodSetRequest schedulingStats:SchedulingStats unhealthyNodes:NamedObject
version kueue.x-k8s.io/v1beta1
kinds AdmissionCheck ClusterQueue Cohort LocalQueue ResourceFlavor Workload WorkloadPriorityClass
Admission: clusterQueue podSetAssignments:PodSetAssignment
AdmissionCheck: apiVersion kind metadata:ObjectMeta spec:AdmissionCheckSpec
    status:AdmissionCheckStatus@kueue.x-k8s.io/v1beta2
AdmissionCheckSpec: controllerName
    parameters:AdmissionCheckParameters@kueue.x-k8s.io/v1beta2 retryDelayMinutes
ClusterQueue: apiVersion kind metadata:ObjectMeta spec:ClusterQueueSpec status:ClusterQueueStatus
ClusterQueueSpec: admissionChecks
    admissionChecksStrategy:AdmissionChecksStrategy@kueue.x-k8s.io/v1beta2
    admissionScope:AdmissionScope@kueue.x-k8s.io/v1beta2 cohort
    fairSharing:FairSharing@kueue.x-k8s.io/v1beta2
    flavorFungibility:FlavorFungibility@kueue.x-k8s.io/v1beta2 namespaceSelector:LabelSelector
    preemption:ClusterQueuePreemption@kueue.x-k8s.io/v1beta2 queueingStrategy
    resourceGroups:ResourceGroup@kueue.x-k8s.io/v1beta2 stopPolicy
ClusterQueueStatus: admittedWorkloads conditions:Condition fairSharing:FairSharingStatus
    flavorsReservation:FlavorUsage@kueue.x-k8s.io/v1beta2
    flavorsUsage:FlavorUsage@kueue.x-k8s.io/v1beta2 pendingWorkloads pendingWorkloadsStatus
    reservingWorkloads
Cohort: apiVersion kind metadata:ObjectMeta spec:CohortSpec@kueue.x-k8s.io/v1beta2
    status:CohortStatus
CohortStatus: fairSharing:FairSharingStatus
FairSharingStatus: admissionFairSharingStatus:AdmissionFairSharingStatus@kueue.x-k8s.io/v1beta2
    weightedShare
LocalQueue: apiVersion kind metadata:ObjectMeta spec:LocalQueueSpec@kueue.x-k8s.io/v1beta2
    status:LocalQueueStatus
LocalQueueStatus: admittedWorkloads conditions:Condition fairSharing:FairSharingStatus flavorUsage
    flavors flavorsReservation:LocalQueueFlavorUsage@kueue.x-k8s.io/v1beta2 pendingWorkloads
    reservingWorkloads
PodSet: count minCount name template:PodTemplateSpec
    topologyRequest:PodSetTopologyRequest@kueue.x-k8s.io/v1beta2
PodSetAssignment: count delayedTopologyRequest flavors name resourceUsage
    topologyAssignment:TopologyAssignment
ResourceFlavor: apiVersion kind metadata:ObjectMeta
    spec:ResourceFlavorSpec@kueue.x-k8s.io/v1beta2
TopologyAssignment: domains:TopologyDomain levels
TopologyDomain: count values
Workload: apiVersion kind metadata:ObjectMeta spec:WorkloadSpec status:WorkloadStatus
WorkloadPriorityClass: apiVersion description kind metadata:ObjectMeta value
WorkloadSpec: active maximumExecutionTimeSeconds podSets:PodSet priority priorityClassName
    priorityClassSource queueName
WorkloadStatus: accumulatedPastExexcutionTimeSeconds admission:Admission
    admissionChecks:AdmissionCheckState@kueue.x-k8s.io/v1beta2 clusterName conditions:Condition
    nominatedClusterNames reclaimablePods:NamedCount@kueue.x-k8s.io/v1beta2
    requeueState:RequeueState@kueue.x-k8s.io/v1beta2
    resourceRequests:PodSetRequest@kueue.x-k8s.io/v1beta2
    schedulingStats:SchedulingStats@kueue.x-k8s.io/v1beta2
    unhealthyNodes:NamedObject@kueue.x-k8s.io/v1beta2
)fields";

}  // namespace tutti::wire
