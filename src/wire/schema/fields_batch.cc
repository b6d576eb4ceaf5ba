// The fields of batch/v1.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kBatchFields = R"fields(
version batch/v1
kinds Job CronJob
CronJob: apiVersion kind metadata:ObjectMeta spec:CronJobSpec status:CronJobStatus
CronJobSpec: concurrencyPolicy failedJobsHistoryLimit jobTemplate:JobTemplateSpec schedule
    startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone
CronJobStatus: active:ObjectReference lastScheduleTime lastSuccessfulTime
Job: apiVersion kind metadata:ObjectMeta spec:JobSpec status:JobStatus
JobCondition: lastProbeTime lastTransitionTime message reason status type
JobSchedulingConfiguration: disruptionMode:WorkloadPodGroupDisruptionMode
    resourceClaims:WorkloadPodGroupResourceClaim
    schedulingConstraints:WorkloadPodGroupSchedulingConstraints
    schedulingPolicy:WorkloadPodGroupSchedulingPolicy
JobSpec: activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions
    managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy:PodFailurePolicy
    podReplacementPolicy scheduling:JobSchedulingConfiguration selector:LabelSelector
    successPolicy:SuccessPolicy suspend template:PodTemplateSpec ttlSecondsAfterFinished
JobStatus: active completedIndexes completionTime conditions:JobCondition failed failedIndexes
    ready startTime succeeded terminating uncountedTerminatedPods:UncountedTerminatedPods
JobTemplateSpec: metadata:ObjectMeta spec:JobSpec
PodFailurePolicy: rules:PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement: containerName operator values
PodFailurePolicyOnPodConditionsPattern: status type
PodFailurePolicyRule: action onExitCodes:PodFailurePolicyOnExitCodesRequirement
    onPodConditions:PodFailurePolicyOnPodConditionsPattern
SuccessPolicy: rules:SuccessPolicyRule
SuccessPolicyRule: succeededCount succeededIndexes
TopologyConstraint: key
UncountedTerminatedPods: failed succeeded
WorkloadPodGroupDisruptionMode: all:Empty single:Empty
WorkloadPodGroupGangSchedulingPolicy: minCount
WorkloadPodGroupResourceClaim: name resourceClaimName resourceClaimTemplateName
WorkloadPodGroupSchedulingConstraints: topology:TopologyConstraint
WorkloadPodGroupSchedulingPolicy: basic:Empty gang:WorkloadPodGroupGangSchedulingPolicy
)fields";

}  // namespace tutti::wire
