// The fields of scheduling.k8s.io.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kSchedulingFields = R"fields(
version scheduling.k8s.io/v1
kinds PriorityClass
PriorityClass: apiVersion description globalDefault kind metadata:ObjectMeta preemptionPolicy
    value
version scheduling.k8s.io/v1alpha2
kinds PodGroup Workload
GangSchedulingPolicy: minCount
PodGroup: apiVersion kind metadata:ObjectMeta spec:PodGroupSpec status:PodGroupStatus
PodGroupResourceClaim: name resourceClaimName resourceClaimTemplateName
PodGroupResourceClaimStatus: name resourceClaimName
PodGroupSchedulingConstraints: topology:TopologyConstraint
PodGroupSchedulingPolicy: basic:Empty gang:GangSchedulingPolicy
PodGroupSpec: disruptionMode podGroupTemplateRef:PodGroupTemplateReference priority
    priorityClassName resourceClaims:PodGroupResourceClaim
    schedulingConstraints:PodGroupSchedulingConstraints schedulingPolicy:PodGroupSchedulingPolicy
PodGroupStatus: conditions:Condition resourceClaimStatuses:PodGroupResourceClaimStatus
PodGroupTemplate: disruptionMode name priority priorityClassName
    resourceClaims:PodGroupResourceClaim schedulingConstraints:PodGroupSchedulingConstraints
    schedulingPolicy:PodGroupSchedulingPolicy
PodGroupTemplateReference: workload:WorkloadPodGroupTemplateReference
TopologyConstraint: key
TypedLocalObjectReference: apiGroup kind name
Workload: apiVersion kind metadata:ObjectMeta spec:WorkloadSpec
WorkloadPodGroupTemplateReference: podGroupTemplateName workloadName
WorkloadSpec: controllerRef:TypedLocalObjectReference podGroupTemplates:PodGroupTemplate
version scheduling.k8s.io/v1alpha3
kinds CompositePodGroup PodGroup Workload
CompositeDisruptionMode: all:Empty single:Empty
CompositeGangSchedulingPolicy: minGroupCount
CompositePodGroup: apiVersion kind metadata:ObjectMeta spec:CompositePodGroupSpec
    status:CompositePodGroupStatus
CompositePodGroupSchedulingConstraints: topology:TopologyConstraint
CompositePodGroupSchedulingPolicy: basic:Empty gang:CompositeGangSchedulingPolicy
CompositePodGroupSpec: disruptionMode:CompositeDisruptionMode parentCompositePodGroupName
    preemptionPolicy priority priorityClassName
    schedulingConstraints:CompositePodGroupSchedulingConstraints
    schedulingPolicy:CompositePodGroupSchedulingPolicy workloadRef:WorkloadReference
CompositePodGroupStatus: conditions:Condition
CompositePodGroupTemplate: compositePodGroupTemplates:CompositePodGroupTemplate
    disruptionMode:CompositeDisruptionMode name podGroupTemplates:PodGroupTemplate
    preemptionPolicy priority priorityClassName
    schedulingConstraints:CompositePodGroupSchedulingConstraints
    schedulingPolicy:CompositePodGroupSchedulingPolicy
DisruptionMode: all:Empty single:Empty
GangSchedulingPolicy: minCount
PodGroup: apiVersion kind metadata:ObjectMeta spec:PodGroupSpec status:PodGroupStatus
PodGroupResourceClaim: name resourceClaimName resourceClaimTemplateName
PodGroupResourceClaimStatus: name resourceClaimName
PodGroupSchedulingConstraints: topology:TopologyConstraint
PodGroupSchedulingPolicy: basic:Empty gang:GangSchedulingPolicy
PodGroupSpec: disruptionMode:DisruptionMode parentCompositePodGroupName preemptionPolicy priority
    priorityClassName resourceClaims:PodGroupResourceClaim
    schedulingConstraints:PodGroupSchedulingConstraints schedulingPolicy:PodGroupSchedulingPolicy
    workloadRef:WorkloadReference
PodGroupStatus: conditions:Condition resourceClaimStatuses:PodGroupResourceClaimStatus
PodGroupTemplate: disruptionMode:DisruptionMode name preemptionPolicy priority priorityClassName
    resourceClaims:PodGroupResourceClaim schedulingConstraints:PodGroupSchedulingConstraints
    schedulingPolicy:PodGroupSchedulingPolicy
TopologyConstraint: key
TypedLocalObjectReference: apiGroup kind name
Workload: apiVersion kind metadata:ObjectMeta spec:WorkloadSpec
WorkloadReference: templateName workloadName
WorkloadSpec: compositePodGroupTemplates:CompositePodGroupTemplate
    controllerRef:TypedLocalObjectReference podGroupTemplates:PodGroupTemplate
version scheduling.k8s.io/v1beta1
kinds PodGroup PriorityClass Workload
CompositeDisruptionMode: all:Empty single:Empty
CompositeGangSchedulingPolicy: minGroupCount
CompositePodGroupSchedulingConstraints: topology:TopologyConstraint
CompositePodGroupSchedulingPolicy: basic:Empty gang:CompositeGangSchedulingPolicy
CompositePodGroupTemplate: compositePodGroupTemplates:CompositePodGroupTemplate
    disruptionMode:CompositeDisruptionMode name podGroupTemplates:PodGroupTemplate
    preemptionPolicy priority priorityClassName
    schedulingConstraints:CompositePodGroupSchedulingConstraints
    schedulingPolicy:CompositePodGroupSchedulingPolicy
DisruptionMode: all:Empty single:Empty
GangSchedulingPolicy: minCount
PodGroup: apiVersion kind metadata:ObjectMeta spec:PodGroupSpec status:PodGroupStatus
PodGroupResourceClaim: name resourceClaimName resourceClaimTemplateName
PodGroupResourceClaimStatus: name resourceClaimName
PodGroupSchedulingConstraints: topology:TopologyConstraint
PodGroupSchedulingPolicy: basic:Empty gang:GangSchedulingPolicy
PodGroupSpec: disruptionMode:DisruptionMode parentCompositePodGroupName preemptionPolicy priority
    priorityClassName resourceClaims:PodGroupResourceClaim
    schedulingConstraints:PodGroupSchedulingConstraints schedulingPolicy:PodGroupSchedulingPolicy
    workloadRef:WorkloadReference
PodGroupStatus: conditions:Condition resourceClaimStatuses:PodGroupResourceClaimStatus
PodGroupTemplate: disruptionMode:DisruptionMode name preemptionPolicy priority priorityClassName
    resourceClaims:PodGroupResourceClaim schedulingConstraints:PodGroupSchedulingConstraints
    schedulingPolicy:PodGroupSchedulingPolicy
PriorityClass: apiVersion description globalDefault kind metadata:ObjectMeta preemptionPolicy
    value
TopologyConstraint: key
TypedLocalObjectReference: apiGroup kind name
Workload: apiVersion kind metadata:ObjectMeta spec:WorkloadSpec
WorkloadReference: templateName workloadName
WorkloadSpec: compositePodGroupTemplates:CompositePodGroupTemplate
    controllerRef:TypedLocalObjectReference podGroupTemplates:PodGroupTemplate
)fields";

}  // namespace tutti::wire
